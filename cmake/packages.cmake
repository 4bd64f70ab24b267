# cpack: Debian's packages lbsp (commands), lbsp-mpi (what --backend mpi loads), liblbsp1 and liblbsp-dev. The preset
# `package` configures for /usr, builds and packs: cmake --workflow --preset package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lbsp)
set(CPACK_PACKAGE_VENDOR "the lbsp authors")
set(CPACK_PACKAGE_CONTACT "the lbsp authors <lbsp@localhost.localdomain>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL commands library development mpi)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${LBSP_LIBRARY_FOLDER})
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

# lbsp_package(COMPONENT NAME SECTION DEPENDS SUMMARY TEXT)
function(lbsp_package component name section depends summary text)
  string(TOUPPER ${component} variable)
  set(CPACK_DEBIAN_${variable}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${variable}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${variable}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${variable}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  install(FILES ${PROJECT_BINARY_DIR}/changelog.Debian.gz tools/packaging/debian/copyright
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name} COMPONENT ${component})
  install(FILES tools/packaging/debian/lintian-overrides RENAME ${name}
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides COMPONENT ${component})
endfunction()
set(own ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(what "lbsp runs bulk-synchronous programs across ordinary hosts, over UDP with\nacknowledgements and planned redundancy, at the speed that a network allows\nalthough it loses packets.")
lbsp_package(commands lbsp net "" "bulk-synchronous programs across hosts whose network loses packets"
  "${what}\nThis package has the command lbsp and its ready programs.")
lbsp_package(library liblbsp${LBSP_ABI} libs "" "bulk-synchronous programs over lossy networks: shared libraries"
  "${what}\nThis package has the libraries that programs are linked with.")
lbsp_package(development liblbsp-dev libdevel "liblbsp${LBSP_ABI} (= ${own}), libboost-dev, libfftw3-dev, libfmt-dev, libisal-dev, libopenblas-dev, libsodium-dev"
  "bulk-synchronous programs over lossy networks: development files"
  "${what}\nThis package has headers, archives, bsp.h and the compilers' wrappers.")
lbsp_package(mpi lbsp-mpi net "lbsp (= ${own}), openmpi-bin" "bulk-synchronous programs over lossy networks: MPI backend"
  "${what}\nThis package has what lbsp run --backend mpi loads.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
# What dpkg tells the linker's cache and those who build against the libraries.
set(control ${PROJECT_BINARY_DIR}/debian)
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
foreach(library lbsp lbsp_algorithms lbsp_model)
  string(APPEND shlibs "lib${library} ${LBSP_ABI} liblbsp${LBSP_ABI} (>= ${PROJECT_VERSION})\n")
endforeach()
file(WRITE ${control}/shlibs ${shlibs})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${control}/triggers ${control}/shlibs)
set(CPACK_DEBIAN_COMMANDS_PACKAGE_SUGGESTS "lbsp-mpi, openssh-client, gnuplot-nox")

execute_process(COMMAND gzip -9nc INPUT_FILE ${PROJECT_SOURCE_DIR}/tools/packaging/debian/changelog
  OUTPUT_FILE ${PROJECT_BINARY_DIR}/changelog.Debian.gz)
include(CPack)
