/* app/draw/shaders.c — the GPU programs, and compiling them.
 *
 * Light of one pass: a lamp (warm, one shadow map) and one direction of the sky (cool, another); what comes back from
 * the ground is a constant. Thin cloth also transmits a little light of the lamp. Shadows are read at four places,
 * turned by an amount that differs from pixel to pixel and pass to pass, which hides the borders between passes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "parts.h"

static const char version[] = "#version 330 core\n";

/* ---- light ---- */

/* Each pass has two positions of the lamp and two directions of the sky, side by side in their shadow maps. `lit` turns
 * places into those of the map, which a border without anything surrounds. Written for processors that draw: no powers,
 * no angles, no branches where pixels differ. */
static const char light_text[] =
    "uniform mat4 lamp_lit[2], sky_lit[2];\n"
    "uniform vec3 lamp[2], sky[2], up, eye;\n" /* unit vectors; the eye is a place */
    "uniform vec3 lamp_colour, sky_colour;\n"
    "uniform float sampled;\n" /* the part of the sky that this pass looks for */
    "uniform float shadowed;\n"
    "uniform vec2 texels;\n"  /* of the two maps, m: the places that are looked up are so far above the surface */
    "uniform vec2 spreads;\n" /* within which they are scattered, in parts of the map */
    "uniform sampler2DShadow lamp_map, sky_map;\n"
    "uniform int seed;\n"
    "vec2 scatter(uint more)\n" /* two numbers from −0.5 to 0.5, without a pattern: from pixel, pass and map */
    "{\n"
    "    uvec2 at = uvec2(gl_FragCoord.xy);\n"
    "    uint h = at.x * 1597334677u ^ at.y * 3812015801u ^ (uint(seed) + more) * 2654435769u;\n"
    "    h = (h ^ (h >> 15)) * 2246822519u;\n"
    "    h = h ^ (h >> 13);\n"
    "    return vec2(float(h & 0xffffu), float(h >> 16)) / 65535.0 - 0.5;\n"
    "}\n"
    "float seen(sampler2DShadow map, mat4 lit, vec3 place, vec2 away, float side)\n"
    "{\n"
    "    vec3 q = (lit * vec4(place, 1.0)).xyz;\n"
    "    q.xy = clamp(q.xy + away * vec2(0.5, 1.0), vec2(0.5 * side + 0.0005, 0.001), vec2(0.5 * side + 0.4995, "
    "0.999));\n"
    "    return texture(map, vec3(q.xy, min(q.z, 1.0)));\n"
    "}\n"
    "vec2 lamp_seen(vec3 p, vec3 n)\n"
    "{\n"
    "    vec2 away = spreads.x * scatter(0u);\n"
    "    p += n * texels.x;\n"
    "    vec2 both = vec2(seen(lamp_map, lamp_lit[0], p, away, 0.0), seen(lamp_map, lamp_lit[1], p, away.yx, 1.0));\n"
    "    return mix(vec2(1.0), both, shadowed);\n"
    "}\n"
    "vec2 sky_seen(vec3 p, vec3 n)\n"
    "{\n"
    "    vec2 away = spreads.y * scatter(77u);\n"
    "    p += n * texels.y;\n"
    "    vec2 both = vec2(seen(sky_map, sky_lit[0], p, away, 0.0), seen(sky_map, sky_lit[1], p, away.yx, 1.0));\n"
    "    return mix(vec2(1.0), both, shadowed);\n"
    "}\n"
    "vec3 sky_light(vec3 p, vec3 n)\n"
    "{\n"
    "    vec2 across = max(vec2(dot(n, sky[0]), dot(n, sky[1])), 0.0);\n"
    "    float part = dot(across, sky_seen(p, n)), rise = dot(n, up);\n"
    "    return sky_colour * (mix(0.5 + 0.5 * rise, part, sampled) + 0.30 * (0.5 - 0.5 * rise) + 0.06);\n"
    "}\n"
    /* What is brighter than a screen comes near to white instead of being cut off. */
    "vec3 shoulder(vec3 c) { vec3 over = max(c - 0.75, 0.0); return min(c, 0.75) + 0.25 * over / (over + 0.25); }\n";

/* ---- surfaces ---- */

static const char surface_vertex[] = "layout(location = 0) in vec3 position;\n"
                                     "layout(location = 1) in vec3 normal;\n"
                                     "layout(location = 2) in float value;\n"
                                     "layout(location = 3) in vec3 colour;\n"
                                     "uniform mat4 clip, model;\n"
                                     "out vec3 place, facing, dye;\n"
                                     "out float number;\n"
                                     "void main()\n"
                                     "{\n"
                                     "    vec4 world = model * vec4(position, 1.0);\n"
                                     "    place = world.xyz;\n"
                                     "    facing = mat3(model) * normal;\n"
                                     "    dye = colour;\n"
                                     "    number = value;\n"
                                     "    gl_Position = clip * world;\n"
                                     "}\n";

static const char surface_fragment[] =
    "in vec3 place, facing, dye;\n" /* colours are linear */
    "in float number;\n"
    "out vec4 result;\n"
    "uniform sampler2D maps;\n"
    "uniform vec3 back, background, plane_middle;\n"
    "uniform float map_row, plane_spread;\n"
    "uniform vec2 range;\n"
    "uniform int valued, rigid, has_back, unlit;\n"
    "vec3 paler(vec3 c) { float grey = dot(c, vec3(0.25, 0.6, 0.15)); return mix(mix(vec3(grey), c, 0.6), vec3(0.70), "
    "0.38); }\n"
    "void main()\n"
    "{\n"
    "    if (unlit == 1) { result = vec4(dye, 1.0); return; }\n"
    "    bool front = gl_FrontFacing;\n"
    "    if (plane_spread > 0.0 && !front)\n"
    "        discard;\n"
    "    vec3 to_eye = normalize(eye - place), n = normalize(facing);\n"
    "    n = front ? n : -n;\n"
    /* A smooth normal may turn away from the eye where the triangle does not: bent back it gives no black seams. */
    "    n = normalize(n + max(0.02 - dot(n, to_eye), 0.0) * to_eye);\n"
    "    vec3 albedo = front || rigid == 1 ? dye : has_back == 1 ? back : paler(dye);\n"
    "    if (valued == 1) {\n"
    "        float at = (number - range.x) / (range.y - range.x);\n"
    "        albedo = isnan(at) || isinf(at) ? vec3(0.3) : texture(maps, vec2(at * 0.99609375 + 0.001953125, "
    "map_row)).rgb;\n"
    "    }\n"
    "    vec2 across = vec2(dot(n, lamp[0]), dot(n, lamp[1]));\n"
    "    vec3 side = across.x > 0.0 ? n : -n;\n"
    "    vec2 visible = lamp_seen(place, side);\n"
    "    float lit = 0.5 * dot(max(across, 0.0), visible);\n"
    "    float through = rigid == 1 ? 0.0 : 0.05 * dot(max(-across, 0.0), visible);\n"
    "    vec3 from_sky = sky_light(place, n);\n"
    "    vec3 light = lamp_colour * (lit + through) + from_sky;\n"
    /* Colours that stand for numbers keep nearer to themselves. */
    "    if (valued == 1) light = mix(light, vec3(1.0), 0.28);\n"
    "    float bright = max(dot(n, normalize(lamp[0] + to_eye)), 0.0), edge = 1.0 - max(dot(n, to_eye), 0.0);\n"
    "    bright *= bright; bright *= bright; bright *= bright;\n"
    "    float shine = (rigid == 1 ? 0.05 * bright * bright : 0.035 * bright) * lit;\n"
    "    float sheen = rigid == 1 ? 0.0 : 0.16 * edge * edge * edge;\n"
    "    if (valued == 1) { shine *= 0.3; sheen *= 0.2; }\n"
    "    vec3 colour = albedo * light + shine * lamp_colour +\n"
    "                  sheen * (0.4 * lit * lamp_colour + 0.6 * from_sky) * mix(vec3(1.0), albedo, 0.5);\n"
    "    result = vec4(shoulder(colour), 1.0);\n"
    "    if (plane_spread > 0.0) {\n"
    "        float cover = 1.0 - smoothstep(0.55, 1.0, length(place - plane_middle) / plane_spread);\n"
    "        if (cover < 0.01) discard;\n"
    "        result = vec4(mix(background, result.rgb, cover), 1.0);\n"
    "    }\n"
    "}\n";

static const char shadow_vertex[] = "layout(location = 0) in vec3 position;\n"
                                    "uniform mat4 clip, model;\n"
                                    "void main()\n"
                                    "{\n"
                                    "    gl_Position = clip * model * vec4(position, 1.0);\n"
                                    "}\n";

static const char shadow_fragment[] = "void main() {}\n";

/* ---- the ground: a large square ---- */

static const char ground_vertex[] =
    "uniform mat4 clip;\n"
    "uniform vec3 centre, ground_x, ground_z;\n" /* half of its sides */
    "out vec3 p;\n"
    "out vec2 flat_at;\n" /* from −1 to 1 */
    "void main()\n"
    "{\n"
    "    flat_at = vec2((gl_VertexID & 1) == 1 ? 1.0 : -1.0, (gl_VertexID & 2) == 2 ? 1.0 : -1.0);\n"
    "    p = centre + flat_at.x * ground_x + flat_at.y * ground_z;\n"
    "    gl_Position = clip * vec4(p, 1.0);\n"
    "}\n";

static const char ground_fragment[] =
    "in vec3 p;\n"
    "in vec2 flat_at;\n"
    "out vec4 result;\n"
    "uniform vec3 background;\n"
    "uniform float reach, grid;\n"
    "float lines(vec2 at, float apart)\n"
    "{\n"
    "    vec2 wide = fwidth(at / apart), off = abs(fract(at / apart - 0.5) - 0.5) / max(wide, 1e-6);\n"
    "    return (1.0 - min(min(off.x, off.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(wide.x, wide.y)));\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    float fade = 1.0 - smoothstep(0.5, 1.0, length(flat_at));\n"
    "    vec2 across = max(vec2(dot(up, lamp[0]), dot(up, lamp[1])), 0.05);\n"
    "    vec2 above_sky = max(vec2(dot(up, sky[0]), dot(up, sky[1])), 0.0);\n"
    "    vec3 lamp_part = 0.5 * lamp_colour * (across.x + across.y);\n"
    "    vec3 sky_part = sky_colour * mix(1.0, above_sky.x + above_sky.y, sampled);\n"
    "    vec3 lit = 0.5 * lamp_colour * dot(across, lamp_seen(p, up));\n"
    "    vec3 from_sky = sky_colour * mix(1.0, dot(above_sky, sky_seen(p, up)), sampled);\n"
    "    vec3 part = (lit + from_sky + 0.05) / (lamp_part + sky_part + 0.05);\n"
    "    if (grid > 0.0) {\n"
    "        vec2 at = flat_at * reach;\n"
    "        part *= 1.0 - 0.16 * lines(at, grid) - 0.07 * lines(at, 0.1 * grid);\n"
    "    }\n"
    "    result = vec4(background * mix(vec3(1.0), part, fade), 1.0);\n"
    "}\n";

/* ---- a shadow on the ground, without a map: everything, laid flat ---- */

static const char cast_vertex[] = "layout(location = 0) in vec3 position;\n"
                                  "uniform mat4 clip, model;\n"
                                  "uniform vec3 up, lamp, centre;\n"
                                  "out vec3 p;\n"
                                  "void main()\n"
                                  "{\n"
                                  "    p = (model * vec4(position, 1.0)).xyz;\n"
                                  "    p -= lamp * max(dot(p - centre, up), 0.0) / max(dot(lamp, up), 0.05);\n"
                                  "    gl_Position = clip * vec4(p, 1.0);\n"
                                  "}\n";

static const char cast_fragment[] =
    "in vec3 p;\n"
    "out vec4 result;\n"
    "uniform vec3 background, centre;\n"
    "uniform float reach;\n"
    "void main()\n"
    "{\n"
    "    float fade = 1.0 - smoothstep(0.5, 1.0, length(p - centre) / reach);\n"
    "    result = vec4(background * mix(vec3(1.0), vec3(0.36, 0.38, 0.42), fade), 1.0);\n"
    "}\n";

/* ---- lines as wide as is wanted, and balls ---- */

static const char lines_vertex[] = "layout(location = 0) in vec3 position;\n"
                                   "layout(location = 3) in vec3 colour;\n"
                                   "uniform mat4 clip, model;\n"
                                   "uniform float pull;\n"
                                   "out vec3 dye_in;\n"
                                   "void main()\n"
                                   "{\n"
                                   "    gl_Position = clip * model * vec4(position, 1.0);\n"
                                   "    gl_Position.z -= pull * gl_Position.w;\n"
                                   "    dye_in = colour;\n"
                                   "}\n";

static const char lines_geometry[] =
    "layout(lines) in;\n"
    "layout(triangle_strip, max_vertices = 4) out;\n"
    "in vec3 dye_in[];\n"
    "out vec3 dye;\n"
    "uniform vec2 size;\n"
    "uniform float width;\n"
    "void main()\n"
    "{\n"
    "    vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position;\n"
    "    if (a.w < 1e-4 && b.w < 1e-4) return;\n"
    "    if (a.w < 1e-4) a = mix(a, b, (1e-4 - a.w) / (b.w - a.w));\n"
    "    if (b.w < 1e-4) b = mix(b, a, (1e-4 - b.w) / (a.w - b.w));\n"
    "    vec2 along = (b.xy / b.w - a.xy / a.w) * size;\n"
    "    float len = length(along);\n"
    "    vec2 side = (len > 1e-6 ? vec2(-along.y, along.x) / len : vec2(0.0, 1.0)) * width / size;\n"
    "    dye = dye_in[0]; gl_Position = a + vec4(side * a.w, 0.0, 0.0); EmitVertex();\n"
    "    dye = dye_in[0]; gl_Position = a - vec4(side * a.w, 0.0, 0.0); EmitVertex();\n"
    "    dye = dye_in[1]; gl_Position = b + vec4(side * b.w, 0.0, 0.0); EmitVertex();\n"
    "    dye = dye_in[1]; gl_Position = b - vec4(side * b.w, 0.0, 0.0); EmitVertex();\n"
    "    EndPrimitive();\n"
    "}\n";

static const char lines_fragment[] = "in vec3 dye;\n"
                                     "out vec4 result;\n"
                                     "uniform float opacity;\n"
                                     "uniform vec3 tint;\n"
                                     "uniform float tinted;\n"
                                     "void main() { result = vec4(mix(dye, tint, tinted), opacity); }\n";

static const char points_vertex[] = "layout(location = 0) in vec3 position;\n"
                                    "layout(location = 3) in vec3 colour;\n"
                                    "uniform mat4 clip, model;\n"
                                    "uniform float radius, pixels;\n" /* of a metre at a distance of one */
                                    "out vec3 dye;\n"
                                    "void main()\n"
                                    "{\n"
                                    "    gl_Position = clip * model * vec4(position, 1.0);\n"
                                    "    gl_PointSize = max(2.0 * radius * pixels / gl_Position.w, 2.0);\n"
                                    "    dye = colour;\n"
                                    "}\n";

static const char points_fragment[] =
    "in vec3 dye;\n"
    "out vec4 result;\n"
    "void main()\n"
    "{\n"
    "    vec2 q = 2.0 * gl_PointCoord - 1.0;\n"
    "    float r = dot(q, q);\n"
    "    if (r > 1.0) discard;\n"
    "    float light = 0.45 + 0.55 * max(dot(vec3(q.x, -q.y, sqrt(1.0 - r)), normalize(vec3(-0.4, 0.7, 0.6))), 0.0);\n"
    "    result = vec4(dye * light, 1.0);\n"
    "}\n";

/* ---- pictures: a triangle that covers the screen ---- */

static const char screen_vertex[] = "out vec2 screen;\n"
                                    "void main()\n"
                                    "{\n"
                                    "    screen = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
                                    "    gl_Position = vec4(screen, 0.0, 1.0);\n"
                                    "}\n";

static const char add_fragment[] = "in vec2 screen;\n"
                                   "out vec4 result;\n"
                                   "uniform sampler2D image;\n"
                                   "void main() { result = texture(image, screen * 0.5 + 0.5); }\n";

static const char finish_fragment[] =
    "in vec2 screen;\n"
    "out vec4 result;\n"
    "uniform sampler2D image;\n"
    "uniform float share;\n"
    "void main()\n"
    "{\n"
    "    vec3 c = clamp(texture(image, screen * 0.5 + 0.5).rgb * share, 0.0, 1.0);\n"
    "    result = vec4(mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)), 1.0);\n"
    "}\n";

static const char overlay_vertex[] =
    "layout(location = 0) in vec2 place;\n"
    "layout(location = 1) in vec2 at_in;\n"
    "layout(location = 2) in vec4 shape_in;\n"
    "layout(location = 3) in vec4 colour_in;\n"
    "uniform vec2 size;\n"
    "out vec2 at;\n"
    "out vec4 shape, colour;\n"
    "void main()\n"
    "{\n"
    "    at = at_in; shape = shape_in; colour = colour_in;\n"
    "    gl_Position = vec4(2.0 * place.x / size.x - 1.0, 1.0 - 2.0 * place.y / size.y, "
    "0.0, 1.0);\n"
    "}\n";

static const char overlay_fragment[] =
    "in vec2 at;\n"
    "in vec4 shape, colour;\n" /* half size, corner, kind */
    "out vec4 result;\n"
    "uniform sampler2D atlas, maps;\n"
    "void main()\n"
    "{\n"
    "    result = colour;\n"
    "    if (shape.w > 1.5) {\n"
    "        vec3 c = texture(maps, at).rgb;\n"
    "        result = vec4(mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)), colour.a);\n"
    "    }\n"
    "    else if (shape.w > 0.5) result.a *= texture(atlas, at).r;\n"
    "    else {\n"
    "        vec2 q = abs(at) - shape.xy + shape.z;\n"
    "        float away = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - shape.z;\n"
    "        result.a *= clamp(0.5 - away, 0.0, 1.0);\n"
    "    }\n"
    "}\n";

static const struct {
    const char *name, *vertex, *geometry, *fragment;
    bool lit;
} texts[PRC_PROGRAMS] = {
    [PRC_PROGRAM_SURFACE] = {"surface", surface_vertex, NULL, surface_fragment, true},
    [PRC_PROGRAM_SHADOW] = {"shadow", shadow_vertex, NULL, shadow_fragment, false},
    [PRC_PROGRAM_GROUND] = {"ground", ground_vertex, NULL, ground_fragment, true},
    [PRC_PROGRAM_CAST] = {"cast", cast_vertex, NULL, cast_fragment, false},
    [PRC_PROGRAM_LINES] = {"lines", lines_vertex, lines_geometry, lines_fragment, false},
    [PRC_PROGRAM_POINTS] = {"points", points_vertex, NULL, points_fragment, false},
    [PRC_PROGRAM_ADD] = {"add", screen_vertex, NULL, add_fragment, false},
    [PRC_PROGRAM_FINISH] = {"finish", screen_vertex, NULL, finish_fragment, false},
    [PRC_PROGRAM_OVERLAY] = {"overlay", overlay_vertex, NULL, overlay_fragment, false},
};

static prc_result compile(GLuint program, GLenum stage, const char *name, const char *const parts[3], prc_error *error)
{
    char log[300] = "";
    GLint good = 0;
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 3, parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        glAttachShader(program, shader);
    else
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
    glDeleteShader(shader);
    return good ? PRC_OK
                : prc_fail(error, PRC_ERROR_DEVICE, "this OpenGL (%s) cannot compile the program '%s': %s",
                           (const char *)glGetString(GL_RENDERER), name, log);
}

static prc_result build(GLuint program, int p, prc_error *error)
{
    char log[300] = "";
    GLint good = 0;
    const char *light = texts[p].lit ? light_text : "";
    const char *vertex[3] = {version, "", texts[p].vertex}, *fragment[3] = {version, light, texts[p].fragment};
    prc_result result = compile(program, GL_VERTEX_SHADER, texts[p].name, vertex, error);
    if (!result && texts[p].geometry) {
        const char *geometry[3] = {version, "", texts[p].geometry};
        result = compile(program, GL_GEOMETRY_SHADER, texts[p].name, geometry, error);
    }
    if (!result)
        result = compile(program, GL_FRAGMENT_SHADER, texts[p].name, fragment, error);
    if (result)
        return result;
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (good)
        return PRC_OK;
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    return prc_fail(error, PRC_ERROR_DEVICE, "this OpenGL (%s) cannot link the program '%s': %s",
                    (const char *)glGetString(GL_RENDERER), texts[p].name, log);
}

prc_result prc_draw_compile(prc_draw *draw, prc_error *error)
{
    prc_result result = PRC_OK;
    for (int p = 0; p < PRC_PROGRAMS && !result; p++) {
        draw->programs[p] = glCreateProgram();
        result = build(draw->programs[p], p, error);
    }
    return result;
}
