@# Puts back what an earlier activation left. activate.sh includes it too: conda activates twice in a row when a
@# stacked environment is popped, and an activation that starts by undoing the last one is idempotent by itself.
@#
@# The state of a variable is exported, for another process or shell may deactivate:
@#   _K  set, unset: how it was. This one is always there while the others count.
@#   _O  its original value     _S  what we wrote; missing: we removed it
@#   _D  lists: our elements    _P  what stood in @MARK@, the last value written by the hooks of any environment
@for set default lead unset@

# @NAME@
if [ -n "${@STATE@_K-}" ]; then
    # Still ours: the original comes back. Changed since: the change stays.
    if [ "${@NAME@+_}${@NAME@-}" = "${@STATE@_S+_}${@STATE@_S-}" ]; then
        if [ "${@STATE@_K-}" = set ]; then
            export @NAME@="${@STATE@_O-}"
        else
            unset -v @NAME@
        fi
    fi
    if [ -n "${@STATE@_P-}" ]; then
        export @MARK@="${@STATE@_P-}"
    else
        unset -v @MARK@
    fi
    unset -v @STATE@_K @STATE@_O @STATE@_S @STATE@_P
fi
@end@
@for list@

# @NAME@
if [ -n "${@STATE@_K-}" ]; then
    export _condagpu_list=: _condagpu_rest='' _condagpu_item='' _condagpu_old=":${@STATE@_O-}:"
    if [ "${@NAME@+_}${@NAME@-}" = "${@STATE@_S+_}${@STATE@_S-}" ]; then
        # Still ours: the original comes back.
        if [ "${@STATE@_K-}" = set ]; then
            export @NAME@="${@STATE@_O-}"
        else
            unset -v @NAME@
        fi
    elif [ -n "${@NAME@-}" ]; then
        # Changed since: what we wrote is replaced where it stands whole, and else our elements go one by one, but
        # for those that the original has too.
        if [ "$_condagpu_old" = :: ]; then
            export _condagpu_old=:
        fi
        export _condagpu_list=":${@NAME@-}:" _condagpu_item=":${@STATE@_S-}:"
        export _condagpu_rest="${_condagpu_list#*"$_condagpu_item"}"
        if [ "_$_condagpu_rest" != "_$_condagpu_list" ]; then
            export _condagpu_list="${_condagpu_list%%"$_condagpu_item"*}$_condagpu_old$_condagpu_rest"
        fi
        export _condagpu_rest="${@STATE@_D:+${@STATE@_D-}:}"
        while [ -n "$_condagpu_rest" ]; do
            export _condagpu_item=":${_condagpu_rest%%:*}:"
            export _condagpu_rest="${_condagpu_rest#*:}"
            if [ "_${_condagpu_old#*"$_condagpu_item"}" = "_$_condagpu_old" ]; then
                while [ "_${_condagpu_list#*"$_condagpu_item"}" != "_$_condagpu_list" ]; do
                    export _condagpu_list="${_condagpu_list%%"$_condagpu_item"*}:${_condagpu_list#*"$_condagpu_item"}"
                done
            fi
        done
        export _condagpu_list="${_condagpu_list#:}"
        export _condagpu_list="${_condagpu_list%:}"
        if [ -n "$_condagpu_list" ] || [ "${@STATE@_K-}" = set ]; then
            export @NAME@="$_condagpu_list"
        else
            unset -v @NAME@
        fi
    fi
    unset -v @STATE@_K @STATE@_O @STATE@_S @STATE@_D
    unset -v _condagpu_list _condagpu_rest _condagpu_item _condagpu_old
fi
@end@
