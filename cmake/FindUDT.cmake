# UDT::UDT, the UDP-based Data Transfer library: Debian's libudt-dev has no description of its own. The
# static library, and its names hidden: libsrt has functions of the same names and calls them, so that in a
# program with both shared libraries one would answer for the other.
find_path(UDT_INCLUDE_DIR udt/udt.h)
find_library(UDT_LIBRARY libudt.a)
mark_as_advanced(UDT_INCLUDE_DIR UDT_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(UDT REQUIRED_VARS UDT_LIBRARY UDT_INCLUDE_DIR)
if(UDT_FOUND AND NOT TARGET UDT::UDT)
  add_library(UDT::UDT STATIC IMPORTED)
  set_target_properties(UDT::UDT PROPERTIES
    IMPORTED_LOCATION ${UDT_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${UDT_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES Threads::Threads
    INTERFACE_LINK_OPTIONS LINKER:--exclude-libs,libudt.a)
endif()
