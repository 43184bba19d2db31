@# Whether a default applies.
set _condagpu_take = 1
if ($?@NAME@) then
    if ("_${@NAME@}" != "_") then
        set _condagpu_take = 0
        if ($?@MARK@) then
            if ("_${@NAME@}" == "_${@MARK@}") then
                set _condagpu_take = 1
            endif
        endif
    endif
endif
