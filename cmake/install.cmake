# cmake --install: the command, the ready programs, the libraries and the public headers, in components that
# packages.cmake makes packages of. Nothing of it holds a path, so the installed tree may be moved. (lbspcc and lbspc++:
# tools/wrappers; man pages and completion: tools/manual and tools/completion.)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lbsp)

if(LBSP_TOOLS)
  install(TARGETS lbsp bitonic_sort dataflow fft2d jacobi matmul RUNTIME COMPONENT commands)
endif()
if(MPI_CXX_FOUND)
  install(TARGETS lbsp_mpi_session LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lbsp COMPONENT mpi)
endif()

set(names model lbsp)
if(LBSP_ALGORITHMS)
  list(APPEND names algorithms)
endif()
set(kinds static)
if(LBSP_SHARED)
  list(APPEND kinds shared)
endif()
foreach(kind ${kinds})
  list(TRANSFORM names REPLACE "(.+)" "lbsp_\\1_${kind}" OUTPUT_VARIABLE libraries)
  install(TARGETS ${libraries} EXPORT ${kind}
    ARCHIVE COMPONENT development
    LIBRARY COMPONENT library NAMELINK_COMPONENT development)
  install(EXPORT ${kind} NAMESPACE lbsp:: FILE lbsp-${kind}.cmake DESTINATION ${package_folder} COMPONENT development)
endforeach()
# Before 1.0 each minor version may break what was.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lbsp-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/lbsp-config.cmake ${PROJECT_BINARY_DIR}/lbsp-config-version.cmake
  DESTINATION ${package_folder} COMPONENT development)

# The same for pkg-config. A moved tree is found, as its prefix is seen from the file itself.
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
# lbsp_pkgconfig(NAME LIBRARY DESCRIPTION OTHERS [REQUIRES]): who links a shared library does not link what it needs.
function(lbsp_pkgconfig name library description others)
  set(name ${name})
  set(requires ${ARGN})
  list(JOIN requires ", " requires)
  if(LBSP_SHARED)
    set(private .private)
  endif()
  configure_file(cmake/lbsp.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
lbsp_pkgconfig(lbsp-model -llbsp_model "The models of lbsp" "-lstdc++ -lm")
set(others "-lfmt -lstdc++ -lpthread -ldl -lm")
lbsp_pkgconfig(lbsp -llbsp "Bulk-synchronous programs across hosts whose network loses packets" ${others}
  lbsp-model libsodium libisal)
lbsp_pkgconfig(lbsp-bsplib -llbsp "BSPlib's bsp.h over lbsp" ${others} lbsp-model libsodium libisal)
if(LBSP_ALGORITHMS)
  lbsp_pkgconfig(lbsp-algorithms "-llbsp_algorithms -llbsp" "Algorithms over lbsp" ${others}
    lbsp-model libsodium libisal openblas fftw3 fftw3f)
endif()

# The public headers, and of the layers below those that they include. site.cmake makes a reference of them.
set(bsplib_headers lbsp/bsplib/bsp.h lbsp/bsplib/bsp_level1.h lbsp/bsplib/mcbsp.h)
install(FILES ${bsplib_headers} TYPE INCLUDE COMPONENT development)
set(public_headers ${bsplib_headers})
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/lbsp)
function(lbsp_install_headers folder)
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE files)
  install(FILES ${files} DESTINATION ${headers}/${folder} COMPONENT development)
  set(public_headers ${public_headers} ${files} PARENT_SCOPE)
endfunction()
foreach(folder model lbsp/collectives lbsp/dataflow algorithms)
  install(DIRECTORY ${folder}/ DESTINATION ${headers}/${folder} COMPONENT development FILES_MATCHING PATTERN "*.hpp")
  file(GLOB_RECURSE files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${folder}/*.hpp)
  list(APPEND public_headers ${files})
endforeach()
file(GLOB interface RELATIVE ${PROJECT_SOURCE_DIR}/lbsp CONFIGURE_DEPENDS lbsp/*.hpp)
lbsp_install_headers(lbsp ${interface})
lbsp_install_headers(lbsp/job run.hpp)
lbsp_install_headers(lbsp/checkpoint folder.hpp folder_lock.hpp interval_plan.hpp layout.hpp piece.hpp recovery.hpp
  saving_meter.hpp store.hpp)
lbsp_install_headers(lbsp/superstep answers.hpp byte_puts.hpp engine.hpp pending_gets.hpp transfers.hpp)
lbsp_install_headers(lbsp/superstep/agreement check_value.hpp collective_call.hpp slot_table.hpp wording.hpp)
lbsp_install_headers(lbsp/superstep/messages copy_bytes.hpp layout.hpp mail.hpp message_reader.hpp message_writer.hpp
  offers.hpp unsynced.hpp)
lbsp_install_headers(lbsp/superstep/recording quick_clock.hpp recorder.hpp traced_superstep.hpp)
lbsp_install_headers(lbsp/survival carried.hpp keeping.hpp roster.hpp saved_states.hpp survival.hpp)
lbsp_install_headers(lbsp/trace figures.hpp history.hpp processor_time.hpp superstep_figures.hpp superstep_records.hpp)
lbsp_install_headers(transport bytes.hpp early_messages.hpp error.hpp exchange.hpp loss_notice.hpp message_storage.hpp options.hpp
  splitmix.hpp traffic.hpp units.hpp world_change.hpp)
# Under the names that the headers have for them, and with each other's pictures and links.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)
