/* app/draw/shaders.c — the programs of the device, and how they are compiled.
 *
 * Light of one pass: a lamp (warm, one shadow map) and one direction of the sky (cool, another); what comes back from
 * the ground is a constant. A thin cloth also lets a little light of the lamp through. Shadows are read at four places,
 * turned by an amount that differs from pixel to pixel and pass to pass, which hides the borders between passes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "parts.h"

static const char version[] = "#version 330 core\n";

/* ---- light ---- */

static const char light_text[] =
    "uniform mat4 lamp_clip, sky_clip;\n"
    "uniform vec3 lamp, sky, up, eye;\n" /* unit vectors; the eye is a place */
    "uniform vec3 lamp_colour, sky_colour;\n"
    "uniform float sampled;\n" /* the part of the sky that this pass looks for */
    "uniform float texel, turn, shadowed;\n"
    "uniform sampler2DShadow lamp_map, sky_map;\n"
    "vec3 linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }\n"
    "float seen(sampler2DShadow map, mat4 clip, vec3 place, float spread)\n"
    "{\n"
    "    vec3 q = (clip * vec4(place, 1.0)).xyz * 0.5 + 0.5;\n"
    "    if (any(lessThan(q.xy, vec2(0.0))) || any(greaterThan(q.xy, vec2(1.0))))\n"
    "        return 1.0;\n"
    "    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))) + turn);\n"
    "    vec2 a = spread * vec2(cos(6.2831853 * noise), sin(6.2831853 * noise)), b = vec2(-a.y, a.x) * 0.6;\n"
    "    q.z = min(q.z, 1.0);\n"
    "    return 0.25 * (texture(map, vec3(q.xy + a, q.z)) + texture(map, vec3(q.xy - a, q.z)) +\n"
    "                   texture(map, vec3(q.xy + b, q.z)) + texture(map, vec3(q.xy - b, q.z)));\n"
    "}\n"
    "uniform vec2 spreads;\n"
    "float lamp_seen(vec3 p, vec3 n) { return shadowed > 0.5 ? seen(lamp_map, lamp_clip, p + n * texel, spreads.x) : "
    "1.0; }\n"
    "float sky_seen(vec3 p, vec3 n) { return shadowed > 0.5 ? seen(sky_map, sky_clip, p + n * texel, spreads.y) : 1.0; "
    "}\n"
    "vec3 sky_light(vec3 p, vec3 n)\n"
    "{\n"
    "    float across = dot(n, sky), part = 0.0;\n"
    "    if (across > 0.0)\n"
    "        part = 2.0 * across * sky_seen(p, n);\n"
    "    float rise = dot(n, up);\n"
    "    return sky_colour * (mix(0.5 + 0.5 * rise, part, sampled) + 0.30 * (0.5 - 0.5 * rise) + 0.05);\n"
    "}\n"
    /* What is brighter than a screen comes near to white instead of being cut off. */
    "vec3 shoulder(vec3 c) { vec3 over = max(c - 0.75, 0.0); return min(c, 0.75) + 0.25 * over / (over + 0.25); }\n";

/* ---- surfaces ---- */

static const char surface_vertex[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in float value;\n"
    "layout(location = 3) in vec3 colour;\n"
    "uniform mat4 clip, model;\n"
    "uniform vec3 eye;\n"
    "uniform float push;\n" /* away from the eye, m: keeps a solid below the cloth that lies on it */
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
    "    vec4 pushed = clip * vec4(world.xyz + push * normalize(world.xyz - eye), 1.0);\n"
    "    gl_Position.z = pushed.z / pushed.w * gl_Position.w;\n"
    "}\n";

static const char surface_fragment[] =
    "in vec3 place, facing, dye;\n"
    "in float number;\n"
    "out vec4 result;\n"
    "uniform sampler2D maps;\n"
    "uniform vec3 back, background, plane_middle;\n"
    "uniform float map_row, plane_spread;\n"
    "uniform vec2 range;\n"
    "uniform int valued, solid, has_back, unlit;\n"
    "vec3 paler(vec3 c) { float grey = dot(c, vec3(0.25, 0.6, 0.15)); return mix(mix(vec3(grey), c, 0.5), vec3(0.86), "
    "0.45); }\n"
    "void main()\n"
    "{\n"
    "    if (unlit == 1) { result = vec4(linear(dye), 1.0); return; }\n"
    "    vec3 to_eye = normalize(eye - place), n = normalize(facing);\n"
    "    bool front = gl_FrontFacing;\n"
    "    if (plane_spread > 0.0 && !front)\n"
    "        discard;\n"
    "    n = front ? n : -n;\n"
    /* A smooth normal may turn away from the eye where the triangle does not: bent back it gives no black seams. */
    "    float towards = dot(n, to_eye);\n"
    "    if (towards < 0.02) n = normalize(n + (0.02 - towards) * to_eye);\n"
    "    vec3 albedo = front || solid == 1 ? dye : has_back == 1 ? back : paler(dye);\n"
    "    if (valued == 1) {\n"
    "        float at = (number - range.x) / (range.y - range.x);\n"
    "        albedo = isnan(at) || isinf(at) ? vec3(0.6) : texture(maps, vec2(at * 0.99609375 + 0.001953125, "
    "map_row)).rgb;\n"
    "    }\n"
    "    albedo = linear(albedo);\n"
    "    float across = dot(n, lamp), lit = 0.0, through = 0.0;\n"
    "    vec3 side = across > 0.0 ? n : -n;\n"
    "    float visible = lamp_seen(place, side);\n"
    "    if (across > 0.0) lit = across * visible;\n"
    "    else if (solid == 0) through = -0.10 * across * visible;\n"
    "    vec3 light = lamp_colour * (lit + through) + sky_light(place, n);\n"
    "    vec3 halfway = normalize(lamp + to_eye);\n"
    "    float gloss = solid == 1 ? 0.05 : 0.035;\n"
    "    float shine = gloss * pow(max(dot(n, halfway), 0.0), 24.0) * lit;\n"
    "    float sheen = solid == 1 ? 0.0 : 0.10 * pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);\n"
    "    if (valued == 1) { shine *= 0.3; sheen *= 0.3; }\n"
    "    vec3 colour = albedo * light + (shine * lamp_colour + sheen * (0.4 * lit * lamp_colour + 0.6 * "
    "sky_light(place, "
    "n)) * mix(vec3(1.0), albedo, 0.5));\n"
    "    result = vec4(shoulder(colour), 1.0);\n"
    "    if (plane_spread > 0.0) {\n"
    "        float away = length(place - plane_middle) / plane_spread;\n"
    "        float cover = 1.0 - smoothstep(0.55, 1.0, away);\n"
    "        if (cover < 0.01) discard;\n"
    "        result = vec4(mix(linear(background), result.rgb, cover), 1.0);\n"
    "    }\n"
    "}\n";

static const char shadow_vertex[] = "layout(location = 0) in vec3 position;\n"
                                    "uniform mat4 clip, model;\n"
                                    "void main() { gl_Position = clip * model * vec4(position, 1.0); }\n";

static const char shadow_fragment[] = "void main() {}\n";

/* ---- the ground: a screen-filling triangle, hit by the ray of each pixel ---- */

static const char screen_vertex[] = "out vec2 screen;\n"
                                    "void main()\n"
                                    "{\n"
                                    "    screen = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
                                    "    gl_Position = vec4(screen, 0.0, 1.0);\n"
                                    "}\n";

static const char ground_fragment[] =
    "in vec2 screen;\n"
    "out vec4 result;\n"
    "uniform vec3 right_axis, up_axis, back_axis, background, centre;\n"
    "uniform vec2 tangents, pixel;\n"
    "uniform mat4 clip;\n"
    "uniform float height, reach, grid;\n"
    "float lines(vec2 at, float apart)\n"
    "{\n"
    "    vec2 wide = fwidth(at / apart), off = abs(fract(at / apart - 0.5) - 0.5) / max(wide, 1e-6);\n"
    "    return (1.0 - min(min(off.x, off.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(wide.x, wide.y)));\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    vec2 s = (screen + pixel) * tangents;\n"
    "    vec3 way = normalize(s.x * right_axis + s.y * up_axis - back_axis);\n"
    "    float fall = dot(way, up), above = dot(eye, up) - height;\n"
    "    if (fall > -1e-4 || above <= 0.0)\n"
    "        discard;\n"
    "    vec3 p = eye - way * (above / fall);\n"
    "    float away = length(p - centre) / reach;\n"
    "    if (away > 1.0)\n"
    "        discard;\n"
    "    float fade = 1.0 - smoothstep(0.6, 1.0, away);\n"
    "    float across = max(dot(up, lamp), 0.05), seen_sky = max(dot(up, sky), 0.05);\n"
    "    vec3 lamp_part = lamp_colour * across, sky_part = sky_colour * mix(1.0, 2.0 * seen_sky, sampled);\n"
    "    vec3 lit = lamp_part * lamp_seen(p, up);\n"
    "    vec3 from_sky = sky_colour * mix(1.0, 2.0 * seen_sky * sky_seen(p, up), sampled);\n"
    "    vec3 part = (lit + from_sky) / (lamp_part + sky_part);\n"
    "    if (grid > 0.0) {\n"
    "        vec3 x = normalize(abs(up.y) < 0.9 ? cross(up, vec3(0.0, 1.0, 0.0)) : cross(up, vec3(0.0, 0.0, 1.0)));\n"
    "        vec2 at = vec2(dot(p, x), dot(p, cross(up, x)));\n"
    "        part *= 1.0 - 0.16 * lines(at, grid) - 0.07 * lines(at, 0.1 * grid);\n"
    "    }\n"
    "    result = vec4(linear(background) * mix(vec3(1.0), part, fade), 1.0);\n"
    "    vec4 q = clip * vec4(p, 1.0);\n"
    "    gl_FragDepth = 0.5 + 0.5 * q.z / q.w;\n"
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

static const char lines_fragment[] =
    "in vec3 dye;\n"
    "out vec4 result;\n"
    "uniform float opacity;\n"
    "uniform vec3 tint;\n"
    "uniform float tinted;\n"
    "vec3 linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }\n"
    "void main() { result = vec4(linear(mix(dye, tint, tinted)), opacity); }\n";

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
    "vec3 linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }\n"
    "void main()\n"
    "{\n"
    "    vec2 q = 2.0 * gl_PointCoord - 1.0;\n"
    "    float r = dot(q, q);\n"
    "    if (r > 1.0) discard;\n"
    "    float light = 0.45 + 0.55 * max(dot(vec3(q.x, -q.y, sqrt(1.0 - r)), normalize(vec3(-0.4, 0.7, 0.6))), 0.0);\n"
    "    result = vec4(linear(dye) * light, 1.0);\n"
    "}\n";

/* ---- pictures ---- */

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

static const char overlay_fragment[] = "in vec2 at;\n"
                                       "in vec4 shape, colour;\n" /* half size, corner, kind */
                                       "out vec4 result;\n"
                                       "uniform sampler2D atlas, maps;\n"
                                       "void main()\n"
                                       "{\n"
                                       "    result = colour;\n"
                                       "    if (shape.w > 1.5) result = vec4(texture(maps, at).rgb, colour.a);\n"
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
    [PRC_PROGRAM_GROUND] = {"ground", screen_vertex, NULL, ground_fragment, true},
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
                : prc_fail(error, PRC_ERROR_DEVICE, "this OpenGL (%s) refuses the program '%s': %s",
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
