# The window of `percale view` (app/view). Optional: needs GLFW 3.3 and what pictures need (cmake/draw.cmake).
# SPDX-License-Identifier: Apache-2.0
if(PkgConfig_FOUND)
    pkg_check_modules(GLFW IMPORTED_TARGET glfw3>=3.3)
endif()
if(GLFW_FOUND AND TARGET percale_draw)
    file(GLOB view_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/view/*.c)
    add_library(percale_view STATIC ${view_sources})
    target_compile_definitions(percale_view PUBLIC PRC_HAVE_VIEW)
    target_include_directories(percale_view PUBLIC ${PROJECT_SOURCE_DIR}/app/view PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(percale_view PUBLIC percale_draw percale_static
        PRIVATE percale_flags PkgConfig::GLFW PkgConfig::EPOXY Threads::Threads m)
elseif(NOT GLFW_FOUND)
    message(STATUS "glfw3 not found: percale view will say so")
endif()
