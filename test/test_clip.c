/* test/test_clip.c — animation files: MDD and PC2 to the bit, GLB and USD as far as percale's own readers go (other
 * programs' readers are in test_interchange.sh); and what happens when they cannot be written.
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "harness.h"
#include "limited_memory.h"

#include "base/memory.h"
#include "io/clip.h"
#include "io/file.h"
#include "io/json_read.h"
#include "io/mdd.h"
#include "io/pc2.h"
#include "mesh_files.h"

static prc_error error;

/* Two bodies of a triangle each, then an obstacle that rests: a line and two points. */
#define VERTICES 8
#define FRAMES 3
static const double texture[6] = {0, 0, 1, 0, 0, 0.25};
static const prc_obj_part parts[3] = {{.name = "my shirt", .vertex_count = 3, .triangle_count = 1, .texture = texture},
                                      {.name = "my_shirt", .vertex_count = 3, .triangle_count = 1},
                                      {.vertex_count = 2, .edge_count = 1}};
static const int triangles[6] = {0, 1, 2, 3, 4, 5}, edges[2] = {6, 7};
static const double times[FRAMES] = {0.5, 0.54, 0.58};

static double position(int frame, int k)
{
    static const double base[3 * VERTICES] = {0, 0,    0, 1, 0, 0, 0, 1,    0, 5,    5,   5,
                                              6, 5.25, 5, 5, 6, 5, 0, -0.1, 0, 1e-3, 0.3, -7};
    return base[k] + (k < 18 ? 0.1 * frame * (k % 3 == 1) + 1e-3 * frame * k : 0);
}

static prc_clip_def make_def(void)
{
    return (prc_clip_def){.parts = parts,
                          .part_count = 3,
                          .body_count = 2,
                          .triangles = triangles,
                          .edges = edges,
                          .frame_count = FRAMES,
                          .times = times,
                          .rate = 25};
}

static prc_result add_frames(prc_clip *clip, int count)
{
    prc_result result = PRC_OK;
    for (int f = 0; f < count && !result; f++) {
        double x[3 * VERTICES];
        for (int k = 0; k < 3 * VERTICES; k++)
            x[k] = position(f, k);
        result = prc_clip_add(clip, x, &error);
    }
    return result;
}

static prc_result write_clip(const char *path, const prc_clip_def *def)
{
    prc_clip *clip = prc_clip_open(path, def, &error);
    if (!clip)
        return error.code;
    const prc_result result = add_frames(clip, def->frame_count);
    if (!result)
        return prc_clip_finish(clip, &error);
    prc_clip_abandon(clip);
    return result;
}

/* ---- positions and little else ---- */

TEST(mdd_and_pc2_files_are_read_back_to_the_bit)
{
    const prc_clip_def def = make_def();
    for (int mdd = 0; mdd < 2; mdd++) {
        const char *path = path_to(mdd ? "a.mdd" : "a.pc2");
        float *x = NULL;
        int points = 0, frames = 0;
        CHECK(write_clip(path, &def) == PRC_OK);
        const prc_result result =
            mdd ? prc_mdd_read(path, &x, &points, &frames, &error) : prc_pc2_read(path, &x, &points, &frames, &error);
        CHECK(result == PRC_OK && x);
        CHECK(points == VERTICES && frames == FRAMES);
        for (int k = 0; k < 3 * VERTICES * FRAMES; k++)
            CHECK(x[k] == (float)position(k / (3 * VERTICES), k % (3 * VERTICES)));
        prc_free(x);
    }
    char *data;
    size_t size;
    CHECK(prc_file_read(path_to("a.mdd"), &data, &size, &error) == PRC_OK);
    CHECK(size == 8 + 4 * FRAMES + 12 * VERTICES * FRAMES);
    CHECK(!memcmp(data, "\0\0\0\3\0\0\0\10\x3f\0\0\0", 12)); /* 3 frames, 8 points, the first at 0.5 s: big endian */
    prc_free(data);
}

TEST(damaged_mdd_files_are_refused_with_the_reason)
{
    static const struct {
        int at;
        unsigned char byte;
        size_t size;
        const char *says;
    } cases[] = {{3, 0, 308, "0 frames of 8 points"},
                 {7, 0, 308, "3 frames of 0 points"},
                 {0, 0xff, 308, "expected at least one of each"},
                 {4, 0x7f, 308, "expected at least one of each"},
                 {1, 1, 308, "the file is truncated, damaged"},
                 {0, 0, 307, "299 bytes follow the header"},
                 {0, 0, 309, "301 bytes follow the header"},
                 {0, 0, 7, "7 bytes; an MDD file has at least 8"},
                 {0, 0, 0, "0 bytes"},
                 {20, 0x7f, 308, "frame 0: point 0 is not finite"}};
    const prc_clip_def def = make_def();
    char *data, bad[400];
    size_t size;
    CHECK(write_clip(path_to("a.mdd"), &def) == PRC_OK);
    CHECK(prc_file_read(path_to("a.mdd"), &data, &size, &error) == PRC_OK && size == 308);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        float *x;
        int points, frames;
        memcpy(bad, data, size);
        bad[cases[k].at] = (char)cases[k].byte;
        if (cases[k].at == 20)
            bad[21] = (char)0xff;
        CHECK(prc_mdd_read(put_bytes("bad.mdd", bad, cases[k].size), &x, &points, &frames, &error) == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, cases[k].says);
        CHECK(!x && !points && !frames);
    }
    prc_free(data);
}

/* ---- GLB ---- */

/* A GLB file as percale's own JSON reader sees it. */
typedef struct glb {
    char *data;
    const char *binary;
    prc_json_tree tree;
} glb;

static bool open_glb(glb *g, const char *path)
{
    size_t size;
    *g = (glb){0};
    if (prc_file_read(path, &g->data, &size, &error))
        return false;
    uint32_t length, total, chunk;
    memcpy(&total, g->data + 8, 4);
    memcpy(&length, g->data + 12, 4);
    memcpy(&chunk, g->data + 20 + length, 4);
    g->binary = g->data + 28 + length;
    return total == size && length % 4 == 0 && 28 + length + chunk == total &&
           !memcmp(g->data + 24 + length, "BIN", 4) &&
           prc_json_read(&g->tree, path, g->data + 20, length, &error) == PRC_OK;
}

static void close_glb(glb *g)
{
    prc_json_tree_release(&g->tree);
    prc_free(g->data);
}

static const prc_json_value *at(const glb *g, const prc_json_value *from, const char *key, int k)
{
    const prc_json_value *list = prc_json_find(&g->tree, from ? from : g->tree.values, key);
    return list && k < list->count ? prc_json_member(&g->tree, list, k) : NULL;
}

static int whole(const glb *g, const prc_json_value *from, const char *key)
{
    const prc_json_value *value = prc_json_find(&g->tree, from, key);
    return value ? (int)value->number : -1;
}

static const float *numbers(const glb *g, int accessor)
{
    const prc_json_value *view = at(g, NULL, "bufferViews", whole(g, at(g, NULL, "accessors", accessor), "bufferView"));
    return (const float *)(const void *)(g->binary + whole(g, view, "byteOffset"));
}

TEST(a_glb_file_has_the_first_frame_and_each_other_as_a_morph_target)
{
    const prc_clip_def def = make_def();
    glb g;
    CHECK(write_clip(path_to("a.glb"), &def) == PRC_OK);
    CHECK(open_glb(&g, path_to("a.glb")));
    for (int p = 0; p < 2; p++) {
        const prc_json_value *primitive = at(&g, at(&g, NULL, "meshes", p), "primitives", 0);
        const prc_json_value *attributes = prc_json_find(&g.tree, primitive, "attributes");
        const float *base = numbers(&g, whole(&g, attributes, "POSITION"));
        CHECK(prc_json_find(&g.tree, primitive, "targets")->count == FRAMES - 1);
        for (int k = 0; k < 9; k++)
            CHECK(base[k] == (float)position(0, 9 * p + k));
        for (int f = 1; f < FRAMES; f++) {
            const float *moved = numbers(&g, whole(&g, at(&g, primitive, "targets", f - 1), "POSITION"));
            for (int k = 0; k < 9; k++) /* a rounding of the displacement and one of the sum */
                CHECK_NEAR((double)(base[k] + moved[k]), position(f, 9 * p + k), 2e-7 * (1 + position(f, 9 * p + k)));
        }
    }
    close_glb(&g);
}

TEST(its_weights_show_one_frame_after_the_other)
{
    const prc_clip_def def = make_def();
    glb g;
    CHECK(write_clip(path_to("a.glb"), &def) == PRC_OK && open_glb(&g, path_to("a.glb")));
    const prc_json_value *animation = at(&g, NULL, "animations", 0), *sampler = at(&g, animation, "samplers", 0);
    const float *t = numbers(&g, whole(&g, sampler, "input")), *w = numbers(&g, whole(&g, sampler, "output"));
    CHECK(prc_json_find(&g.tree, animation, "channels")->count == 2); /* the obstacle rests */
    for (int f = 0; f < FRAMES; f++) {
        CHECK_NEAR((double)t[f], times[f] - times[0], 1e-7);
        for (int k = 1; k < FRAMES; k++)
            CHECK(w[f * (FRAMES - 1) + k - 1] == (k == f ? 1.0f : 0.0f));
    }
    close_glb(&g);
}

TEST(what_rests_has_no_targets_and_lines_are_lines)
{
    const prc_clip_def def = make_def();
    glb g;
    CHECK(write_clip(path_to("a.glb"), &def) == PRC_OK && open_glb(&g, path_to("a.glb")));
    const prc_json_value *primitive = at(&g, at(&g, NULL, "meshes", 2), "primitives", 0);
    CHECK(whole(&g, primitive, "mode") == 1 && !prc_json_find(&g.tree, primitive, "targets"));
    const uint32_t *ends = (const uint32_t *)(const void *)numbers(&g, whole(&g, primitive, "indices"));
    CHECK(ends[0] == 0 && ends[1] == 1);
    CHECK(!strcmp(prc_json_find(&g.tree, at(&g, NULL, "nodes", 2), "name")->text, "obstacle 0"));
    close_glb(&g);
}

TEST(bounds_of_positions_hold_them)
{
    const prc_clip_def def = make_def();
    glb g;
    CHECK(write_clip(path_to("a.glb"), &def) == PRC_OK && open_glb(&g, path_to("a.glb")));
    int bounded = 0;
    for (int a = 0; at(&g, NULL, "accessors", a); a++) {
        const prc_json_value *accessor = at(&g, NULL, "accessors", a);
        if (!prc_json_find(&g.tree, accessor, "min") || whole(&g, accessor, "count") == FRAMES * (VERTICES - 5))
            continue;
        const int count = whole(&g, accessor, "count");
        const bool points = !strcmp(prc_json_find(&g.tree, accessor, "type")->text, "VEC3");
        for (int k = 0; k < (points ? 3 : 1); k++) {
            float low = INFINITY, high = -INFINITY;
            for (int i = 0; i < count; i++) {
                low = fminf(low, numbers(&g, a)[(points ? 3 : 1) * i + k]);
                high = fmaxf(high, numbers(&g, a)[(points ? 3 : 1) * i + k]);
            }
            CHECK((float)at(&g, accessor, "min", k)->number == low &&
                  (float)at(&g, accessor, "max", k)->number == high);
        }
        bounded++;
    }
    CHECK(bounded >= 3 + 2 * (FRAMES - 1));
    close_glb(&g);
}

TEST(normals_are_unit_vectors_and_can_be_left_out)
{
    prc_clip_def def = make_def();
    glb g;
    CHECK(write_clip(path_to("a.glb"), &def) == PRC_OK && open_glb(&g, path_to("a.glb")));
    const prc_json_value *primitive = at(&g, at(&g, NULL, "meshes", 0), "primitives", 0);
    const float *n = numbers(&g, whole(&g, prc_json_find(&g.tree, primitive, "attributes"), "NORMAL"));
    CHECK(n[0] == 0 && n[1] == 0 && n[2] == 1);
    close_glb(&g);
    def.no_normals = true;
    CHECK(write_clip(path_to("b.glb"), &def) == PRC_OK && open_glb(&g, path_to("b.glb")));
    primitive = at(&g, at(&g, NULL, "meshes", 0), "primitives", 0);
    CHECK(!prc_json_find(&g.tree, prc_json_find(&g.tree, primitive, "attributes"), "NORMAL"));
    CHECK(whole(&g, at(&g, primitive, "targets", 1), "NORMAL") == -1);
    close_glb(&g);
}

TEST(percale_reads_the_first_frame_of_a_glb_file_back)
{
    const prc_clip_def def = make_def();
    prc_mesh mesh;
    CHECK(write_clip(path_to("a.glb"), &def) == PRC_OK);
    CHECK(prc_mesh_read(&mesh, path_to("a.glb"), &error) == PRC_OK);
    CHECK(mesh.vertex_count == 6 && has_triangles(&mesh, 2, triangles));
    for (int k = 0; k < 18; k++)
        CHECK(mesh.positions[k] == (double)(float)position(0, k));
    CHECK(group_is(&mesh, "my shirt", 3, (int[]){0, 1, 2}) && group_is(&mesh, "my_shirt", 3, (int[]){3, 4, 5}));
    prc_mesh_release(&mesh);
}

/* ---- USD ---- */

TEST(usd_names_are_identifiers_and_each_is_there_once)
{
    prc_obj_part odd[7];
    static const char *const names[7] = {"my shirt", "my_shirt", "2nd", "\xe9t\xe9", "x_edges", "x", "\"quoted\"\\"};
    prc_clip_def def = make_def();
    for (int p = 0; p < 7; p++)
        odd[p] = (prc_obj_part){.name = names[p], .vertex_count = p < 6 ? 1 : 2};
    def.parts = odd;
    def.part_count = def.body_count = 7;
    CHECK(write_clip(path_to("a.usda"), &def) == PRC_OK);
    char *text;
    size_t size;
    CHECK(prc_file_read(path_to("a.usda"), &text, &size, &error) == PRC_OK);
    static const char *const prims[7] = {
        "def Points \"my_shirt\" (", "def Points \"my_shirt_2\" (", "def Points \"_2nd\" (",     "def Points \"_t_\"\n",
        "def Points \"x_edges\"\n",  "def Points \"x_2\" (",        "def Points \"_quoted__\" ("};
    for (int p = 0; p < 7; p++)
        CHECK(strstr(text, prims[p]) != NULL);
    CHECK(strstr(text, "displayName = \"my shirt\"") && strstr(text, "displayName = \"\\\"quoted\\\"\\\\\""));
    CHECK(!strstr(text, "\xe9"));
    prc_free(text);
}

TEST(usd_time_codes_are_frames)
{
    const prc_clip_def def = make_def();
    char *text;
    size_t size;
    CHECK(write_clip(path_to("a.usda"), &def) == PRC_OK);
    CHECK(prc_file_read(path_to("a.usda"), &text, &size, &error) == PRC_OK);
    CHECK(strstr(text, "startTimeCode = 12.5\n") && strstr(text, "endTimeCode = 14.5\n"));
    CHECK(strstr(text, "timeCodesPerSecond = 25\n") && strstr(text, "            13.5: [("));
    prc_free(text);
}

/* ---- what goes wrong ---- */

TEST(a_clip_that_is_not_finished_leaves_no_file)
{
    static const char *const endings[] = {"x.glb", "x.usda", "x.mdd", "x.pc2"};
    const prc_clip_def def = make_def();
    for (int k = 0; k < 4; k++) {
        const int before = count_files();
        prc_clip *clip = prc_clip_open(path_to(endings[k]), &def, &error);
        CHECK(clip && add_frames(clip, 2) == PRC_OK && count_files() == before);
        prc_clip_abandon(clip);
        clip = prc_clip_open(path_to(endings[k]), &def, &error);
        CHECK(clip && add_frames(clip, 2) == PRC_OK);
        CHECK(prc_clip_finish(clip, &error) == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, "2 frames; expected 3");
        CHECK(count_files() == before);
    }
    prc_clip *clip = prc_clip_open(path_to("x.glb"), &def, &error);
    CHECK(clip && add_frames(clip, FRAMES) == PRC_OK && add_frames(clip, 1) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "more frames than the 3 expected");
    prc_clip_abandon(clip);
}

TEST(what_cannot_be_written_is_refused)
{
    const prc_clip_def def = make_def();
    CHECK(!prc_clip_open(path_to("x.abc"), &def, &error) && error.code == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "ending in .glb, .usda, .mdd or .pc2");
    CHECK(!prc_clip_open(path_to("no/x.glb"), &def, &error) && error.code == PRC_ERROR_IO);
    prc_clip *clip = prc_clip_open(path_to("x.mdd"), &def, &error);
    double x[3 * VERTICES] = {[7] = 1e300};
    CHECK(clip && prc_clip_add(clip, x, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 2 of a frame is not finite in single precision");
    prc_clip_abandon(clip);
}

TEST(running_out_of_memory_is_reported_and_leaves_no_file)
{
    static const char *const endings[] = {"m.glb", "m.usda", "m.mdd", "m.pc2"};
    const prc_clip_def def = make_def();
    for (int k = 0; k < 4; k++) {
        prc_result result = PRC_ERROR_MEMORY;
        int failures = 0;
        const int before = count_files();
        for (int limit = 0; limit < 100 && result; limit++) {
            prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
            allocations_left = limit;
            result = write_clip(path_to(endings[k]), &def);
            prc_set_allocator((prc_allocator){NULL, NULL, NULL});
            failures += result == PRC_ERROR_MEMORY;
            CHECK(result == PRC_OK || (result == PRC_ERROR_MEMORY && count_files() == before));
        }
        CHECK(result == PRC_OK && failures >= 8);
    }
}

TEST_MAIN()
