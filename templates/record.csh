@# How the variable is before we write it.
if ($?@NAME@) then
    setenv @STATE@_K set
    setenv @STATE@_O "${@NAME@}"
else
    setenv @STATE@_K unset
endif
