# UDT::UDT, the UDP-based Data Transfer library: Debian's libudt-dev has no description of its own.
find_path(UDT_INCLUDE_DIR udt/udt.h)
find_library(UDT_LIBRARY udt)
mark_as_advanced(UDT_INCLUDE_DIR UDT_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(UDT REQUIRED_VARS UDT_LIBRARY UDT_INCLUDE_DIR)
if(UDT_FOUND AND NOT TARGET UDT::UDT)
  add_library(UDT::UDT UNKNOWN IMPORTED)
  set_target_properties(UDT::UDT PROPERTIES
    IMPORTED_LOCATION ${UDT_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${UDT_INCLUDE_DIR})
endif()
