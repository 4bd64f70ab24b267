# Configures PROJECT with the sources of LBSP as its folder lbsp.
file(CREATE_LINK ${LBSP} ${PROJECT}/lbsp SYMBOLIC)
file(REMOVE_RECURSE ${PROJECT}/build)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${PROJECT} -B ${PROJECT}/build -G ${GENERATOR} ${OPTIONS} RESULT_VARIABLE code)
file(REMOVE_RECURSE ${PROJECT}/build)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the project of the README does not configure")
endif()
