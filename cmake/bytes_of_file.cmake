# pykc_bytes_of(FILE VARIABLE): the bytes of a file as C++ writes the elements of an array of char.
function(pykc_bytes_of file variable)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  set(${variable} "${bytes}" PARENT_SCOPE)
endfunction()
