# What users link, made of the layers: liblbsp with the interface and bsp.h, liblbsp_model, liblbsp_algorithms, each as
# an archive and, where LBSP_SHARED says so, as a shared library that shows its public symbols alone.
set(LBSP_LIBRARY_FOLDER ${CMAKE_BINARY_DIR}/library) # the layers' own archives are elsewhere, some of the same name
set(LBSP_ABI 1) # the number in the sonames: one more in a release whose users must link their programs anew

# lbsp_library(NAME FILE LAYERS <layers…> [ON <libraries of lbsp's…>] [NEEDS <other libraries…>])
function(lbsp_library name file)
  cmake_parse_arguments(arg "" "" "LAYERS;ON;NEEDS" ${ARGN})
  list(TRANSFORM arg_LAYERS REPLACE "(.+)" "$<TARGET_OBJECTS:lbsp_\\1>" OUTPUT_VARIABLE objects)
  set(kinds STATIC)
  if(LBSP_SHARED)
    list(APPEND kinds SHARED)
  endif()
  foreach(kind ${kinds})
    string(TOLOWER ${kind} suffix)
    set(library lbsp_${name}_${suffix})
    # Of an archive, a program takes what speaks for the calls of another library's bsp.h only if it makes them.
    add_library(${library} ${kind} $<IF:$<STREQUAL:${kind},STATIC>,${objects},$<FILTER:${objects},EXCLUDE,/foreign_header>>)
    set_target_properties(${library} PROPERTIES
      ARCHIVE_OUTPUT_DIRECTORY ${LBSP_LIBRARY_FOLDER} LIBRARY_OUTPUT_DIRECTORY ${LBSP_LIBRARY_FOLDER}
      OUTPUT_NAME ${file} EXPORT_NAME ${name}_${suffix} LINKER_LANGUAGE CXX VERSION ${LBSP_ABI} SOVERSION ${LBSP_ABI})
    target_compile_features(${library} INTERFACE cxx_std_20)
    # Installed headers name their layer, "lbsp/coarray.hpp", and are in a folder of lbsp's own; bsp.h is beside it.
    target_include_directories(${library} INTERFACE
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/lbsp>)
    list(TRANSFORM arg_ON REPLACE "(.+)" "lbsp_\\1_${suffix}" OUTPUT_VARIABLE below)
    target_link_libraries(${library} PUBLIC ${below} PRIVATE ${arg_NEEDS})
    if(kind STREQUAL SHARED)
      set(symbols ${PROJECT_SOURCE_DIR}/cmake/public_symbols.map)
      target_link_options(${library} PRIVATE -Wl,--version-script=${symbols} -Wl,--no-undefined -Wl,--as-needed)
      set_target_properties(${library} PROPERTIES LINK_DEPENDS ${symbols})
      if(NOT CMAKE_INSTALL_PREFIX STREQUAL /usr)
        # One finds the other beside it, where the system would not look.
        set_target_properties(${library} PROPERTIES INSTALL_RPATH $ORIGIN)
      endif()
    endif()
  endforeach()
endfunction()

lbsp_library(model lbsp_model LAYERS superstep_model model)
lbsp_library(lbsp lbsp LAYERS datagram_path transport plan runtime job bsplib ON model
  NEEDS PkgConfig::isal PkgConfig::sodium fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
if(LBSP_ALGORITHMS)
  lbsp_library(algorithms lbsp_algorithms LAYERS algorithms ON lbsp
    NEEDS PkgConfig::fftw PkgConfig::openblas fmt::fmt)
endif()
