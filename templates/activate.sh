# condagpu @VERSION@ made this file from @INPUTS@.
# To change what it does, change condagpu.yml and run condagpu init; a change here is overwritten.
# It may run twice in a row; the last run is undone first. Builtins only, so that it is quick and right anywhere.
case ${CONDA_PREFIX-} in
*:*) ;; # no path list can hold an element with a colon
/*)

# ---- What an earlier activation left is put back.
@include undo.sh@

# ---- The variables. How each was before is kept in the names that end in _K and _O, what it becomes in _S.
@for set@

# @NAME@=@VALUE_TEXT@
# @WHY@
if [ -n "${@NAME@+set}" ]; then
    export @STATE@_K=set @STATE@_O="${@NAME@-}"
else
    export @STATE@_K=unset
fi
export @STATE@_P="${@MARK@-}"
export @NAME@=@VALUE@
export @STATE@_S="${@NAME@-}" @MARK@="${@NAME@-}"
@end@
@for default@

# @NAME@=@VALUE_TEXT@, unless there is a value that no hook of condagpu wrote
# @WHY@
if [ -z "${@NAME@-}" ] || [ "_${@NAME@-}" = "_${@MARK@-}" ]; then
    if [ -n "${@NAME@+set}" ]; then
        export @STATE@_K=set @STATE@_O="${@NAME@-}"
    else
        export @STATE@_K=unset
    fi
    export @STATE@_P="${@MARK@-}"
    export @NAME@=@VALUE@
    export @STATE@_S="${@NAME@-}" @MARK@="${@NAME@-}"
fi
@end@
@for lead@

# @NAME@=@VALUE_TEXT@, in a job @LEAD@, unless there is a value that no hook of condagpu wrote
# @WHY@
if [ -z "${@NAME@-}" ] || [ "_${@NAME@-}" = "_${@MARK@-}" ]; then
    if [ -n "${@NAME@+set}" ]; then
        export @STATE@_K=set @STATE@_O="${@NAME@-}"
    else
        export @STATE@_K=unset
    fi
    export @STATE@_P="${@MARK@-}"
    case ${@LEAD@-} in
    '' | 0* | *[!0123456789]* | ??????*) export @NAME@=@VALUE@ ;;
    *) export @NAME@="${@LEAD@-}" ;;
    esac
    export @STATE@_S="${@NAME@-}" @MARK@="${@NAME@-}"
fi
@end@
@for unset@

# @NAME@ is removed
# @WHY@
if [ -n "${@NAME@+set}" ]; then
    export @STATE@_K=set @STATE@_O="${@NAME@-}"
else
    export @STATE@_K=unset
fi
export @STATE@_P="${@MARK@-}"
unset -v @NAME@ @MARK@
@end@
@for list@

# @NAME@
# @VALUE_TEXT@: @WHY@
if [ -n "${@NAME@+set}" ]; then
    export @STATE@_K=set @STATE@_O="${@NAME@-}"
else
    export @STATE@_K=unset
fi
export @STATE@_D=@ELEMENTS@
# Between colons every element looks the same, and an empty list is one colon.
export _condagpu_list=: _condagpu_rest="${@STATE@_D-}:" _condagpu_item=''
if [ -n "${@NAME@-}" ]; then
    export _condagpu_list=":${@NAME@-}:"
fi
# An element that is there already comes to its place instead of being doubled.
while [ -n "$_condagpu_rest" ]; do
    export _condagpu_item=":${_condagpu_rest%%:*}:"
    export _condagpu_rest="${_condagpu_rest#*:}"
    while [ "_${_condagpu_list#*"$_condagpu_item"}" != "_$_condagpu_list" ]; do
        export _condagpu_list="${_condagpu_list%%"$_condagpu_item"*}:${_condagpu_list#*"$_condagpu_item"}"
    done
done
export _condagpu_item=@FRONT@
export _condagpu_list="${_condagpu_item:+:$_condagpu_item}$_condagpu_list"
export _condagpu_item=@BACK@
export _condagpu_list="$_condagpu_list${_condagpu_item:+$_condagpu_item:}"
export _condagpu_list="${_condagpu_list#:}"
export @NAME@="${_condagpu_list%:}"
export @STATE@_S="${@NAME@-}"
unset -v _condagpu_list _condagpu_rest _condagpu_item
@end@
;;
esac
:
