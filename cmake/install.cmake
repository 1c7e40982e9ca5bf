# cmake --install: headers, both libraries, the program, pkg-config and CMake package files.
# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

install(DIRECTORY include/percale DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS percale percale_static EXPORT percale
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET percale_program)
    install(TARGETS percale_program DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/percale)
install(EXPORT percale NAMESPACE percale:: FILE percaleTargets.cmake DESTINATION ${package})
configure_package_config_file(cmake/percaleConfig.cmake.in ${PROJECT_BINARY_DIR}/percaleConfig.cmake
    INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/percaleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/percaleConfig.cmake ${PROJECT_BINARY_DIR}/percaleConfigVersion.cmake
    DESTINATION ${package})

# The .pc file finds its prefix from where it lies, so an install can be moved.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/percale.pc.in ${PROJECT_BINARY_DIR}/percale.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/percale.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
