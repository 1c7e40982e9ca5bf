# What is installed is built first where it is not: `make demo`, for instance, builds the program alone. Rules of an
# installation run in the order of the files that have them, so this one comes before all others.
# SPDX-License-Identifier: Apache-2.0
set(installed_targets percale percale_static)
if(TARGET percale_program)
    list(APPEND installed_targets percale_program)
endif()
add_custom_target(installed DEPENDS ${installed_targets}) # and the man pages: cmake/man.cmake
list(TRANSFORM installed_targets REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE installed_files)
install(CODE "
    foreach(file IN ITEMS ${installed_files})
        if(NOT EXISTS \"\${file}\")
            message(STATUS \"Building: \${file} is not there yet\")
            execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target installed
                COMMAND_ERROR_IS_FATAL ANY)
        endif()
    endforeach()")
