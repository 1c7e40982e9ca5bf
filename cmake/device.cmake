# Code for devices, src/backend/cuda: compiled by nvcc for GPUs (PERCALE_CUDA), and, for tests, by the C++ compiler for the
# CPU ("device on the host"). Both are optional, and neither changes what the other parts are compiled with. Gives
#   device_objects, device_libraries   what the libraries are made of besides C
#   PRC_HAVE_CUDA, PRC_HAVE_DEVICE_ON_HOST   definitions for all targets
# The CUDA runtime is linked statically and looks for the driver when it is first used: a library with CUDA loads and runs
# on machines without it.
# SPDX-License-Identifier: Apache-2.0
include(CheckLanguage)

set(device_objects)
set(device_libraries)
set(device_libraries_private)
if(PRC_FUZZ)
    return()
endif()

# Sources that are compiled once per precision; the others see double alone.
set(device_sources_of_precision stages.cu)

# Makes `target` of the sources given, in every precision where need be, and appends its objects to device_objects.
# No exceptions or type information: the C++ library is not needed then.
macro(prc_device_library target)
    set(common ${ARGN})
    foreach(real_float 0 1)
        set(sources ${ARGN})
        foreach(name IN LISTS device_sources_of_precision)
            list(FILTER common EXCLUDE REGEX "/${name}$")
        endforeach()
        list(REMOVE_ITEM sources ${common})
        if(sources)
            add_library(${target}_${real_float} OBJECT ${sources})
            target_compile_definitions(${target}_${real_float} PRIVATE PRC_REAL_FLOAT=${real_float})
            list(APPEND device_targets ${target}_${real_float})
        endif()
    endforeach()
    add_library(${target} OBJECT ${common})
    list(APPEND device_targets ${target})
    foreach(part IN LISTS device_targets)
        target_link_libraries(${part} PRIVATE percale_flags)
        # Said, not left to the compiler: clang's default may be older than what CUB takes.
        set_target_properties(${part} PROPERTIES CXX_STANDARD 17 CUDA_STANDARD 17)
        target_compile_options(${part} PRIVATE
            "$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>"
            "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-exceptions,-fno-rtti,-fno-threadsafe-statics>")
        list(APPEND device_objects $<TARGET_OBJECTS:${part}>)
    endforeach()
    set(device_targets)
endmacro()

# ---- GPUs ----

file(GLOB device_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/backend/cuda/*.cu)
if(PERCALE_CUDA AND NOT PRC_SANITIZE AND NOT PRC_COVERAGE)
    check_language(CUDA)
    # Machine code for compute capability 8.0 (and 8.x) and 9.0, and portable code for what comes after.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;90-virtual")
    endif()
endif()
# A build folder that had CUDA before still knows its compiler: the option decides.
if(PERCALE_CUDA AND NOT PRC_SANITIZE AND NOT PRC_COVERAGE AND CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    prc_device_library(percale_cuda ${device_sources})
    target_compile_definitions(percale_flags INTERFACE PRC_HAVE_CUDA)
    # By path: who links the installed static library need not look for CUDA. CUB's headers want the C++ library.
    get_target_property(cudart_static CUDA::cudart_static IMPORTED_LOCATION)
    set(device_libraries ${cudart_static} ${CMAKE_DL_LIBS} rt pthread stdc++)
    set(device_libraries_private "${cudart_static} -ldl -lrt -lpthread -lstdc++")
    message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION}: GPUs of ${CMAKE_CUDA_ARCHITECTURES}")
elseif(PERCALE_CUDA AND NOT PRC_SANITIZE AND NOT PRC_COVERAGE)
    message(STATUS "nvcc not found: simulations run on the CPU alone")
endif()

# ---- the device on the host ----

if(PRC_TESTS)
    check_language(CXX)
endif()
if(PRC_TESTS AND CMAKE_CXX_COMPILER)
    enable_language(CXX)
    target_compile_definitions(percale_flags INTERFACE PRC_HAVE_DEVICE_ON_HOST)
    add_subdirectory(cmake/device_on_host)
elseif(PRC_TESTS)
    message(STATUS "no C++ compiler: code for devices is not tested")
endif()
