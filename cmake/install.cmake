# cmake --install: the command, the ready programs, the libraries and the public headers. Nothing of it holds a path, so
# the installed tree may be moved. (lbspcc and lbspc++: tools/wrappers.)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lbsp)

if(LBSP_TOOLS)
  install(TARGETS lbsp bitonic_sort fft2d jacobi matmul RUNTIME)
endif()
if(MPI_CXX_FOUND)
  install(TARGETS lbsp_mpi_session LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

# lbsp::lbsp, lbsp::bsplib and lbsp::model, with the layers that they stand on.
set(libraries lbsp_job lbsp_bsplib lbsp_runtime lbsp_plan lbsp_transport lbsp_model)
install(TARGETS ${libraries} EXPORT library ARCHIVE)
install(EXPORT library NAMESPACE lbsp:: FILE lbsp-library.cmake DESTINATION ${package_folder})
if(LBSP_ALGORITHMS)
  install(TARGETS lbsp_algorithms lbsp_algorithms_program EXPORT algorithms ARCHIVE)
  install(EXPORT algorithms NAMESPACE lbsp:: FILE lbsp-algorithms.cmake DESTINATION ${package_folder})
endif()
configure_file(cmake/lbsp-config.cmake.in ${PROJECT_BINARY_DIR}/lbsp-config.cmake @ONLY)
# Before 1.0 each minor version may break what was.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lbsp-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lbsp-config.cmake ${PROJECT_BINARY_DIR}/lbsp-config-version.cmake
  DESTINATION ${package_folder})

# The same for pkg-config. A moved tree is found, as its prefix is seen from the file itself.
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
# lbsp_pkgconfig(NAME DESCRIPTION LIBS [REQUIRES])
function(lbsp_pkgconfig name description libraries)
  set(name ${name})
  set(requires ${ARGN})
  list(JOIN requires ", " requires)
  configure_file(cmake/lbsp.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(threads "-lpthread -ldl -lm")
lbsp_pkgconfig(lbsp-model "The models of lbsp" "-llbsp_model -lstdc++ -lm")
lbsp_pkgconfig(lbsp "Bulk-synchronous programs across hosts whose network loses packets"
  "-llbsp_job -llbsp_runtime -llbsp_plan -llbsp_transport -lfmt -lstdc++ ${threads}" lbsp-model libsodium libisal)
lbsp_pkgconfig(lbsp-bsplib "BSPlib's bsp.h over lbsp" "-llbsp_bsplib" lbsp)
if(LBSP_ALGORITHMS)
  lbsp_pkgconfig(lbsp-algorithms "Algorithms over lbsp" "-llbsp_algorithms" lbsp openblas fftw3 fftw3f)
endif()

# The public headers, and of the layers below those that they include.
install(FILES lbsp/bsplib/bsp.h lbsp/bsplib/bsp_level1.h lbsp/bsplib/mcbsp.h TYPE INCLUDE)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/lbsp)
function(lbsp_install_headers folder)
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE files)
  install(FILES ${files} DESTINATION ${headers}/${folder})
endfunction()
foreach(folder model lbsp/collectives algorithms)
  install(DIRECTORY ${folder}/ DESTINATION ${headers}/${folder} FILES_MATCHING PATTERN "*.hpp")
endforeach()
file(GLOB interface RELATIVE ${PROJECT_SOURCE_DIR}/lbsp CONFIGURE_DEPENDS lbsp/*.hpp)
lbsp_install_headers(lbsp ${interface})
lbsp_install_headers(lbsp/job run.hpp)
lbsp_install_headers(lbsp/superstep check_value.hpp collective_call.hpp copy_bytes.hpp engine.hpp layout.hpp mail.hpp
  message_reader.hpp message_writer.hpp offers.hpp pending_gets.hpp recorder.hpp slot_table.hpp unsynced.hpp
  wording.hpp)
lbsp_install_headers(lbsp/trace figures.hpp processor_time.hpp)
lbsp_install_headers(transport bytes.hpp error.hpp exchange.hpp message_storage.hpp options.hpp splitmix.hpp
  traffic.hpp units.hpp)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
