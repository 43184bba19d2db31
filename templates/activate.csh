# condagpu @VERSION@ made this file from @INPUTS@.
# To change what it does, change condagpu.yml and run condagpu init; a change here is overwritten.
# It may run twice in a row; the last run is undone first. Builtins only, so that it is quick and right anywhere.
set _condagpu_go = 0
if ($?CONDA_PREFIX) then
    # No path list can hold an element with a colon.
    if ("${CONDA_PREFIX}" =~ /* && "${CONDA_PREFIX}" !~ *:*) then
        set _condagpu_go = 1
    endif
endif
if ($_condagpu_go) then

# ---- What an earlier activation left is put back.
@include undo.csh@

# ---- The variables. How each was before is kept in the names that end in _K and _O, what it becomes in _S.
@for set@

# @NAME@=@VALUE_TEXT@
# @WHY@
@include record.csh@
@include mark.csh@
setenv @NAME@ @VALUE@
setenv @STATE@_S @VALUE@
setenv @MARK@ @VALUE@
@end@
@for default@

# @NAME@=@VALUE_TEXT@, unless there is a value that no hook of condagpu wrote
# @WHY@
@include ask.csh@
if ($_condagpu_take) then
@include record.csh@
@include mark.csh@
setenv @NAME@ @VALUE@
setenv @STATE@_S @VALUE@
setenv @MARK@ @VALUE@
endif
unset _condagpu_take
@end@
@for lead@

# @NAME@=@VALUE_TEXT@, in a job @LEAD@, unless there is a value that no hook of condagpu wrote
# @WHY@
@include ask.csh@
if ($_condagpu_take) then
@include record.csh@
@include mark.csh@
setenv @NAME@ @VALUE@
if ($?@LEAD@) then
    # One to five digits, no zero in front.
    if ("${@LEAD@}" =~ [123456789]* && "${@LEAD@}" !~ *[^0123456789]* && "${@LEAD@}" !~ ??????*) then
        setenv @NAME@ "${@LEAD@}"
    endif
endif
setenv @STATE@_S "${@NAME@}"
setenv @MARK@ "${@NAME@}"
endif
unset _condagpu_take
@end@
@for unset@

# @NAME@ is removed
# @WHY@
@include record.csh@
@include mark.csh@
unsetenv @NAME@
unsetenv @MARK@
@end@
@for list@

# @NAME@
# @VALUE_TEXT@: @WHY@
@include record.csh@
setenv @STATE@_D @ELEMENTS@
set _condagpu_list = @FRONT@
set _condagpu_n = 0
if ("_${_condagpu_list}" != "_") then
    set _condagpu_n = 1
endif
if ($?@NAME@) then
    if ("_${@NAME@}" != "_") then
    # An element that is there already comes to its place instead of being doubled.
    set _condagpu_dirs = (@WORDS@)
    set _condagpu_text = "${@NAME@}"
@include split.csh@
    set _condagpu_seen = ""
    set _condagpu_i = 2
    while ($_condagpu_i < $#_condagpu_items)
@include item.csh@
        set _condagpu_take = 1
        set _condagpu_j = 1
        while ($_condagpu_j <= $#_condagpu_dirs)
            if ("_${_condagpu_item}" == "_$_condagpu_dirs[$_condagpu_j]") then
                set _condagpu_take = 0
            endif
            @@ _condagpu_j = $_condagpu_j + 1
        end
        if ($_condagpu_take) then
@include push.csh@
        endif
        @@ _condagpu_i = $_condagpu_i + 1
    end
    endif
endif
set _condagpu_item = @BACK@
if ("_${_condagpu_item}" != "_") then
@include push.csh@
endif
setenv @NAME@ "${_condagpu_list}"
setenv @STATE@_S "${_condagpu_list}"
unset _condagpu_dirs _condagpu_text _condagpu_items _condagpu_path _condagpu_item _condagpu_seen _condagpu_list
unset _condagpu_take _condagpu_i _condagpu_j _condagpu_n
@end@
endif
unset _condagpu_go
