# The shared library shows the functions that include/percale declares, and nothing else. The list is read from the
# headers: a function is public because it is declared there, and there is no second list to forget. A library for one
# caller (Python) may show those of further headers.
# SPDX-License-Identifier: Apache-2.0

function(prc_export_public_functions library) # further headers
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/percale/*.h)
    list(APPEND headers ${ARGN})
    set(names)
    foreach(header IN LISTS headers)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
        file(READ ${header} text)
        string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
        string(REGEX MATCHALL "prc_[a-z0-9_]+\\(" calls "${text}")
        list(APPEND names ${calls})
    endforeach()
    list(REMOVE_DUPLICATES names)
    list(SORT names)
    string(REPLACE "(" ";\n    " body "${names}")
    string(REPLACE "    ;" "    " body "${body}")
    set(map ${PROJECT_BINARY_DIR}/${library}.map)
    file(CONFIGURE OUTPUT ${map} CONTENT "{\nglobal:\n    ${body}\nlocal:\n    *;\n};\n" @ONLY)
    set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${map})
    target_link_options(${library} PRIVATE -Wl,--version-script=${map} -Wl,-Bsymbolic-functions)
endfunction()
