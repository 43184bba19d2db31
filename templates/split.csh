@# Cuts $_condagpu_text at its colons into $_condagpu_items, with one element more at each end. PATH is the only list
@# that csh cuts by itself. It makes each empty element a dot: tcsh can mark those before, csh finds them in item.csh.
set _condagpu_text = ":${_condagpu_text}:"
if ($?tcsh) then
    set _condagpu_text = "${_condagpu_text:as|::|:/dev/null/empty:|}"
    set _condagpu_text = "${_condagpu_text:as|::|:/dev/null/empty:|}"
endif
if ($?PATH) then
    set _condagpu_path = "${PATH}"
    setenv PATH "${_condagpu_text}"
    set _condagpu_items = ($path:q)
    setenv PATH "${_condagpu_path}"
else
    set _condagpu_path = ($path:q)
    setenv PATH "${_condagpu_text}"
    set _condagpu_items = ($path:q)
    set path = ($_condagpu_path:q)
    unsetenv PATH
endif
