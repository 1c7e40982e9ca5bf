# Man pages, from the help texts of the program (tools/man.sh); installed with it. Without awk there are none.
# SPDX-License-Identifier: Apache-2.0
find_program(PRC_AWK awk)
if(TARGET percale_program AND PRC_AWK AND NOT CMAKE_CROSSCOMPILING)
    set(man_pages ${PROJECT_BINARY_DIR}/man/man1)
    add_custom_command(OUTPUT ${man_pages}/percale.1
        COMMAND ${PROJECT_SOURCE_DIR}/tools/man.sh $<TARGET_FILE:percale_program> ${man_pages}
        DEPENDS percale_program ${PROJECT_SOURCE_DIR}/tools/man.sh
        COMMENT "Man pages" VERBATIM)
    add_custom_target(percale_man ALL DEPENDS ${man_pages}/percale.1)
    add_dependencies(installed percale_man)
    install(DIRECTORY ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL FILES_MATCHING PATTERN "*.1")
endif()
