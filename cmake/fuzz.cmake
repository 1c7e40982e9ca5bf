# The fuzz targets (test/fuzz), with clang's libFuzzer; tools/fuzz.sh runs them. Their library is one thread and the
# plain kernels only: quick to build, few libraries to carry to another machine.
# SPDX-License-Identifier: Apache-2.0

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    if(name MATCHES "^fuzz_(scene|set|expression|png)" AND NOT TARGET percale_scene)
        continue()
    endif()
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE percale_flags $<TARGET_NAME_IF_EXISTS:percale_scene> percale_static m)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer -static-libstdc++ -static-libgcc)
    # Libraries that lie beside a target are taken first: tools/fuzz.sh --pack puts them there.
    set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN")
endforeach()
