# The Python package's part in C: one shared library with the public functions and the scene reader, and the program.
# pyproject.toml drives this; `pip install .` is the way to use it.
#
# Python calls the library through cffi without compiled code of its own, so one wheel serves every Python 3. What has to
# agree with C is made here from C: the declarations from the headers, the types of keywords from the schema.
# SPDX-License-Identifier: Apache-2.0
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(NOT TARGET percale_scene)
    message(FATAL_ERROR "The Python package reads scenes, which needs pkg-config and libfyaml "
        "(Debian: apt-get install pkg-config libfyaml-dev)")
endif()

# Besides the public interface: what python/generate/binding.h includes of src.
set(python_headers scene/scene.h check/check.h io/clip.h)
list(TRANSFORM python_headers PREPEND ${PROJECT_SOURCE_DIR}/src/)

add_library(percale_python SHARED ${core_objects} $<TARGET_OBJECTS:percale_scene>)
target_link_libraries(percale_python PRIVATE percale_flags OpenMP::OpenMP_C PkgConfig::FYAML m ${device_libraries})
if(PNG_FOUND)
    target_link_libraries(percale_python PRIVATE PkgConfig::PNG)
endif()
set_target_properties(percale_python PROPERTIES LINKER_LANGUAGE C)
prc_export_public_functions(percale_python ${python_headers})

set(made ${PROJECT_BINARY_DIR}/python)
set(maker ${PROJECT_SOURCE_DIR}/python/generate)
file(MAKE_DIRECTORY ${made}) # whichever command comes first
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/percale/*.h)
add_custom_command(OUTPUT ${made}/_binding.py ${made}/_report.py
    COMMAND ${Python3_EXECUTABLE} ${maker}/make_binding.py ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR} ${made}
    DEPENDS ${maker}/make_binding.py ${maker}/binding.h ${public_headers} ${python_headers}
        ${PROJECT_SOURCE_DIR}/src/step/report.inl VERBATIM)
add_custom_command(OUTPUT ${made}/keys.py
    COMMAND percale_program schema --json-schema >${made}/schema.json
    COMMAND ${Python3_EXECUTABLE} ${maker}/make_keys.py ${made}/schema.json ${made}/keys.py
    DEPENDS ${maker}/make_keys.py percale_program)
add_custom_target(percale_python_package DEPENDS percale_python percale_program
    ${made}/_binding.py ${made}/_report.py ${made}/keys.py)

install(TARGETS percale_python DESTINATION percale COMPONENT python)
install(FILES ${made}/_binding.py ${made}/_report.py ${made}/keys.py DESTINATION percale COMPONENT python)
# The program itself, not a script that starts Python first.
if(SKBUILD_SCRIPTS_DIR)
    install(TARGETS percale_program DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
endif()
