# cmake --build build --target site: docs/ and the reference of the installed headers as a static site, in build/site.
# It takes Doxygen (tools/install_dependencies.sh --site); where there is none, the target says so.
find_program(LBSP_DOXYGEN doxygen)
find_package(Python3 COMPONENTS Interpreter)
set(site_folder ${PROJECT_BINARY_DIR}/site)
if(NOT LBSP_DOXYGEN OR NOT Python3_FOUND)
  add_custom_target(site
    COMMAND ${CMAKE_COMMAND} -E echo "lbsp: the site takes doxygen and python3: tools/install_dependencies.sh --site, then configure again"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  return()
endif()

# It starts for every page: not by way of what only looks for a Python, such as pyenv's.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
  OUTPUT_VARIABLE site_python OUTPUT_STRIP_TRAILING_WHITESPACE)
file(GLOB_RECURSE site_pages CONFIGURE_DEPENDS docs/*.md)
list(TRANSFORM public_headers PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE site_headers)
set(site_sources ${PROJECT_SOURCE_DIR}/README.md ${site_pages} ${site_headers})
list(TRANSFORM site_sources REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE site_input)
list(JOIN site_input " " site_input)
# Doxygen's own look is kept where Debian's package of another one is missing.
find_path(LBSP_DOXYGEN_STYLE doxygen-awesome.css PATHS /usr/share/doxygen-awesome-css)
if(LBSP_DOXYGEN_STYLE)
  set(site_style ${LBSP_DOXYGEN_STYLE}/doxygen-awesome.css ${LBSP_DOXYGEN_STYLE}/doxygen-awesome-sidebar-only.css
    ${PROJECT_SOURCE_DIR}/tools/site/site.css)
  list(JOIN site_style " " site_style)
endif()
configure_file(tools/site/Doxyfile.in ${PROJECT_BINARY_DIR}/site.doxyfile @ONLY)
add_custom_target(site
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${site_folder}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${site_folder}
  COMMAND ${LBSP_DOXYGEN} ${PROJECT_BINARY_DIR}/site.doxyfile
  COMMAND ${CMAKE_COMMAND} -E echo "${site_folder}/index.html"
  COMMENT "Making the site" VERBATIM)
