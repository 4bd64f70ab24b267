# The library alone: vcpkg's ports are for linking.
vcpkg_download_distfile(archive URLS SOURCE_URL FILENAME lbsp-${VERSION}.tar.gz SHA512 SOURCE_SHA512)
vcpkg_extract_source_archive(source ARCHIVE ${archive})
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" dynamic shared)
vcpkg_cmake_configure(SOURCE_PATH ${source}
  OPTIONS -DLBSP_TOOLS=OFF -DLBSP_TESTS=OFF -DLBSP_BENCHMARKS=OFF -DLBSP_MPI=OFF -DLBSP_SHARED=${shared})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/lbsp)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
