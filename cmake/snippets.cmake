# The programs that the documentation shows, word for word, for tests that build and run them.

# lbsp_snippet(FILE LANGUAGE NUMBER OUTPUT): writes the NUMBERth block of that language in a page, from 0, to OUTPUT.
function(lbsp_snippet file language number output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} rest)
  foreach(i RANGE ${number})
    string(FIND "${rest}" "\n```${language}\n" begin)
    if(begin EQUAL -1)
      message(FATAL_ERROR "${file} has no block ${number} of ${language}: the tests build it")
    endif()
    string(LENGTH "\n```${language}\n" fence)
    math(EXPR begin "${begin} + ${fence}")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
  endforeach()
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} text)
  file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
endfunction()
