@# The element in place $_condagpu_i, as it was before the cut; $_condagpu_seen holds those before it. In csh, not in
@# tcsh, quoted text in a pattern stands for itself.
    set _condagpu_item = "$_condagpu_items[$_condagpu_i]"
    if ("_${_condagpu_item}" == "_/dev/null/empty") then
        set _condagpu_item = ""
    else if ("_${_condagpu_item}" == "_." && ! $?tcsh) then
        if ("${_condagpu_text}" =~ "${_condagpu_seen}::"*) then
            set _condagpu_item = ""
        endif
    endif
    set _condagpu_seen = "${_condagpu_seen}:${_condagpu_item}"
