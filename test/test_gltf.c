/* test/test_gltf.c — reading glTF: text and binary, places of nodes, kinds of triangles, what is joined and what is
 * refused; and the JSON under it.
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "harness.h"
#include "limited_memory.h"

#include "base/memory.h"
#include "io/json_read.h"
#include "io/mesh_file.h"
#include "mesh_files.h"

static prc_error error;
static prc_mesh_report report;

/* ---- files in the making ---- */

/* A unit square in the plane z = 0, as positions, texture coordinates and indices of 16 bits. */
static void put_square(bytes *b)
{
    static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const double uv[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    static const uint16_t corners[6] = {0, 1, 2, 0, 2, 3};
    b->order = LITTLE;
    for (int k = 0; k < 12; k++)
        put_single(b, x[k / 3][k % 3]);
    for (int k = 0; k < 8; k++)
        put_single(b, uv[k / 2][k % 2]);
    for (int k = 0; k < 6; k++)
        put_raw(b, &corners[k], 2);
}

static void put_base64(bytes *b, const bytes *from)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < from->size; k += 3) {
        unsigned bits = 0;
        for (size_t c = 0; c < 3; c++)
            bits = bits << 8 | (k + c < from->size ? from->data[k + c] : 0u);
        for (size_t c = 0; c < 4; c++)
            put_words(b, "%c", k + c > from->size ? '=' : digits[bits >> (18 - 6 * c) & 63]);
    }
}

#define VIEWS                                                                                                          \
    "'bufferViews':[{'buffer':0,'byteLength':48},{'buffer':0,'byteOffset':48,'byteLength':32},"                        \
    "{'buffer':0,'byteOffset':80,'byteLength':12}]"
#define ACCESSORS                                                                                                      \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},"                                      \
    "{'bufferView':1,'componentType':5126,'count':4,'type':'VEC2'},"                                                   \
    "{'bufferView':2,'componentType':5123,'count':6,'type':'SCALAR'}]"
#define MESH "'meshes':[{'name':'m','primitives':[{'attributes':{'POSITION':0},'indices':2}]}]"
#define ASSET "'asset':{'version':'2.0'}"
#define SQUARE ASSET "," VIEWS "," ACCESSORS

/* Quotes are written as apostrophes here. */
static void put_json(bytes *b, const char *text)
{
    for (; *text; text++)
        b->data[b->size++] = (unsigned char)(*text == '\'' ? '"' : *text);
}

/* A text file with the buffer inside; `uri` NULL embeds it. */
static bytes make_text(const char *document, const bytes *buffer, const char *uri)
{
    bytes b = {.size = 0};
    put_json(&b, "{");
    put_json(&b, document);
    put_words(&b, ",\"buffers\":[{\"byteLength\":%zu,\"uri\":\"", buffer->size);
    if (uri)
        put_words(&b, "%s", uri);
    else
        put_words(&b, "data:application/octet-stream;base64,");
    if (!uri)
        put_base64(&b, buffer);
    put_words(&b, "\"}]}");
    return b;
}

static bytes make_binary(const char *document, const bytes *buffer)
{
    bytes text = {.size = 0}, b = {.order = LITTLE};
    put_json(&text, "{");
    put_json(&text, document);
    put_words(&text, ",\"buffers\":[{\"byteLength\":%zu}]}", buffer->size);
    while (text.size % 4)
        put_words(&text, " ");
    const size_t padded = (buffer->size + 3) / 4 * 4;
    memcpy(b.data, "glTF", 4);
    b.size = 4;
    put_int(&b, 2);
    put_int(&b, (int)(28 + text.size + padded));
    put_int(&b, (int)text.size);
    memcpy(b.data + b.size, "JSON", 4);
    memcpy(b.data + b.size + 4, text.data, text.size);
    b.size += 4 + text.size;
    put_int(&b, (int)padded);
    memcpy(b.data + b.size, "BIN", 4);
    memcpy(b.data + b.size + 4, buffer->data, buffer->size);
    b.size += 4 + padded;
    return b;
}

static prc_result parse(const char *name, const bytes *b, bool split, prc_mesh *mesh)
{
    char *copy = prc_alloc(b->size + 1, 1);
    report = (prc_mesh_report){0};
    error = (prc_error){0};
    memcpy(copy, b->data, b->size);
    const prc_mesh_source source = {name, copy, b->size, split, &report, false};
    const prc_result result = prc_mesh_parse(mesh, &source, &error);
    prc_free(copy);
    return result;
}

#define CHECK_READ(what) CHECK_TEXT((what) == PRC_OK ? "read" : error.message, "read")

/* The square with these other parts of the document, read. */
static prc_result read_square(const char *document, prc_mesh *mesh)
{
    bytes buffer = {.size = 0};
    put_square(&buffer);
    const bytes b = make_text(document, &buffer, NULL);
    return parse("a.gltf", &b, false, mesh);
}

static bool is_at(const prc_mesh *mesh, int vertex, double x, double y, double z)
{
    const double *p = mesh->positions + 3 * (size_t)vertex;
    return fabs(p[0] - x) + fabs(p[1] - y) + fabs(p[2] - z) < 1e-12;
}

static bool has_note(const char *text)
{
    for (int k = 0; k < report.note_count; k++)
        if (strstr(report.notes[k], text))
            return true;
    return false;
}

/* ---- the same mesh in every wrapping ---- */

TEST(binary_embedded_and_separate_buffers_give_the_same_mesh)
{
    bytes buffer = {.size = 0};
    put_square(&buffer);
    const bytes files[3] = {make_binary(SQUARE "," MESH, &buffer), make_text(SQUARE "," MESH, &buffer, NULL),
                            make_text(SQUARE "," MESH, &buffer, "my%20data.bin")};
    put_bytes("my data.bin", buffer.data, buffer.size);
    static const char *const names[3] = {"a.glb", "b.gltf", "c.gltf"};
    for (int k = 0; k < 3; k++) {
        prc_mesh mesh;
        CHECK_READ(prc_mesh_read(&mesh, put_bytes(names[k], files[k].data, files[k].size), &error));
        CHECK(mesh.vertex_count == 4 && has_triangles(&mesh, 2, (int[]){0, 1, 2, 0, 2, 3}));
        CHECK(is_at(&mesh, 2, 1, 1, 0) && !mesh.texture && group_is(&mesh, "m", 4, (int[]){0, 1, 2, 3}));
        prc_mesh_release(&mesh);
    }
}

TEST(nodes_put_their_meshes_where_their_matrices_say)
{
    prc_mesh mesh;
    CHECK_READ(read_square(SQUARE "," MESH ",'scene':0,'scenes':[{'nodes':[1]}],'nodes':["
                                  "{'name':'child','mesh':0,'scale':[2,2,2]},"
                                  "{'translation':[10,0,0],'rotation':[0,0,0.70710678118654757,0.70710678118654757],"
                                  "'children':[0,2]},"
                                  "{'mesh':0,'matrix':[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]},"
                                  "{'name':'not in the scene','mesh':0}]",
                           &mesh));
    CHECK(mesh.vertex_count == 8 && mesh.triangle_count == 4);
    CHECK(is_at(&mesh, 0, 10, 0, 0) && is_at(&mesh, 1, 10, 2, 0) && is_at(&mesh, 3, 8, 0, 0)); /* a quarter turn */
    CHECK(is_at(&mesh, 4, 10, 0, 5) && is_at(&mesh, 5, 10, 1, 5));
    CHECK(group_is(&mesh, "child", 4, (int[]){0, 1, 2, 3}) && group_is(&mesh, "m", 4, (int[]){4, 5, 6, 7}));
    prc_mesh_release(&mesh);
    /* Without a scene, all nodes that are no children. */
    CHECK_READ(read_square(SQUARE "," MESH ",'nodes':[{'mesh':0},{'mesh':0,'translation':[0,0,7]}]", &mesh));
    CHECK(mesh.vertex_count == 8 && is_at(&mesh, 4, 0, 0, 7));
    prc_mesh_release(&mesh);
}

TEST(a_mirror_turns_triangles_over)
{
    prc_mesh mesh;
    CHECK_READ(read_square(SQUARE "," MESH ",'nodes':[{'mesh':0,'scale':[-1,1,1]}]", &mesh));
    CHECK(is_at(&mesh, 1, -1, 0, 0) && has_triangles(&mesh, 2, (int[]){0, 2, 1, 0, 3, 2}));
    prc_mesh_release(&mesh);
}

/* ---- kinds of numbers and of triangles ---- */

TEST(triangles_strips_and_fans_with_indices_of_every_size_are_the_same_square)
{
    static const struct {
        int mode, kind, count;
        unsigned corners[6];
        int triangles[6];
    } cases[] = {
        {4, 5121, 6, {0, 1, 2, 0, 2, 3}, {0, 1, 2, 0, 2, 3}}, {4, 5123, 6, {0, 1, 2, 0, 2, 3}, {0, 1, 2, 0, 2, 3}},
        {4, 5125, 6, {0, 1, 2, 0, 2, 3}, {0, 1, 2, 0, 2, 3}}, {5, 5125, 4, {3, 0, 2, 1}, {3, 0, 2, 2, 0, 1}},
        {5, 5121, 6, {3, 0, 2, 1, 1, 1}, {3, 0, 2, 2, 0, 1}}, /* the rest has no area */
        {6, 5123, 4, {0, 1, 2, 3}, {0, 1, 2, 0, 2, 3}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int size = cases[k].kind == 5121 ? 1 : cases[k].kind == 5123 ? 2 : 4;
        bytes buffer = {.size = 0};
        char document[2000];
        prc_mesh mesh;
        put_square(&buffer);
        buffer.size = 80;
        for (int c = 0; c < cases[k].count; c++)
            put_raw(&buffer, (const uint32_t[]){cases[k].corners[c]}, (size_t)size);
        snprintf(document, sizeof document,
                 ASSET ",'bufferViews':[{'buffer':0,'byteLength':48},{'buffer':0,'byteOffset':80,'byteLength':%d}],"
                       "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},"
                       "{'bufferView':1,'componentType':%d,'count':%d,'type':'SCALAR'}],"
                       "'meshes':[{'primitives':[{'mode':%d,'attributes':{'POSITION':0},'indices':1}]}]",
                 cases[k].count * size, cases[k].kind, cases[k].count, cases[k].mode);
        const bytes b = make_text(document, &buffer, NULL);
        CHECK_READ(parse("a.gltf", &b, false, &mesh));
        CHECK(has_triangles(&mesh, 2, cases[k].triangles));
        prc_mesh_release(&mesh);
    }
    prc_mesh mesh; /* without indices */
    CHECK_READ(read_square(SQUARE ",'meshes':[{'primitives':[{'mode':6,'attributes':{'POSITION':0}}]}]", &mesh));
    CHECK(has_triangles(&mesh, 2, (int[]){0, 1, 2, 0, 2, 3}));
    prc_mesh_release(&mesh);
}

TEST(sparse_numbers_replace_those_under_them)
{
    bytes buffer = {.size = 0};
    prc_mesh mesh;
    put_square(&buffer);
    put_raw(&buffer, (const uint16_t[]){2}, 2);
    put_raw(&buffer, (const uint16_t[]){0}, 2);
    for (int k = 0; k < 3; k++)
        put_single(&buffer, 7 + k);
    const bytes b =
        make_text(ASSET ",'bufferViews':[{'buffer':0,'byteLength':48},{'buffer':0,'byteOffset':92,"
                        "'byteLength':4},{'buffer':0,'byteOffset':96,'byteLength':12}],"
                        "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3','sparse':{"
                        "'count':1,'indices':{'bufferView':1,'componentType':5123},'values':{'bufferView':2}}}],"
                        "'meshes':[{'primitives':[{'mode':6,'attributes':{'POSITION':0}}]}]",
                  &buffer, NULL);
    CHECK_READ(parse("a.gltf", &b, false, &mesh));
    CHECK(is_at(&mesh, 2, 7, 8, 9) && is_at(&mesh, 1, 1, 0, 0));
    prc_mesh_release(&mesh);
}

TEST(quantised_and_interleaved_positions_are_read)
{
    bytes buffer = {.order = LITTLE};
    prc_mesh mesh;
    static const int16_t x[3][4] = {{0, 0, 0, 99}, {32767, 0, -32768, 99}, {0, 32767, 0, 99}};
    for (int k = 0; k < 12; k++)
        put_raw(&buffer, &x[k / 4][k % 4], 2);
    const bytes b = make_text(
        ASSET ",'extensionsRequired':['KHR_mesh_quantization'],"
              "'bufferViews':[{'buffer':0,'byteLength':24,'byteStride':8}],'accessors':[{'bufferView':0,"
              "'componentType':5122,'normalized':true,'count':3,'type':'VEC3'}],"
              "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],'nodes':[{'mesh':0,'scale':[2,2,2]}]",
        &buffer, NULL);
    CHECK_READ(parse("a.gltf", &b, false, &mesh));
    CHECK(is_at(&mesh, 1, 2, 0, -2) && is_at(&mesh, 2, 0, 2, 0));
    prc_mesh_release(&mesh);
}

/* ---- vertices that glTF parts ---- */

/* Two triangles that share an edge in space, not by vertices; `u` is where the second has that edge in its texture. */
static bytes parted(double u)
{
    bytes buffer = {.order = LITTLE};
    static const double x[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, -0.0}, {0, 1, 0}};
    for (int k = 0; k < 18; k++)
        put_single(&buffer, x[k / 3][k % 3]);
    for (int k = 0; k < 6; k++) {
        put_single(&buffer, x[k][0] + (k == 3 || k == 4 ? u : 0));
        put_single(&buffer, 1 - x[k][1]);
    }
    return make_text(ASSET
                     ",'bufferViews':[{'buffer':0,'byteLength':72},{'buffer':0,'byteOffset':72,'byteLength':48}],"
                     "'accessors':[{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3'},"
                     "{'bufferView':1,'componentType':5126,'count':6,'type':'VEC2'}],'materials':[{'name':'red'}],"
                     "'meshes':[{'name':'m','primitives':[{'material':0,'attributes':{'POSITION':0,'TEXCOORD_0':1}}]}]",
                     &buffer, NULL);
}

TEST(vertices_in_the_same_place_are_joined_and_kept_apart_when_asked)
{
    prc_mesh mesh;
    bytes b = parted(0);
    CHECK_READ(parse("a.gltf", &b, false, &mesh));
    CHECK(mesh.vertex_count == 4 && has_triangles(&mesh, 2, (int[]){0, 1, 2, 0, 2, 3}));
    CHECK(has_note("2 vertices merged with others at the same position") && report.torn_vertices == 0);
    CHECK(mesh.texture && mesh.texture[5] == 1 && mesh.texture[1] == 0); /* v points up */
    CHECK(group_is(&mesh, "red", 4, (int[]){0, 1, 2, 3}) && prc_mesh_check(&mesh, NULL) == PRC_OK);
    prc_mesh_release(&mesh);
    CHECK_READ(parse("a.gltf", &b, true, &mesh));
    CHECK(mesh.vertex_count == 6 && has_triangles(&mesh, 2, (int[]){0, 1, 2, 3, 4, 5}) && mesh.texture);
    prc_mesh_release(&mesh);
    b = parted(0.5); /* a seam of the texture: the mesh stays whole, the texture is told to be torn */
    CHECK_READ(parse("a.gltf", &b, false, &mesh));
    CHECK(mesh.vertex_count == 4 && !mesh.texture && report.torn_vertices == 2 && report.first_torn == 0);
    prc_mesh_release(&mesh);
}

TEST(what_is_left_out_is_said)
{
    prc_mesh mesh;
    CHECK_READ(read_square(SQUARE ",'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':2,'targets':[{}]},"
                                  "{'mode':1,'attributes':{'POSITION':0}}]}],'animations':[{}],"
                                  "'nodes':[{'mesh':0,'skin':0,'translation':[9,9,9]}]",
                           &mesh));
    CHECK(has_note("1 primitives of lines or points skipped") && has_note("animation ignored"));
    CHECK(has_note("1 meshes with a skeleton") && is_at(&mesh, 1, 1, 0, 0));
    prc_mesh_release(&mesh);
}

/* ---- what is refused ---- */

#define LEAD ASSET "," VIEWS ","
#define LEAD_SQUARE SQUARE ","

TEST(each_malformed_document_gives_its_message)
{
    static const struct {
        const char *document, *message;
    } table[] = {
        {"'asset':{}", "a.gltf: this is not a glTF file; expected asset.version"},
        {"'asset':{'version':'1.0'}", "a.gltf: found glTF version '1.0'; expected 2.0"},
        {ASSET ",'meshes':{}", "a.gltf: meshes: expected a list"},
        {ASSET ",'extensionsRequired':['KHR_draco_mesh_compression']",
         "a.gltf: needs the extension 'KHR_draco_mesh_compression', which is not supported; save the file without it "
         "(no compression)"},
        {ASSET, "a.gltf: found no triangles; expected a mesh"},
        {ASSET ",'bufferViews':[{'buffer':1,'byteLength':4}]",
         "a.gltf: bufferViews[0].buffer: expected a whole number, 0 to 0"},
        {ASSET ",'bufferViews':[{'buffer':0,'byteLength':93}]",
         "a.gltf: bufferViews[0]: bytes 0 to 93; buffers[0] has 92"},
        {ASSET ",'bufferViews':[{'buffer':0,'byteOffset':-4,'byteLength':93}]",
         "a.gltf: bufferViews[0].byteOffset: expected a whole number, 0 to 2147483648"},
        {LEAD "'accessors':[{'bufferView':0,'componentType':5126,'count':5,'type':'VEC3'}]",
         "a.gltf: accessors[0]: 5 elements of 12 bytes, 12 apart, end at byte 60 of bufferViews[0], which has 48"},
        {LEAD "'accessors':[{'bufferView':0,'componentType':5124,'count':1,'type':'VEC3'}]",
         "a.gltf: accessors[0].componentType: expected 5120 to 5123, 5125 or 5126"},
        {LEAD "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'VEC5'}]",
         "a.gltf: accessors[0].type: expected SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4"},
        {LEAD "'accessors':[{'bufferView':0,'componentType':5126,'count':0.5,'type':'VEC3'}]",
         "a.gltf: accessors[0].count: expected a whole number, 1 to 2147483647"},
        {LEAD "'accessors':[{'componentType':5126,'count':4,'type':'VEC3'}],"
              "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]",
         "a.gltf: meshes[0].primitives[0]: accessors[0] is used for positions; expected 3 numbers each and a "
         "bufferView: it has none"},
        {LEAD "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':5}}]",
         "a.gltf: accessors[0].sparse.count: expected a whole number, 1 to 4"},
        {LEAD_SQUARE "'meshes':[{'primitives':[{'attributes':{'POSITION':1}}]}]",
         "a.gltf: meshes[0].primitives[0]: accessors[1] is used for positions; expected 3 numbers each"},
        {LEAD_SQUARE "'meshes':[{'primitives':[{'attributes':{'POSITION':3}}]}]",
         "a.gltf: meshes[0].primitives[0].POSITION: expected a whole number, 0 to 2"},
        {LEAD_SQUARE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]",
         "a.gltf: meshes[0].primitives[0]: accessors[1] is used for indices; expected 1 number each"},
        {LEAD_SQUARE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':7}]}]",
         "a.gltf: meshes[0].primitives[0].mode: expected a whole number, 0 to 6"},
        {LEAD_SQUARE "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]",
         "a.gltf: found 4 corners of triangles; expected three each"},
        {LEAD_SQUARE "'meshes':[{}]", "a.gltf: meshes[0].primitives: expected a list"},
        {LEAD_SQUARE MESH ",'nodes':[{'mesh':1}]", "a.gltf: nodes[0].mesh: expected a whole number, 0 to 0"},
        {LEAD_SQUARE MESH ",'nodes':[{'matrix':[1,2,3]}]", "a.gltf: nodes[0].matrix: expected 16 numbers"},
        {LEAD_SQUARE MESH ",'scenes':[{'nodes':[0]}],'nodes':[{'children':[1]},{'children':[0]}]",
         "a.gltf: nodes[1]: node 0 is in the tree twice"},
        {LEAD_SQUARE MESH ",'scenes':[{'nodes':[5]}],'nodes':[{}]",
         "a.gltf: scenes.nodes: expected node numbers, 0 to 0"},
        {LEAD_SQUARE MESH ",'nodes':[{'mesh':0,'scale':[1e300,1,1],'children':[1]},{'mesh':0,'scale':[1e300,1,1]}]",
         "a.gltf: a node transformation makes a vertex position infinite"},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        prc_mesh mesh;
        CHECK(read_square(table[k].document, &mesh) == PRC_ERROR_INPUT);
        if (strcmp(error.message, table[k].message) != 0)
            printf("    row %zu: found    %s\n", k, error.message);
        CHECK(!strcmp(error.message, table[k].message) && !mesh.positions && !mesh.groups);
    }
}

TEST(buffers_come_from_beside_the_file_only)
{
    static const struct {
        const char *uri, *says;
    } cases[] = {{"../a.bin", "buffers[0].uri: expected the name of a file in the same folder"},
                 {"b/../../a.bin", "expected the name of a file in the same folder"},
                 {"/etc/passwd", "expected the name of a file in the same folder"},
                 {"http://example.org/a.bin", "expected the name of a file in the same folder"},
                 {"%2e%2e/a.bin", "expected the name of a file in the same folder"},
                 {"missing.bin", "missing.bin: cannot be opened"},
                 {"data:text/plain,abc", "expected ';base64,' in a data: URI"},
                 {"data:;base64,a?", "expected base64 after data:"},
                 {"data:;base64,AAAA", "buffers[0]: found 3 bytes; byteLength says 92"}};
    bytes buffer = {.size = 0};
    put_square(&buffer);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const bytes b = make_text(SQUARE "," MESH, &buffer, cases[k].uri);
        prc_mesh mesh;
        CHECK(parse("/tmp/no/a.gltf", &b, false, &mesh) != PRC_OK);
        CHECK_TEXT(error.message, cases[k].says);
    }
}

TEST(damaged_containers_are_refused_with_the_reason)
{
    static const struct {
        size_t at;
        unsigned char byte;
        const char *says;
    } cases[] = {{4, 1, "found glTF version 1; expected 2"},
                 {10, 1, "the file is truncated or damaged"},
                 {14, 1, "a chunk of "},
                 {16, 'X', "the first chunk is not JSON"},
                 {20, '[', "a.glb:1: "}};
    bytes buffer = {.size = 0};
    prc_mesh mesh;
    put_square(&buffer);
    const bytes good = make_binary(SQUARE "," MESH, &buffer);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bytes b = good;
        b.data[cases[k].at] = cases[k].byte;
        CHECK(parse("a.glb", &b, false, &mesh) == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, cases[k].says);
    }
    bytes wrong = good;
    CHECK(parse("a.obj", &wrong, false, &mesh) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "the content looks like binary glTF");
}

TEST(damaged_files_never_break_the_reader)
{
    bytes buffer = {.size = 0};
    put_square(&buffer);
    const bytes files[2] = {make_binary(SQUARE "," MESH ",'nodes':[{'mesh':0}]", &buffer),
                            make_text(SQUARE "," MESH ",'nodes':[{'mesh':0,'children':[]}]", &buffer, NULL)};
    for (int f = 0; f < 2; f++) {
        prc_mesh mesh;
        CHECK_READ(parse("a.gltf", &files[f], false, &mesh));
        prc_mesh_release(&mesh);
        for (unsigned round = 0; round < 4000 + files[f].size; round++) {
            bytes b = files[f];
            uint32_t hash = (round + 1) * 2654435761u;
            if (round >= 4000)
                b.size = round - 4000;
            for (int k = 0; k < 3 && round < 4000; k++, hash = hash * 1664525u + 1013904223u)
                b.data[(hash >> 8) % b.size] =
                    k % 2 ? (unsigned char)"0123456789-[]{},:"[(hash >> 20) % 17] : (unsigned char)(hash >> 24);
            const prc_result result = parse("a.gltf", &b, round % 2, &mesh);
            CHECK(result == PRC_OK || (error.message[0] && !mesh.positions && !mesh.triangles && !mesh.groups));
            for (int k = 0; mesh.triangles && k < 3 * mesh.triangle_count; k++)
                CHECK(mesh.triangles[k] >= 0 && mesh.triangles[k] < mesh.vertex_count);
            prc_mesh_release(&mesh);
        }
    }
}

TEST(running_out_of_memory_is_reported)
{
    const bytes b = parted(0);
    char path[500];
    snprintf(path, sizeof path, "%s", put_bytes("memory.gltf", b.data, b.size));
    int failures = 0;
    prc_result result = PRC_ERROR_MEMORY;
    for (int limit = 0; limit < 300 && result; limit++) {
        prc_mesh mesh = {0};
        prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
        allocations_left = limit;
        result = prc_mesh_read(&mesh, path, &error);
        failures += result == PRC_ERROR_MEMORY;
        prc_mesh_release(&mesh);
        prc_set_allocator((prc_allocator){NULL, NULL, NULL});
        CHECK(result == PRC_OK || result == PRC_ERROR_MEMORY);
    }
    CHECK(result == PRC_OK && failures >= 15);
}

/* ---- JSON ---- */

static prc_result read_json(prc_json_tree *tree, char *text)
{
    error = (prc_error){0};
    return prc_json_read(tree, "x", text, strlen(text), &error);
}

TEST(json_values_are_what_they_say)
{
    prc_json_tree tree;
    char text[] =
        " {\"a\": [1, -2.5e-1, true, false, null, \"\"], \"b\\u00e9\\ud83d\\ude00\": \"\\\"\\\\\\n\", \"a\": 0} ";
    CHECK_READ(read_json(&tree, text));
    const prc_json_value *a = prc_json_find(&tree, tree.values, "a");
    CHECK(a && a->kind == PRC_JSON_ARRAY && a->count == 6);
    CHECK(prc_json_member(&tree, a, 0)->number == 1 && prc_json_member(&tree, a, 1)->number == -0.25);
    CHECK(prc_json_member(&tree, a, 2)->number == 1 && prc_json_member(&tree, a, 3)->kind == PRC_JSON_BOOL);
    CHECK(prc_json_member(&tree, a, 4)->kind == PRC_JSON_NULL && !prc_json_member(&tree, a, 5)->text[0]);
    const prc_json_value *b = prc_json_find(&tree, tree.values, "b\xc3\xa9\xf0\x9f\x98\x80");
    CHECK(b && !strcmp(b->text, "\"\\\n") && !prc_json_find(&tree, tree.values, "c") && !prc_json_find(&tree, b, "c"));
    prc_json_tree_release(&tree);
}

TEST(json_that_is_wrong_is_refused_with_its_line)
{
    static const struct {
        const char *text, *message;
    } table[] = {{"", "x:1: the JSON text ends here; expected a value"},
                 {"{\n\n'a' 1}", "x:3: found '1'; expected ':' after a key"},
                 {"[1,]", "x:1: found ']'; expected a value"},
                 {"[1 2]", "x:1: found '2'; expected ',' or ']'"},
                 {"{'a':1,}", "x:1: found '}'; expected a key in quotes"},
                 {"[1", "x:1: the JSON text ends here; expected ',' or ']'"},
                 {"'a", "x:1: a string is not closed"},
                 {"'\\x'", "x:1: invalid escape after '\\' in a string"},
                 {"'\\u12'", "x:1: found '\\u' without four digits of a nonzero character"},
                 {"'\\u0000'", "x:1: found '\\u' without four digits of a nonzero character"},
                 {"'\\ud800'", "x:1: found an unpaired surrogate '\\u'"},
                 {"'\n'", "x:1: found the byte 10 in a string; expected its end, or an escape"},
                 {"01", "x:1: expected a JSON number: -12, 0.5, 1e-3"},
                 {"-", "x:1: expected a JSON number: -12, 0.5, 1e-3"},
                 {"1.", "x:1: expected a JSON number: -12, 0.5, 1e-3"},
                 {"1e999", "x:1: found a number that is too large"},
                 {"nul", "x:1: found 'n'; expected a value"},
                 {"\xff", "x:1: found the byte 255; expected a value"},
                 {"1 1", "x:1: found '1'; expected the end of the JSON text"}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        prc_json_tree tree;
        char text[100];
        snprintf(text, sizeof text, "%s", table[k].text);
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        CHECK(read_json(&tree, text) == PRC_ERROR_INPUT && !tree.values && !tree.members);
        if (strcmp(error.message, table[k].message) != 0)
            printf("    row %zu: found    %s\n", k, error.message);
        CHECK(!strcmp(error.message, table[k].message));
    }
    char deep[200];
    prc_json_tree tree;
    memset(deep, '[', 199);
    deep[199] = '\0';
    CHECK(read_json(&tree, deep) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "more than 64 levels of brackets");
}

TEST_MAIN()
