/* io/gltf_file.c — see gltf_file.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/gltf_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/scan.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER 12
#define CHUNK_HEADER 8
#define PATH_SIZE 1100
enum { BYTE = 5120, UBYTE, SHORT, USHORT, UINT = 5125, FLOAT = 5126 };

static int size_of(int kind)
{
    return kind == BYTE || kind == UBYTE ? 1 : kind == SHORT || kind == USHORT ? 2 : 4;
}

static uint64_t bits_at(const unsigned char *at, int size)
{
    return prc_scan_bits((const char *)at, size, false);
}

/* ---- keys ---- */

const prc_json_value *prc_gltf_list(const prc_gltf *g, const char *key)
{
    return prc_json_find(&g->tree, g->root, key);
}

static prc_result fail_key(const prc_gltf *g, const char *where, const char *key, const char *expected)
{
    return prc_fail(g->error, PRC_ERROR_INPUT, "%s: %s.%s: expected %s", g->path, where, key, expected);
}

static prc_result read_whole(const prc_gltf *g, const prc_json_value *object, const char *where, const char *key,
                             double least, double most, double missing, double *number)
{
    const prc_json_value *value = prc_json_find(&g->tree, object, key);
    *number = missing;
    if (!value && missing >= least)
        return PRC_OK;
    if (value && value->kind == PRC_JSON_NUMBER && value->number >= least && value->number <= most &&
        value->number == floor(value->number)) {
        *number = value->number;
        return PRC_OK;
    }
    char expected[80];
    snprintf(expected, sizeof expected, "a whole number, %.0f to %.0f", least, most);
    return fail_key(g, where, key, expected);
}

prc_result prc_gltf_index(const prc_gltf *g, const prc_json_value *object, const char *where, const char *key,
                          int count, int *index)
{
    double number = -1;
    *index = -1;
    if (!prc_json_find(&g->tree, object, key))
        return PRC_OK;
    if (!count)
        return fail_key(g, where, key, "nothing: the file has none");
    prc_result result = read_whole(g, object, where, key, 0, count - 1.0, -1, &number);
    *index = (int)number;
    return result;
}

prc_result prc_gltf_numbers(const prc_gltf *g, const prc_json_value *object, const char *where, const char *key,
                            int count, double *numbers, bool *found)
{
    const prc_json_value *list = prc_json_find(&g->tree, object, key);
    *found = list != NULL;
    bool good = !list || (list->kind == PRC_JSON_ARRAY && list->count == count);
    for (int k = 0; list && good && k < count; k++) {
        const prc_json_value *value = prc_json_member(&g->tree, list, k);
        good = value->kind == PRC_JSON_NUMBER;
        numbers[k] = value->number;
    }
    char expected[40];
    snprintf(expected, sizeof expected, "%d numbers", count);
    return good ? PRC_OK : fail_key(g, where, key, expected);
}

/* ---- the container ---- */

static prc_result find_chunks(prc_gltf *g, char *data, size_t size, char **text, size_t *length)
{
    const unsigned char *bytes = (const unsigned char *)data;
    if (size < HEADER + CHUNK_HEADER)
        return prc_fail(g->error, PRC_ERROR_INPUT, "%s: %zu bytes; too short for a GLB file", g->path, size);
    const uint64_t version = bits_at(bytes + 4, 4), announced = bits_at(bytes + 8, 4);
    if (version != 2)
        return prc_fail(g->error, PRC_ERROR_INPUT, "%s: found glTF version %llu; expected 2", g->path,
                        (unsigned long long)version);
    if (announced > size || announced < HEADER + CHUNK_HEADER)
        return prc_fail(g->error, PRC_ERROR_INPUT,
                        "%s: the header says %llu bytes, but there are %zu; the file is truncated or damaged", g->path,
                        (unsigned long long)announced, size);
    for (uint64_t at = HEADER; at + CHUNK_HEADER <= announced;) {
        const uint64_t chunk = bits_at(bytes + at, 4), left = announced - at - CHUNK_HEADER;
        const unsigned char *type = bytes + at + 4;
        if (chunk > left)
            return prc_fail(
                g->error, PRC_ERROR_INPUT,
                "%s: byte %llu: a chunk of %llu bytes, but only %llu are left; the file is truncated or damaged",
                g->path, (unsigned long long)at, (unsigned long long)chunk, (unsigned long long)left);
        if (at == HEADER && memcmp(type, "JSON", 4) != 0)
            return prc_fail(g->error, PRC_ERROR_INPUT, "%s: the first chunk is not JSON", g->path);
        if (at == HEADER) {
            *text = data + at + CHUNK_HEADER;
            *length = (size_t)chunk;
        } else if (!memcmp(type, "BIN", 4) && !g->chunk) {
            g->chunk = type + 4;
            g->chunk_size = chunk;
        }
        at += CHUNK_HEADER + chunk;
    }
    return PRC_OK;
}

/* Extensions without which the triangles are the same. */
static bool is_harmless(const char *name)
{
    static const char *const starts[] = {
        "KHR_materials_", "KHR_texture_",  "KHR_lights_",           "EXT_lights_",           "EXT_texture_",
        "KHR_xmp",        "MSFT_texture_", "KHR_mesh_quantization", "KHR_animation_pointer", "KHR_node_visibility"};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (!strncmp(name, starts[k], strlen(starts[k])))
            return true;
    return false;
}

static prc_result check_document(const prc_gltf *g)
{
    static const char *const lists[] = {"buffers", "bufferViews", "accessors", "meshes",
                                        "nodes",   "scenes",      "materials", "extensionsRequired"};
    const prc_json_value *version = prc_json_find(&g->tree, prc_gltf_list(g, "asset"), "version");
    if (!version || version->kind != PRC_JSON_TEXT)
        return prc_fail(g->error, PRC_ERROR_INPUT, "%s: this is not a glTF file; expected asset.version", g->path);
    if (strncmp(version->text, "2.", 2) != 0)
        return prc_fail(g->error, PRC_ERROR_INPUT, "%s: found glTF version '%.20s'; expected 2.0", g->path,
                        version->text);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const prc_json_value *list = prc_gltf_list(g, lists[k]);
        if (list && list->kind != PRC_JSON_ARRAY)
            return prc_fail(g->error, PRC_ERROR_INPUT, "%s: %s: expected a list", g->path, lists[k]);
    }
    const prc_json_value *needed = prc_gltf_list(g, "extensionsRequired");
    for (int k = 0; needed && k < needed->count; k++) {
        const prc_json_value *name = prc_json_member(&g->tree, needed, k);
        if (name->kind != PRC_JSON_TEXT || !is_harmless(name->text))
            return prc_fail(
                g->error, PRC_ERROR_INPUT,
                "%s: needs the extension '%.60s', which is not supported; save the file without it (no compression)",
                g->path, name->kind == PRC_JSON_TEXT ? name->text : "?");
    }
    return PRC_OK;
}

/* ---- buffers ---- */

static int base64_digit(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static prc_result decode_base64(const prc_gltf *g, const char *text, const char *where, prc_gltf_buffer *buffer)
{
    const size_t length = strcspn(text, "=");
    unsigned char *data = prc_alloc(length / 4 * 3 + 3, 1);
    unsigned bits = 0;
    int held = 0;
    if (!data)
        return PRC_FAIL_MEMORY(g->error);
    buffer->own = data;
    buffer->data = data;
    for (size_t k = 0; k < length; k++) {
        const int digit = base64_digit((unsigned char)text[k]);
        if (digit < 0)
            return fail_key(g, where, "uri", "base64 after data:");
        bits = bits << 6 | (unsigned)digit;
        held += 6;
        if (held >= 8) {
            held -= 8;
            data[buffer->size++] = (unsigned char)(bits >> held);
        }
    }
    return PRC_OK;
}

/* The path of a file beside this one: %20 and the like are characters. False where it does not fit. */
static bool resolve(const prc_gltf *g, const char *uri, char path[PATH_SIZE])
{
    const char *slash = strrchr(g->path, '/');
    const size_t folder = slash ? (size_t)(slash - g->path) + 1 : 0;
    size_t used = folder;
    if (folder + strlen(uri) >= PATH_SIZE)
        return false;
    memcpy(path, g->path, folder);
    while (*uri) {
        unsigned code;
        char digits[3] = {0};
        memcpy(digits, uri + 1, uri[0] == '%' && uri[1] ? 2 : 0);
        if (uri[0] == '%' && strspn(digits, "0123456789abcdefABCDEF") == 2 && sscanf(digits, "%2x", &code) == 1 &&
            code) {
            path[used++] = (char)code;
            uri += 3;
        } else {
            path[used++] = *uri++;
        }
    }
    path[used] = '\0';
    return true;
}

/* Whether a name stays beside the file or below: no other place of the disk, no other machine. */
static bool stays(const char *name)
{
    if (name[0] == '/' || strchr(name, ':') || strchr(name, '\\'))
        return false;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
            return false;
    }
    return true;
}

static prc_result load_buffer(prc_gltf *g, const char *uri, const char *where, prc_gltf_buffer *buffer)
{
    char path[PATH_SIZE], *data;
    size_t size;
    const char *slash = strrchr(g->path, '/');
    if (!strncmp(uri, "data:", 5)) {
        const char *comma = strchr(uri, ',');
        if (!comma || comma - uri < 7 || strncmp(comma - 7, ";base64", 7) != 0)
            return fail_key(g, where, "uri", "';base64,' in a data: URI");
        return decode_base64(g, comma + 1, where, buffer);
    }
    if (!resolve(g, uri, path) || !stays(path + (slash ? slash - g->path + 1 : 0)))
        return fail_key(g, where, "uri", "the name of a file in the same folder or below, or data:");
    prc_result result = prc_file_read_most(path, PRC_MOST_MESH_BYTES - g->loaded, &data, &size, g->error);
    if (result)
        return result;
    buffer->own = data;
    buffer->data = (const unsigned char *)data;
    buffer->size = size;
    g->loaded += size;
    return PRC_OK;
}

static prc_result read_buffer(prc_gltf *g, const prc_json_value *value, int b)
{
    prc_gltf_buffer *buffer = &g->buffers[b];
    const prc_json_value *uri = prc_json_find(&g->tree, value, "uri");
    char where[40];
    double length;
    snprintf(where, sizeof where, "buffers[%d]", b);
    prc_result result = read_whole(g, value, where, "byteLength", 1, (double)PRC_MOST_MESH_BYTES, -1, &length);
    if (result)
        return result;
    if (!uri && b == 0 && g->chunk) {
        buffer->data = g->chunk;
        buffer->size = g->chunk_size;
    } else if (!uri || uri->kind != PRC_JSON_TEXT) {
        return fail_key(g, where, "uri", b ? "a text" : "a text, or the binary chunk of a GLB file");
    } else {
        result = load_buffer(g, uri->text, where, buffer);
    }
    if (!result && length > (double)buffer->size)
        return prc_fail(g->error, PRC_ERROR_INPUT, "%s: %s: found %llu bytes; byteLength says %.0f", g->path, where,
                        (unsigned long long)buffer->size, length);
    buffer->size = (uint64_t)length;
    return result;
}

static prc_result read_view(prc_gltf *g, const prc_json_value *value, int v)
{
    char where[40];
    int buffer;
    double offset = 0, length = 0, stride = 0;
    const double most = (double)PRC_MOST_MESH_BYTES;
    snprintf(where, sizeof where, "bufferViews[%d]", v);
    prc_result result = prc_gltf_index(g, value, where, "buffer", g->buffer_count, &buffer);
    if (!result && buffer < 0)
        result = fail_key(g, where, "buffer", "the number of a buffer");
    if (!result)
        result = read_whole(g, value, where, "byteOffset", 0, most, 0, &offset);
    if (!result)
        result = read_whole(g, value, where, "byteLength", 1, most, -1, &length);
    if (!result)
        result = read_whole(g, value, where, "byteStride", 0, 252, 0, &stride);
    if (!result && offset + length > (double)g->buffers[buffer].size)
        result = prc_fail(g->error, PRC_ERROR_INPUT, "%s: %s: bytes %.0f to %.0f; buffers[%d] has %llu", g->path, where,
                          offset, offset + length, buffer, (unsigned long long)g->buffers[buffer].size);
    if (!result)
        g->views[v] = (prc_gltf_view){g->buffers[buffer].data + (size_t)offset, (uint64_t)length, (int)stride};
    return result;
}

/* ---- accessors ---- */

/* Finds the elements in the view that the object names, all within it. */
static prc_result place(const prc_gltf *g, const prc_json_value *value, const char *where, prc_gltf_array *array)
{
    const int element = array->components * size_of(array->kind);
    int view;
    double offset = 0;
    prc_result result = prc_gltf_index(g, value, where, "bufferView", g->view_count, &view);
    if (!result)
        result = read_whole(g, value, where, "byteOffset", 0, (double)PRC_MOST_MESH_BYTES, 0, &offset);
    if (result || view < 0)
        return result;
    array->stride = g->views[view].stride ? g->views[view].stride : element;
    const double end = offset + (double)(array->count - 1) * array->stride + element;
    if (array->stride < element || end > (double)g->views[view].size)
        return prc_fail(g->error, PRC_ERROR_INPUT,
                        "%s: %s: %llu elements of %d bytes, %d apart, end at byte %.0f of bufferViews[%d], which has "
                        "%llu",
                        g->path, where, (unsigned long long)array->count, element, array->stride, end, view,
                        (unsigned long long)g->views[view].size);
    array->data = g->views[view].data + (size_t)offset;
    return PRC_OK;
}

static prc_result read_kind(const prc_gltf *g, const prc_json_value *value, const char *where, int *kind)
{
    double number;
    prc_result result = read_whole(g, value, where, "componentType", BYTE, FLOAT, -1, &number);
    *kind = (int)number;
    return !result && *kind == 5124 ? fail_key(g, where, "componentType", "5120 to 5123, 5125 or 5126") : result;
}

static prc_result read_sparse(const prc_gltf *g, const prc_json_value *value, int a, prc_gltf_accessor *accessor)
{
    const prc_json_value *sparse = prc_json_find(&g->tree, value, "sparse");
    const prc_json_value *indices = prc_json_find(&g->tree, sparse, "indices");
    char where[40];
    double count;
    if (!sparse)
        return PRC_OK;
    snprintf(where, sizeof where, "accessors[%d].sparse", a);
    prc_result result = read_whole(g, sparse, where, "count", 1, (double)accessor->base.count, -1, &count);
    if (result)
        return result;
    accessor->sparse_indices = (prc_gltf_array){.count = (uint64_t)count, .components = 1};
    accessor->sparse_values = accessor->base;
    accessor->sparse_values.count = (uint64_t)count;
    result = read_kind(g, indices, where, &accessor->sparse_indices.kind);
    if (!result)
        result = place(g, indices, where, &accessor->sparse_indices);
    accessor->sparse_values.data = NULL;
    if (!result)
        result = place(g, prc_json_find(&g->tree, sparse, "values"), where, &accessor->sparse_values);
    if (!result && (!accessor->sparse_indices.data || !accessor->sparse_values.data))
        result = fail_key(g, where, "values", "a bufferView, and one in indices");
    return result;
}

static prc_result read_accessor(prc_gltf *g, const prc_json_value *value, int a)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"};
    static const int components[] = {1, 2, 3, 4, 4, 9, 16};
    prc_gltf_accessor *accessor = &g->accessors[a];
    const prc_json_value *type = prc_json_find(&g->tree, value, "type");
    const prc_json_value *normalized = prc_json_find(&g->tree, value, "normalized");
    char where[40];
    double count = 0;
    snprintf(where, sizeof where, "accessors[%d]", a);
    prc_result result = read_kind(g, value, where, &accessor->base.kind);
    if (!result)
        result = read_whole(g, value, where, "count", 1, INT_MAX, -1, &count);
    if (result)
        return result;
    for (size_t k = 0; type && type->kind == PRC_JSON_TEXT && k < sizeof types / sizeof *types; k++)
        if (!strcmp(type->text, types[k]))
            accessor->base.components = components[k];
    if (!accessor->base.components)
        return fail_key(g, where, "type", "SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4");
    accessor->base.count = (uint64_t)count;
    accessor->base.normalized = normalized && normalized->kind == PRC_JSON_BOOL && normalized->number != 0;
    /* Columns of small matrices are padded; nothing here reads matrices, so they are only known by name. */
    result = accessor->base.components > 4 ? PRC_OK : place(g, value, where, &accessor->base);
    return result ? result : read_sparse(g, value, a, accessor);
}

/* Reads each object of a list. */
static prc_result read_each(prc_gltf *g, const char *key, prc_result (*read)(prc_gltf *, const prc_json_value *, int))
{
    const prc_json_value *list = prc_gltf_list(g, key);
    prc_result result = PRC_OK;
    for (int k = 0; list && k < list->count && !result; k++)
        result = read(g, prc_json_member(&g->tree, list, k), k);
    return result;
}

static int count_of(const prc_gltf *g, const char *key)
{
    const prc_json_value *list = prc_gltf_list(g, key);
    return list ? list->count : 0;
}

static prc_result read_tables(prc_gltf *g)
{
    const int buffers = count_of(g, "buffers"), views = count_of(g, "bufferViews"),
              accessors = count_of(g, "accessors");
    g->buffers = PRC_NEW(prc_gltf_buffer, buffers);
    g->views = PRC_NEW(prc_gltf_view, views);
    g->accessors = PRC_NEW(prc_gltf_accessor, accessors);
    if (!g->buffers || !g->views || !g->accessors)
        return PRC_FAIL_MEMORY(g->error);
    g->buffer_count = buffers;
    g->view_count = views;
    g->accessor_count = accessors;
    prc_result result = read_each(g, "buffers", read_buffer);
    if (!result)
        result = read_each(g, "bufferViews", read_view);
    return result ? result : read_each(g, "accessors", read_accessor);
}

prc_result prc_gltf_open(prc_gltf *g, const prc_mesh_source *source, prc_error *error)
{
    char *text = source->data;
    size_t length = source->size;
    *g = (prc_gltf){.path = source->path, .error = error};
    prc_result result = PRC_OK;
    if (length >= 4 && !memcmp(text, "glTF", 4))
        result = find_chunks(g, source->data, source->size, &text, &length);
    if (!result && length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* a byte order mark */
        text += 3;
        length -= 3;
    }
    if (!result)
        result = prc_json_read(&g->tree, g->path, text, length, error);
    if (result)
        return result;
    g->root = g->tree.values;
    result = check_document(g);
    return result ? result : read_tables(g);
}

void prc_gltf_close(prc_gltf *g)
{
    for (int b = 0; b < g->buffer_count; b++)
        prc_free(g->buffers[b].own);
    prc_free(g->buffers);
    prc_free(g->views);
    prc_free(g->accessors);
    prc_json_tree_release(&g->tree);
    *g = (prc_gltf){0};
}

/* ---- numbers ---- */

static double real_at(const unsigned char *at, int kind, bool normalized)
{
    const uint64_t bits = bits_at(at, size_of(kind));
    const uint32_t low = (uint32_t)bits;
    float single;
    switch (kind) {
    case BYTE:
        return normalized ? fmax((int8_t)bits / 127.0, -1) : (int8_t)bits;
    case UBYTE:
        return normalized ? (double)bits / 255 : (double)bits;
    case SHORT:
        return normalized ? fmax((int16_t)bits / 32767.0, -1) : (int16_t)bits;
    case USHORT:
        return normalized ? (double)bits / 65535 : (double)bits;
    case UINT:
        return (double)bits;
    default:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
}

static prc_result take_reals(const prc_gltf *g, int accessor, const prc_gltf_array *from, uint64_t k, double *to)
{
    const unsigned char *at = from->data + k * (uint64_t)from->stride;
    for (int c = 0; c < from->components; c++) {
        to[c] = real_at(at + c * size_of(from->kind), from->kind, from->normalized);
        if (!isfinite(to[c]))
            return prc_fail(g->error, PRC_ERROR_INPUT, "%s: accessors[%d]: element %llu is not finite", g->path,
                            accessor, (unsigned long long)k);
    }
    return PRC_OK;
}

/* The element that number k of the sparse ones replaces. */
static prc_result replaced(const prc_gltf *g, int accessor, uint64_t k, uint64_t *index)
{
    const prc_gltf_array *indices = &g->accessors[accessor].sparse_indices;
    *index = bits_at(indices->data + k * (uint64_t)indices->stride, size_of(indices->kind));
    if (*index < g->accessors[accessor].base.count)
        return PRC_OK;
    return prc_fail(g->error, PRC_ERROR_INPUT, "%s: accessors[%d].sparse: found element %llu; it has %llu", g->path,
                    accessor, (unsigned long long)*index, (unsigned long long)g->accessors[accessor].base.count);
}

prc_result prc_gltf_read_reals(const prc_gltf *g, int accessor, double *to)
{
    const prc_gltf_accessor *a = &g->accessors[accessor];
    uint64_t index;
    prc_result result = PRC_OK;
    for (uint64_t k = 0; k < a->base.count && !result; k++)
        result = take_reals(g, accessor, &a->base, k, to + k * (uint64_t)a->base.components);
    for (uint64_t k = 0; k < a->sparse_indices.count && !result; k++) {
        result = replaced(g, accessor, k, &index);
        if (!result)
            result = take_reals(g, accessor, &a->sparse_values, k, to + index * (uint64_t)a->base.components);
    }
    return result;
}

prc_result prc_gltf_read_indices(const prc_gltf *g, int accessor, uint32_t *to)
{
    const prc_gltf_accessor *a = &g->accessors[accessor];
    const int size = size_of(a->base.kind);
    uint64_t index;
    prc_result result = PRC_OK;
    for (uint64_t k = 0; k < a->base.count; k++)
        to[k] = (uint32_t)bits_at(a->base.data + k * (uint64_t)a->base.stride, size);
    for (uint64_t k = 0; k < a->sparse_indices.count && !result; k++) {
        result = replaced(g, accessor, k, &index);
        if (!result)
            to[index] = (uint32_t)bits_at(a->sparse_values.data + k * (uint64_t)a->sparse_values.stride, size);
    }
    return result;
}
