@# As undo.sh, and with the same names of the state. No csh may meet a name that is not set: each stands in a block.
@for set default lead unset@

# @NAME@
if ($?@STATE@_K) then
    # Still ours: the original comes back. Changed since: the change stays.
    set _condagpu_same = 0
    if ($?@NAME@ && $?@STATE@_S) then
        if ("_${@NAME@}" == "_${@STATE@_S}") then
            set _condagpu_same = 1
        endif
    else if (! $?@NAME@ && ! $?@STATE@_S) then
        set _condagpu_same = 1
    endif
    if ($_condagpu_same) then
        if ($?@STATE@_O && "${@STATE@_K}" == "set") then
            setenv @NAME@ "${@STATE@_O}"
        else
            unsetenv @NAME@
        endif
    endif
    unsetenv @MARK@
    if ($?@STATE@_P) then
        if ("_${@STATE@_P}" != "_") then
            setenv @MARK@ "${@STATE@_P}"
        endif
    endif
    unsetenv @STATE@_K
    unsetenv @STATE@_O
    unsetenv @STATE@_S
    unsetenv @STATE@_P
    unset _condagpu_same
endif
@end@
@for list@

# @NAME@
if ($?@STATE@_K) then
    set _condagpu_now = ""
    if ($?@NAME@) then
        set _condagpu_now = "${@NAME@}"
    endif
    set _condagpu_was = ""
    if ($?@STATE@_O) then
        set _condagpu_was = "${@STATE@_O}"
    endif
    set _condagpu_ours = ""
    if ($?@STATE@_S) then
        set _condagpu_ours = "${@STATE@_S}"
    endif
    if ("_${_condagpu_now}" == "_${_condagpu_ours}") then
        # Still ours: the original comes back.
        if ("${@STATE@_K}" == "set") then
            setenv @NAME@ "${_condagpu_was}"
        else
            unsetenv @NAME@
        endif
    else if ("_${_condagpu_now}" != "_" && $?@STATE@_D) then
        # Changed since: what we wrote is replaced where it stands whole, and else our elements go one by one, but
        # for those that the original has too.
        set _condagpu_text = "${_condagpu_ours}"
@include split.csh@
        set _condagpu_ours = ($_condagpu_items:q)
        set _condagpu_text = "${@STATE@_D}"
@include split.csh@
        set _condagpu_dirs = ($_condagpu_items:q)
        set _condagpu_text = "${_condagpu_was}"
@include split.csh@
        set _condagpu_olds = ($_condagpu_items:q)
        set _condagpu_text = "${_condagpu_now}"
@include split.csh@
        # Where it stands whole: elements _at to _to.
        set _condagpu_at = 0
        set _condagpu_i = 2
        @@ _condagpu_n = $#_condagpu_items - $#_condagpu_ours + 2
        while ($_condagpu_i <= $_condagpu_n && $_condagpu_at == 0)
            set _condagpu_at = $_condagpu_i
            set _condagpu_j = 2
            while ($_condagpu_j < $#_condagpu_ours)
                @@ _condagpu_k = $_condagpu_i + $_condagpu_j - 2
                if ("_$_condagpu_items[$_condagpu_k]" != "_$_condagpu_ours[$_condagpu_j]") then
                    set _condagpu_at = 0
                endif
                @@ _condagpu_j = $_condagpu_j + 1
            end
            @@ _condagpu_i = $_condagpu_i + 1
        end
        @@ _condagpu_to = $_condagpu_at + $#_condagpu_ours - 3
        set _condagpu_list = ""
        set _condagpu_seen = ""
        set _condagpu_n = 0
        set _condagpu_i = 2
        while ($_condagpu_i < $#_condagpu_items)
@include item.csh@
            set _condagpu_take = 1
            if ($_condagpu_at && $_condagpu_i >= $_condagpu_at && $_condagpu_i <= $_condagpu_to) then
                set _condagpu_take = 0
                if ($_condagpu_i == $_condagpu_at && "_${_condagpu_was}" != "_") then
                    set _condagpu_take = 1
                    set _condagpu_item = "${_condagpu_was}"
                endif
            else
                set _condagpu_j = 2
                while ($_condagpu_j < $#_condagpu_dirs)
                    if ("_${_condagpu_item}" == "_$_condagpu_dirs[$_condagpu_j]") then
                        set _condagpu_take = 0
                    endif
                    @@ _condagpu_j = $_condagpu_j + 1
                end
                set _condagpu_j = 2
                while ($_condagpu_j < $#_condagpu_olds)
                    if ("_${_condagpu_item}" == "_$_condagpu_olds[$_condagpu_j]") then
                        set _condagpu_take = 1
                    endif
                    @@ _condagpu_j = $_condagpu_j + 1
                end
            endif
            if ($_condagpu_take) then
@include push.csh@
            endif
            @@ _condagpu_i = $_condagpu_i + 1
        end
        if ("_${_condagpu_list}" != "_" || "${@STATE@_K}" == "set") then
            setenv @NAME@ "${_condagpu_list}"
        else
            unsetenv @NAME@
        endif
    endif
    unsetenv @STATE@_K
    unsetenv @STATE@_O
    unsetenv @STATE@_S
    unsetenv @STATE@_D
    unset _condagpu_now _condagpu_was _condagpu_ours _condagpu_dirs _condagpu_olds _condagpu_text _condagpu_items
    unset _condagpu_path _condagpu_item _condagpu_seen _condagpu_list _condagpu_take
    unset _condagpu_i _condagpu_j _condagpu_k _condagpu_n _condagpu_at _condagpu_to
endif
@end@
