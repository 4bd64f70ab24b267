# The language, the warnings and the sanitizers, the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(LBSP_SANITIZE "" CACHE STRING "sanitizers to build with, as -fsanitize= takes them: address,undefined or thread")

find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED ENV{CCACHE_DISABLE})
  set(with_ccache ON)
endif()
option(LBSP_CCACHE "compile with ccache" ${with_ccache})
if(LBSP_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# Who builds lbsp as a part of another project looks for no mistakes in it, and may have a compiler whose warnings are not
# known here.
add_library(lbsp_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(lbsp_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
endif()

# g++ spends a twentieth of its time on looking for memory that it could use again.
if(NOT LBSP_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(--param=ggc-min-heapsize=1000000)
endif()

# Every file is included by its path from the top, so that an include line names its layer.
include_directories(${PROJECT_SOURCE_DIR})

if(LBSP_SANITIZE)
  add_compile_options(-fsanitize=${LBSP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # What a sanitizer adds to the code keeps g++ 12 from seeing that an optional's value is read only if there is one.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${LBSP_SANITIZE})
endif()

# lbsp_for_shared_libraries(TARGET): what it compiles may become part of one, and calls between functions of ours stay
# direct, and inlined. Headers that are compiled once need the same.
function(lbsp_for_shared_libraries target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
endfunction()

# The headers that most files read, compiled once. A compiler cache saves that time already, and would not know its files
# again.
if(NOT LBSP_CCACHE)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
  add_library(lbsp_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/headers.cpp)
  target_link_libraries(lbsp_headers PRIVATE lbsp_warnings fmt::fmt)
  lbsp_for_shared_libraries(lbsp_headers)
  target_precompile_headers(lbsp_headers PRIVATE
    <algorithm> <chrono> <functional> <memory> <optional> <span> <string> <vector> <fmt/format.h> <nlohmann/json.hpp>)
endif()

# Most of the time that a source takes to compile is headers. Eight compiled as one take less than half of it, 24 a sixth
# less again, but that much again after each change: so no two of a target may give one name to different things of their
# own.
if(LBSP_TOOLS)
  set(lbsp_together 8)
else()
  set(lbsp_together 24)
endif()
set(LBSP_FILES_TOGETHER ${lbsp_together} CACHE STRING "how many source files of a library are compiled as one")

# lbsp_compile_together(TARGET FILES): a local name may then hide one of another file.
function(lbsp_compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files}
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
endfunction()

# lbsp_layer(NAME SOURCES... ) makes the static library lbsp_NAME with the project's warnings.
function(lbsp_layer name)
  add_library(lbsp_${name} STATIC ${ARGN})
  target_include_directories(lbsp_${name} PUBLIC ${lbsp_SOURCE_DIR})
  target_compile_features(lbsp_${name} PUBLIC cxx_std_20)
  target_link_libraries(lbsp_${name} PRIVATE lbsp_warnings)
  lbsp_for_shared_libraries(lbsp_${name})
  if(LBSP_FILES_TOGETHER GREATER 1)
    lbsp_compile_together(lbsp_${name} ${LBSP_FILES_TOGETHER})
  endif()
  if(NOT LBSP_TOOLS)
    # What is built is what libraries or another project link.
    set_target_properties(lbsp_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(TARGET lbsp_headers)
    target_precompile_headers(lbsp_${name} REUSE_FROM lbsp_headers)
    target_link_libraries(lbsp_${name} PRIVATE fmt::fmt)
    # g++ 12 then warns falsely of strings that are added up.
    target_compile_options(lbsp_${name} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>)
  endif()
endfunction()
