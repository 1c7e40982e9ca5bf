# The window of `percale view` (app/view), a part of the program. Optional: needs GLFW 3.3 and what pictures need
# (cmake/draw.cmake). Without it the verb says so.
# SPDX-License-Identifier: Apache-2.0
option(PRC_VIEW "The window of percale view; without it the program runs where there is no X11" ON)
if(PkgConfig_FOUND AND PRC_VIEW)
    pkg_check_modules(GLFW IMPORTED_TARGET glfw3>=3.3)
endif()
if(PRC_VIEW AND GLFW_FOUND AND TARGET percale_draw)
    set(view_sources app/view/*.c)
    set(view_libraries PkgConfig::GLFW PkgConfig::EPOXY)
    set(view_definitions PRC_HAVE_VIEW)
elseif(NOT GLFW_FOUND)
    message(STATUS "glfw3 not found: percale view will say so")
endif()
