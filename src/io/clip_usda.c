/* io/clip_usda.c — a clip as USD text (Pixar's Universal Scene Description, .usda): points with time samples.
 *
 * Each part becomes a prim under one root: Mesh, BasisCurves for edges that are not sides of triangles, Points for
 * parts with neither. A time code is a frame, so that programs show frames by number; if frames are not evenly spaced,
 * time codes are not whole numbers. Numbers have nine digits, which restores the same float. Metres, y up. Leaves out
 * materials, velocities and other vertex data of percale. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "io/clip_formats.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROOT "percale"
#define NAME 80
#define EDGES "_edges"
#define POINT_WIDTH 0.01 /* m: how thick lines and points are drawn */

typedef enum prim_kind { MESH, CURVES, POINTS } prim_kind;

typedef struct writer {
    const prc_clip *clip;
    prc_file *file;
    prc_error *error;
    char (*names)[NAME];          /* per part: what its prims are called */
    const int *triangles, *edges; /* of the part at hand */
    int part;
} writer;

/* ---- names ---- */

/* Whether `name` is `other`, or would be with the ending that the edges of a part get. */
static bool clashes(const char *name, const char *other)
{
    const size_t length = strlen(other);
    return !strncmp(name, other, length) && (!name[length] || !strcmp(name + length, EDGES));
}

static bool is_taken(const writer *w, int count, const char *name)
{
    for (int p = 0; p < count; p++)
        if (clashes(name, w->names[p]) || clashes(w->names[p], name))
            return true;
    return false;
}

/* Letters, digits and underscores, no digit first, and each once; what the scene says is kept as a display name. */
static void name_part(writer *w, int p)
{
    char own[PRC_CLIP_NAME], base[NAME - 16];
    prc_clip_name(w->clip, p, own);
    snprintf(base, sizeof base, "%s%.60s", isdigit((unsigned char)own[0]) ? "_" : "", own);
    for (char *c = base; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    snprintf(w->names[p], NAME, "%s", base);
    for (int k = 2; is_taken(w, p, w->names[p]); k++)
        snprintf(w->names[p], NAME, "%s_%d", base, k);
}

static void put_text(prc_file *file, const char *text)
{
    prc_file_write(file, "\"", 1);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            prc_file_write(file, "\\", 1);
        prc_file_write(file, (unsigned char)*text < ' ' ? " " : text, 1);
    }
    prc_file_write(file, "\"", 1);
}

/* ---- numbers ---- */

/* Whole where it is all but whole: times of frames are rounded. */
static double time_code(const prc_clip *clip, int frame)
{
    const double code = clip->def.times[frame] * clip->def.rate;
    return fabs(code - round(code)) < 1e-4 ? round(code) : code;
}

static void put_point(prc_file *file, const float *x, const char *separator)
{
    prc_file_printf(file, "%s(%.9g, %.9g, %.9g)", separator, (double)x[0], (double)x[1], (double)x[2]);
}

/* Points of the prim in this frame; curves name theirs edge by edge. */
static void put_points(const writer *w, prim_kind kind, const float *x)
{
    const prc_obj_part *part = &w->clip->def.parts[w->part];
    const int first = w->clip->first[w->part];
    const long count = kind == CURVES ? 2L * part->edge_count : part->vertex_count;
    prc_file_printf(w->file, "[");
    for (long i = 0; i < count; i++)
        put_point(w->file, x + 3 * (size_t)(kind == CURVES ? w->edges[i] - first : i), i ? ", " : "");
    prc_file_printf(w->file, "]");
}

/* The box around the part, which holds its curves and points as well. */
static void put_extent(const writer *w, prim_kind kind, const float *x)
{
    const double margin = kind == MESH ? 0 : POINT_WIDTH / 2;
    float box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (long i = 0; i < 3L * w->clip->def.parts[w->part].vertex_count; i++) {
        box[0][i % 3] = fminf(box[0][i % 3], x[i]);
        box[1][i % 3] = fmaxf(box[1][i % 3], x[i]);
    }
    for (int k = 0; k < 3; k++) {
        box[0][k] -= (float)margin;
        box[1][k] += (float)margin;
    }
    put_point(w->file, box[0], "[");
    put_point(w->file, box[1], ", ");
    prc_file_printf(w->file, "]");
}

/* An attribute that changes: one sample per frame; one value where the part never moves. */
static prc_result put_samples(const writer *w, prim_kind kind, bool extent)
{
    const prc_clip *clip = w->clip;
    const bool moves = clip->moves[w->part];
    prc_result result = PRC_OK;
    prc_file_printf(w->file, "        %s%s = %s", extent ? "float3[] extent" : "point3f[] points",
                    moves ? ".timeSamples" : "", moves ? "{\n" : "");
    for (int f = 0; f < (moves ? clip->def.frame_count : 1) && !result; f++) {
        result = prc_clip_read(clip, f, w->part, clip->frame, w->error);
        if (result)
            break;
        if (moves)
            prc_file_printf(w->file, "            %.9g: ", time_code(clip, f));
        if (extent)
            put_extent(w, kind, clip->frame);
        else
            put_points(w, kind, clip->frame);
        prc_file_printf(w->file, moves ? ",\n" : "\n");
    }
    if (moves)
        prc_file_printf(w->file, "        }\n");
    return result;
}

static void put_repeated(prc_file *file, const char *what, int value, long count)
{
    prc_file_printf(file, "        int[] %s = [", what);
    for (long k = 0; k < count; k++)
        prc_file_printf(file, "%s%d", k ? ", " : "", value);
    prc_file_printf(file, "]\n");
}

/* ---- prims ---- */

static void put_mesh(const writer *w)
{
    const prc_obj_part *part = &w->clip->def.parts[w->part];
    const int first = w->clip->first[w->part];
    prc_file_printf(w->file, "        uniform bool doubleSided = 1\n");
    put_repeated(w->file, "faceVertexCounts", 3, part->triangle_count);
    prc_file_printf(w->file, "        int[] faceVertexIndices = [");
    for (long k = 0; k < 3L * part->triangle_count; k++)
        prc_file_printf(w->file, "%s%d", k ? ", " : "", w->triangles[k] - first);
    prc_file_printf(w->file, "]\n");
    if (part->texture) {
        prc_file_printf(w->file, "        texCoord2f[] primvars:st = [");
        for (long i = 0; i < part->vertex_count; i++)
            prc_file_printf(w->file, "%s(%.9g, %.9g)", i ? ", " : "", part->texture[2 * i], part->texture[2 * i + 1]);
        prc_file_printf(w->file, "] (\n            interpolation = \"vertex\"\n        )\n");
    }
    prc_file_printf(w->file, "        uniform token subdivisionScheme = \"none\"\n");
}

static void put_widths(const writer *w)
{
    prc_file_printf(w->file, "        float[] widths = [%g] (\n            interpolation = \"constant\"\n        )\n",
                    POINT_WIDTH);
}

static prc_result put_prim(const writer *w, prim_kind kind, const char *ending)
{
    static const char *const types[] = {"Mesh", "BasisCurves", "Points"};
    char own[PRC_CLIP_NAME];
    double colour[3];
    prc_file_printf(w->file, "\n    def %s \"%s%s\"", types[kind], w->names[w->part], ending);
    if (prc_clip_name(w->clip, w->part, own) && strcmp(own, w->names[w->part]) != 0) {
        prc_file_printf(w->file, " (\n        displayName = ");
        put_text(w->file, own);
        prc_file_printf(w->file, "\n    )");
    }
    prc_file_printf(w->file, "\n    {\n");
    if (kind == MESH) {
        put_mesh(w);
    } else {
        if (kind == CURVES)
            put_repeated(w->file, "curveVertexCounts", 2, w->clip->def.parts[w->part].edge_count);
        if (kind == CURVES)
            prc_file_printf(w->file, "        uniform token type = \"linear\"\n");
        put_widths(w);
    }
    prc_clip_colour(w->clip, w->part, colour);
    prc_file_printf(w->file, "        color3f[] primvars:displayColor = [(%g, %g, %g)]\n", colour[0], colour[1],
                    colour[2]);
    prc_result result = put_samples(w, kind, true);
    if (!result)
        result = put_samples(w, kind, false);
    prc_file_printf(w->file, "    }\n");
    return result;
}

static prc_result put_part(const writer *w)
{
    const prc_obj_part *part = &w->clip->def.parts[w->part];
    prc_result result = PRC_OK;
    if (part->triangle_count)
        result = put_prim(w, MESH, "");
    if (part->edge_count && !result)
        result = put_prim(w, CURVES, part->triangle_count ? EDGES : "");
    if (part->vertex_count && !part->triangle_count && !part->edge_count)
        result = put_prim(w, POINTS, "");
    return result;
}

static void put_header(const writer *w)
{
    const prc_clip *clip = w->clip;
    prc_file_printf(w->file,
                    "#usda 1.0\n"
                    "(\n"
                    "    defaultPrim = \"" ROOT "\"\n"
                    "    doc = \"percale " PRC_VERSION "\"\n"
                    "    endTimeCode = %.9g\n"
                    "    framesPerSecond = %.9g\n"
                    "    metersPerUnit = 1\n"
                    "    startTimeCode = %.9g\n"
                    "    timeCodesPerSecond = %.9g\n"
                    "    upAxis = \"Y\"\n"
                    ")\n\n"
                    "def Xform \"" ROOT "\"\n{",
                    time_code(clip, clip->def.frame_count - 1), clip->def.rate, time_code(clip, 0), clip->def.rate);
}

prc_result prc_clip_write_usda(const prc_clip *clip, prc_file *file, prc_error *error)
{
    writer w = {.clip = clip, .file = file, .error = error, .triangles = clip->def.triangles, .edges = clip->def.edges};
    w.names = prc_alloc((size_t)clip->def.part_count, sizeof *w.names);
    if (!w.names)
        return PRC_FAIL_MEMORY(error);
    put_header(&w);
    prc_result result = PRC_OK;
    for (; w.part < clip->def.part_count && !result; w.part++) {
        name_part(&w, w.part);
        result = put_part(&w);
        w.triangles += 3L * clip->def.parts[w.part].triangle_count;
        w.edges += 2L * clip->def.parts[w.part].edge_count;
    }
    prc_file_printf(file, "}\n");
    prc_free(w.names);
    return result;
}
