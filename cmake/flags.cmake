# Compiler flags of every target of the project, as the interface library percale_flags.
# SPDX-License-Identifier: Apache-2.0

set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-Og -g3")
# C++ is for code of devices alone (cmake/device.cmake).
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(CMAKE_CXX_FLAGS_${build_type} "${CMAKE_C_FLAGS_${build_type}}")
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(percale_flags INTERFACE)
target_include_directories(percale_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
set(c $<COMPILE_LANGUAGE:C>)
set(cxx $<COMPILE_LANGUAGE:CXX>)
set(c_cxx $<COMPILE_LANGUAGE:C,CXX>)
set(cuda $<COMPILE_LANGUAGE:CUDA>)
target_compile_options(percale_flags INTERFACE
    "$<${c}:-std=c17;-Wstrict-prototypes;-Wmissing-prototypes>" "$<${cxx}:-std=c++17>"
    "$<${c_cxx}:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wno-psabi>"
    "$<${cuda}:-std=c++17;--extended-lambda;-Xcompiler=-Wall,-Wextra>")

# Arithmetic. The same scene must give the same bits with gcc and clang, SSE2, AVX2 and AVX-512, so nothing may reorder
# or fuse floating-point operations: no -ffast-math, and -ffp-contract=off because a fused multiply-add rounds once where
# the baseline rounds twice. The two -fno flags change no result; they let sqrt and selects become vector instructions.
target_compile_options(percale_flags INTERFACE "$<${c_cxx}:-fno-math-errno;-fno-trapping-math;-ffp-contract=off>"
    "$<${cuda}:-fmad=false;-Xcompiler=-ffp-contract=off>")

# POSIX for clocks and file status; everything else is C17.
target_compile_definitions(percale_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(percale_flags INTERFACE "$<${c}:${OpenMP_C_FLAGS}>")

# Objects go into the static and the shared library alike.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(PRC_WERROR)
    target_compile_options(percale_flags INTERFACE "$<${c_cxx}:-Werror>" "$<${cuda}:-Werror=all-warnings>")
endif()
if(PRC_SANITIZE)
    target_compile_options(percale_flags INTERFACE -fsanitize=${PRC_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(percale_flags INTERFACE -fsanitize=${PRC_SANITIZE})
    if(PRC_SANITIZE MATCHES "undefined")
        target_compile_options(percale_flags INTERFACE -fno-sanitize-recover=undefined)
    endif()
endif()
if(PRC_FUZZ)
    # Without OpenMP its pragmas are unknown, and what only they use is unused.
    target_compile_options(percale_flags INTERFACE -fsanitize=fuzzer-no-link,float-cast-overflow -Wno-unknown-pragmas
        -Wno-unused-parameter -Wno-unused-variable)
    target_include_directories(percale_flags INTERFACE ${PROJECT_SOURCE_DIR}/test/fuzz/serial)
endif()
if(PRC_COVERAGE)
    # Threads share the counters, and may lose counts; that a line was reached is not lost. Atomic updates would make tests
    # ten times slower.
    target_compile_options(percale_flags INTERFACE --coverage -fprofile-update=single)
    target_link_options(percale_flags INTERFACE --coverage)
endif()
