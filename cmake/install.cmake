# cmake --install: the command, the ready programs, the libraries and the headers. Nothing of it holds a path,
# so the installed tree may be moved. (lbspcc and lbspc++: tools/wrappers.)
install(TARGETS lbsp bitonic_sort fft2d jacobi matmul RUNTIME)
install(TARGETS lbsp_algorithms lbsp_bsplib lbsp_job lbsp_plan lbsp_runtime lbsp_transport lbsp_model ARCHIVE)
if(MPI_CXX_FOUND)
  install(TARGETS lbsp_mpi_session LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES lbsp/bsplib/bsp.h lbsp/bsplib/bsp_level1.h lbsp/bsplib/mcbsp.h TYPE INCLUDE)
# The C++ headers name their layer, "lbsp/coarray.hpp"; lbspc++ finds them here.
foreach(layer model transport lbsp algorithms)
  install(DIRECTORY ${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lbsp FILES_MATCHING PATTERN "*.hpp")
endforeach()
