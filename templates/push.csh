@# Puts $_condagpu_item behind the list that is being made.
        if ($_condagpu_n) then
            set _condagpu_list = "${_condagpu_list}:${_condagpu_item}"
        else
            set _condagpu_list = "${_condagpu_item}"
        endif
        set _condagpu_n = 1
