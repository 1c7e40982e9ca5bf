# Tests, evidence and examples. tools/test.sh runs them all; ctest runs the test programs and the examples.
# SPDX-License-Identifier: Apache-2.0

# What tests may link: everything, the scene reader where there is one.
add_library(percale_testing INTERFACE)
target_include_directories(percale_testing INTERFACE ${PROJECT_SOURCE_DIR}/test)
target_compile_definitions(percale_testing INTERFACE
    PRC_TEST_SOURCE="${PROJECT_SOURCE_DIR}" PRC_TEST_PROGRAM="${PROJECT_BINARY_DIR}/bin/percale")
target_link_libraries(percale_testing INTERFACE
    percale_flags $<TARGET_NAME_IF_EXISTS:percale_scene> percale_static OpenMP::OpenMP_C m)

set(output_parts output.c frames.c writer.c shapes.c colliders.c quantity.c)
file(GLOB test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/test_*.c)
foreach(source IN LISTS test_sources)
    get_filename_component(name ${source} NAME_WE)
    # These two need YAML.
    if(name MATCHES "^test_(scene|cli|seeds)" AND NOT TARGET percale_scene)
        continue()
    endif()
    if(name STREQUAL "test_draw" AND NOT TARGET percale_draw)
        continue()
    endif()
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    target_link_libraries(${name} PRIVATE percale_testing)
    if(TARGET percale_program)
        add_dependencies(${name} percale_program)
    endif()
    # Parts of the program that other tests reach through its command line only.
    if(name STREQUAL "test_output")
        list(TRANSFORM output_parts PREPEND ${PROJECT_SOURCE_DIR}/app/cli/)
        target_sources(${name} PRIVATE ${output_parts})
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/app/cli)
        target_link_libraries(${name} PRIVATE Threads::Threads)
    endif()
    if(name STREQUAL "test_draw")
        target_link_libraries(${name} PRIVATE percale_draw)
    endif()
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()

# Code for devices on a GPU; the same tests on the host are in cmake/device_on_host.
if(TARGET percale_cuda)
    file(GLOB device_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/test_device*.cu)
    foreach(source IN LISTS device_tests)
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name}_cuda ${source})
        set_target_properties(${name}_cuda PROPERTIES
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test LINKER_LANGUAGE C)
        target_link_libraries(${name}_cuda PRIVATE percale_testing)
        add_test(NAME ${name}_cuda COMMAND ${name}_cuda)
    endforeach()
    target_sources(test_gpu_errors PRIVATE ${PROJECT_SOURCE_DIR}/test/gpu_faults.cu)
endif()

# The fuzz targets as plain functions, which test_seeds.c feeds with their seeds: fuzz_x.c has LLVMFuzzerTestOneInput as
# fuzz_x.
if(TARGET test_seeds)
    file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/fuzz/fuzz_*.c)
    foreach(source IN LISTS fuzz_sources)
        get_filename_component(name ${source} NAME_WE)
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${name})
    endforeach()
    target_sources(test_seeds PRIVATE ${fuzz_sources})
endif()

# Random scenes; tools/torture.sh runs it.
if(TARGET percale_scene)
    file(GLOB torture_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/torture/*.c)
    add_executable(torture ${torture_sources})
    target_include_directories(torture PRIVATE ${PROJECT_SOURCE_DIR}/test/torture)
    target_link_libraries(torture PRIVATE percale_testing)
endif()

# Prints a hash of the state after short runs; tools/test.sh compares compilers and thread counts with it.
if(EXISTS ${PROJECT_SOURCE_DIR}/test/hash_run.c)
    add_executable(hash_run ${PROJECT_SOURCE_DIR}/test/hash_run.c)
    set_target_properties(hash_run PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    target_link_libraries(hash_run PRIVATE percale_testing)
endif()

file(GLOB evidence_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/evidence/*.c)
if(evidence_sources)
    add_executable(evidence ${evidence_sources})
    target_include_directories(evidence PRIVATE ${PROJECT_SOURCE_DIR}/test/evidence)
    target_link_libraries(evidence PRIVATE percale_testing)
endif()

# Examples see the public headers only, as a user's program does.
file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/[0-9]*.c)
foreach(source IN LISTS example_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    set_target_properties(example_${name} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_compile_options(example_${name} PRIVATE -std=c17 -Wall -Wextra -Wpedantic
        $<$<BOOL:${PRC_WERROR}>:-Werror>)
    target_link_options(example_${name} PRIVATE $<$<BOOL:${PRC_COVERAGE}>:--coverage>)
    if(PRC_SANITIZE) # a list with commas, which a generator expression would take apart
        target_compile_options(example_${name} PRIVATE -fsanitize=${PRC_SANITIZE})
        target_link_options(example_${name} PRIVATE -fsanitize=${PRC_SANITIZE})
    endif()
    target_link_libraries(example_${name} PRIVATE percale_static m)
    add_test(NAME example_${name} COMMAND example_${name})
endforeach()

# The test programs alone: `cmake --build build --target tests`.
get_property(programs DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER programs INCLUDE REGEX "^(test_|hash_run$)")
add_custom_target(tests DEPENDS ${programs} ${device_on_host_tests})
