/* app/draw/context.c — an OpenGL context without a display: EGL on a device that it chooses, without a surface.
 *
 * Tried in this order: Mesa's surfaceless platform, which always finds a software renderer; the devices that EGL lists
 * (GPUs whose drivers lack that platform); the default display. libepoxy loads EGL and GL at run time, so everything
 * else works on a machine without them. SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "draw.h"

#define DEVICES 16

struct prc_draw_context {
    EGLDisplay display;
    EGLContext context;
};

static const char hint[] = "on Debian: apt-get install libegl1 libgl1-mesa-dri";

/* libepoxy ends the program where a library is missing; so it is looked for first. */
static bool is_installed(const char *library)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

static bool make_context(prc_draw_context *c)
{
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint count = 0, major, minor;
    if (c->display == EGL_NO_DISPLAY || !eglInitialize(c->display, &major, &minor))
        return false;
    if (!eglChooseConfig(c->display, wanted, &config, 1, &count) || count < 1)
        config = EGL_NO_CONFIG_KHR; /* where there is no configuration for surfaces, none is needed either */
    if (eglBindAPI(EGL_OPENGL_API)) {
        c->context = eglCreateContext(c->display, config, EGL_NO_CONTEXT, version);
        if (c->context != EGL_NO_CONTEXT && eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, c->context))
            return true;
        if (c->context != EGL_NO_CONTEXT)
            eglDestroyContext(c->display, c->context);
    }
    c->context = EGL_NO_CONTEXT;
    eglTerminate(c->display);
    return false;
}

static bool try_devices(prc_draw_context *c)
{
    EGLDeviceEXT devices[DEVICES];
    EGLint count = 0;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration") ||
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") ||
        !eglQueryDevicesEXT(DEVICES, devices, &count))
        return false;
    for (EGLint k = 0; k < count; k++) {
        c->display = eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[k], NULL);
        if (make_context(c))
            return true;
    }
    return false;
}

static bool try_all(prc_draw_context *c)
{
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        c->display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
        if (make_context(c))
            return true;
    }
    if (try_devices(c))
        return true;
    c->display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return make_context(c);
}

prc_draw_context *prc_draw_context_create(prc_error *error)
{
    if (!is_installed("libEGL.so.1")) {
        prc_fail(error, PRC_ERROR_DEVICE, "pictures need EGL, and libEGL.so.1 is not installed; %s", hint);
        return NULL;
    }
    prc_draw_context *c = PRC_NEW(prc_draw_context, 1);
    if (!c) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    if (try_all(c))
        return c;
    prc_free(c);
    prc_fail(error, PRC_ERROR_DEVICE, "no driver supports OpenGL 3.3 without a display; %s (a software renderer)",
             hint);
    return NULL;
}

void prc_draw_context_destroy(prc_draw_context *c)
{
    if (!c)
        return;
    eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(c->display, c->context);
    eglTerminate(c->display);
    prc_free(c);
}
