@# As undo.sh, and with the same names of the state, so that a shell may deactivate what another one activated.
@for set default lead unset@

# @NAME@
if test -n "$@STATE@_K"
    # Still ours: the original comes back. Changed since: the change stays.
    set -l now
    set -l ours
    set -q @NAME@; and set now "_$@NAME@"
    set -q @STATE@_S; and set ours "_$@STATE@_S"
    if test "$now" = "$ours"
        if test "$@STATE@_K" = set
            set -gx @NAME@ "$@STATE@_O"
        else if set -qg @NAME@
            set -eg @NAME@
        end
    end
    if test -n "$@STATE@_P"
        set -gx @MARK@ "$@STATE@_P"
    else if set -qg @MARK@
        set -eg @MARK@
    end
    for name in @STATE@_K @STATE@_O @STATE@_S @STATE@_P
        set -qg $name; and set -eg $name
    end
end
@end@
@for list@

# @NAME@
if test -n "$@STATE@_K"
    # The empty text is no element here, although it would split into one.
    set -l old
    test -n "$@STATE@_O"; and set old (string split -- : "$@STATE@_O")
    if test "$@NAME@" = "$@STATE@_S"
        # Still ours: the original comes back.
        if test "$@STATE@_K" = set
            set -gx @NAME@ "$@STATE@_O"
        else if set -qg @NAME@
            set -eg @NAME@
        end
    else if test -n "$@NAME@"
        # Changed since: what we wrote is replaced where it stands whole, and else our elements go one by one, but
        # for those that the original has too.
        set -l between :
        test -n "$@STATE@_O"; and set between ":$@STATE@_O:"
        set -l list (string replace -- ":$@STATE@_S:" "$between" ":$@NAME@:")
        set -l kept
        for item in (string split -- : "$list")[2..-2]
            if contains -- "$item" $old; or not contains -- "$item" (string split -- : "$@STATE@_D")
                set kept $kept "$item"
            end
        end
        set list (string join -- : $kept)
        if test -n "$list"; or test "$@STATE@_K" = set
            set -gx @NAME@ "$list"
        else if set -qg @NAME@
            set -eg @NAME@
        end
    end
    for name in @STATE@_K @STATE@_O @STATE@_S @STATE@_D
        set -qg $name; and set -eg $name
    end
end
@end@
