# condagpu @VERSION@ made this file from @INPUTS@.
# To change what it does, change condagpu.yml and run condagpu init; a change here is overwritten.
# It may run twice in a row; the last run is undone first. Builtins only, so that it is quick and right anywhere.
# No path list can hold an element with a colon.
if string match -q -r '^/[^:]*$' -- "$CONDA_PREFIX"

# ---- What an earlier activation left is put back.
@include undo.fish@

# ---- The variables. How each was before is kept in the names that end in _K and _O, what it becomes in _S. A universal
# variable is not touched: it shows again when the global one is erased.
@for set@

# @NAME@=@VALUE_TEXT@
# @WHY@
set -gx @STATE@_K unset
if set -qg @NAME@
    set -gx @STATE@_K set
    set -gx @STATE@_O "$@NAME@"
end
set -gx @STATE@_P "$@MARK@"
set -gx @NAME@ @VALUE@
set -gx @STATE@_S "$@NAME@"
set -gx @MARK@ "$@NAME@"
@end@
@for default@

# @NAME@=@VALUE_TEXT@, unless there is a value that no hook of condagpu wrote
# @WHY@
if test -z "$@NAME@"; or test "_$@NAME@" = "_$@MARK@"
    set -gx @STATE@_K unset
    if set -qg @NAME@
        set -gx @STATE@_K set
        set -gx @STATE@_O "$@NAME@"
    end
    set -gx @STATE@_P "$@MARK@"
    set -gx @NAME@ @VALUE@
    set -gx @STATE@_S "$@NAME@"
    set -gx @MARK@ "$@NAME@"
end
@end@
@for lead@

# @NAME@=@VALUE_TEXT@, in a job @LEAD@, unless there is a value that no hook of condagpu wrote
# @WHY@
if test -z "$@NAME@"; or test "_$@NAME@" = "_$@MARK@"
    set -gx @STATE@_K unset
    if set -qg @NAME@
        set -gx @STATE@_K set
        set -gx @STATE@_O "$@NAME@"
    end
    set -gx @STATE@_P "$@MARK@"
    set -gx @NAME@ @VALUE@
    if string match -q -r '^[1-9][0-9]{0,4}\z' -- "$@LEAD@"
        set -gx @NAME@ "$@LEAD@"
    end
    set -gx @STATE@_S "$@NAME@"
    set -gx @MARK@ "$@NAME@"
end
@end@
@for unset@

# @NAME@ is removed
# @WHY@
set -gx @STATE@_K unset
if set -qg @NAME@
    set -gx @STATE@_K set
    set -gx @STATE@_O "$@NAME@"
    set -eg @NAME@
end
set -gx @STATE@_P "$@MARK@"
set -qg @MARK@; and set -eg @MARK@
@end@
@for list@

# @NAME@
# @VALUE_TEXT@: @WHY@
set -gx @STATE@_K unset
if set -qg @NAME@
    set -gx @STATE@_K set
    set -gx @STATE@_O "$@NAME@"
end
set -gx @STATE@_D @ELEMENTS@
# An element that is there already comes to its place instead of being doubled. The empty text is no element here,
# although it would split into one.
begin
    set -l ours (string split -- : "$@STATE@_D")
    set -l list
    if test -n "$@NAME@"
        for item in (string split -- : "$@NAME@")
            contains -- "$item" $ours; or set list $list "$item"
        end
    end
    set -l front @FRONT@
    set -l back @BACK@
    test -n "$front"; and set list "$front" $list
    test -n "$back"; and set list $list "$back"
    set -gx @NAME@ (string join -- : $list)
end
set -gx @STATE@_S "$@NAME@"
@end@
end
true
