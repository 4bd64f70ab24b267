# cmake --install: the command, the ready programs, the libraries and the headers. Nothing of it holds a path,
# so the installed tree may be moved. (lbspcc and lbspc++: tools/wrappers.)
install(TARGETS lbsp matmul RUNTIME)
install(TARGETS lbsp_bsplib lbsp_job lbsp_runtime lbsp_transport lbsp_model lbsp_algorithms ARCHIVE)
install(FILES lbsp/c/bsp.h lbsp/c/bsp_level1.h lbsp/c/mcbsp.h TYPE INCLUDE)
# The C++ headers name their layer, "lbsp/coarray.hpp"; lbspc++ finds them here.
foreach(layer model transport lbsp algorithms)
  install(DIRECTORY ${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lbsp FILES_MATCHING PATTERN "*.hpp")
endforeach()
