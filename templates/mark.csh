@# What the hooks of any environment wrote last.
setenv @STATE@_P ""
if ($?@MARK@) then
    setenv @STATE@_P "${@MARK@}"
endif
