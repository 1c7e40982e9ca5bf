/* io/vtkhdf.c — see vtkhdf.h; the layout is that of the VTKHDF specification for temporal unstructured grids.
 *
 * The file: superblock and note, cells, then frames and descriptions as they come. A frame is a record of fixed size,
 * positions and fields one after the other; each is one chunk of its dataset. Descriptions alternate between two places
 * ("slots"), so the valid one is never overwritten; a description that has outgrown its slot gets one twice as large,
 * so that all descriptions together stay a few times the size of the last. It is rewritten when as much data as its own
 * length has been added: descriptions cost less than the data, and a killed writer hides little of them. Room for the
 * next description is set aside before a frame is written: a disk that fills up refuses the frame, and those before it
 * can be described. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/vtkhdf.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_MAGIC UINT64_C(0x31666468656c6370) /* "pclehdf1" */
#define NOTE_COUNT 12
#define START (PRC_HDF5_SUPERBLOCK + NOTE_COUNT * 8)

enum { CELL_VERTEX = 1, CELL_LINE = 3, CELL_TRIANGLE = 5 }; /* as VTK numbers them */

/* The note at the end of the first bytes. */
enum note {
    NOTE_IS,
    NOTE_FINGERPRINT,
    NOTE_FRAMES, /* described */
    NOTE_TABLE,  /* address of a place and a time per frame, known ones */
    NOTE_KNOWN,  /* frames that have a place: those described, and those that were cut off */
    NOTE_SLOTS,  /* address and capacity of both */
    NOTE_CURRENT = NOTE_SLOTS + 4,
};

typedef struct slot {
    uint64_t address, capacity; /* in bytes, all of which the disk has set aside */
} slot;

/* Addresses of what is stored once. */
typedef struct cells {
    uint64_t connectivity, offsets, types, cell_body, body, obstacle, end;
    uint64_t ids, count;
    int loose; /* vertices that are cells of their own */
} cells;

struct prc_vtkhdf {
    char *path, *temporary; /* temporary: NULL once the file has its name */
    int descriptor;
    int vertex_count;
    prc_vtkhdf_field fields[PRC_VTKHDF_FIELDS];
    int field_count;
    prc_hdf5_type type;
    uint64_t fingerprint;
    cells cells;
    size_t record_size;
    unsigned char *record;
    uint64_t *places; /* of frames */
    double *times;
    int64_t *numbers; /* work space: one per frame */
    int frames, known, capacity;
    int described;    /* frames that can be read */
    uint64_t pending; /* bytes since */
    slot slots[2];
    int current;
    size_t image_size; /* of the description in force */
    uint64_t end;      /* of the file */
    prc_hdf5 image;
};

/* ---- bytes ---- */

static prc_result fail_write(const prc_vtkhdf *file, int failure, prc_error *error)
{
    return prc_file_fail(error, file->path, "could not be written", failure);
}

static prc_result write_at(const prc_vtkhdf *file, const void *data, size_t size, uint64_t address, prc_error *error)
{
    const char *from = data;
    while (size) {
        const ssize_t written = pwrite(file->descriptor, from, size, (off_t)address);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail_write(file, written ? errno : ENOSPC, error);
        from += written;
        size -= (size_t)written;
        address += (uint64_t)written;
    }
    return PRC_OK;
}

static bool read_at(int descriptor, void *data, size_t size, uint64_t address)
{
    char *to = data;
    while (size) {
        const ssize_t taken = pread(descriptor, to, size, (off_t)address);
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken <= 0)
            return false;
        to += taken;
        size -= (size_t)taken;
        address += (uint64_t)taken;
    }
    return true;
}

static uint64_t round_up(uint64_t value)
{
    return (value + 7) / 8 * 8;
}

/* ---- what is stored once ---- */

/* Everything that must be the same for a file to go on. */
static uint64_t fingerprint_of(const prc_vtkhdf_def *def)
{
    uint64_t state = PRC_HASH_START;
    const int counts[] = {def->vertex_count, def->triangle_count, def->edge_count, def->field_count, def->is_double};
    state = prc_hash(state, counts, sizeof counts);
    state = prc_hash(state, def->triangles, 3 * (size_t)def->triangle_count * sizeof(int));
    state = prc_hash(state, def->edges, 2 * (size_t)def->edge_count * sizeof(int));
    state = prc_hash(state, def->body, (size_t)def->vertex_count * sizeof(int));
    for (int f = 0; f < def->field_count; f++) {
        state = prc_hash(state, def->fields[f].name, strlen(def->fields[f].name) + 1);
        state = prc_hash(state, &def->fields[f].components, sizeof(int));
    }
    return state;
}

/* Marks vertices of triangles and edges; returns how many are left. */
static int mark_used(const prc_vtkhdf_def *def, bool *used)
{
    int loose = 0;
    for (size_t k = 0; k < 3 * (size_t)def->triangle_count; k++)
        used[def->triangles[k]] = true;
    for (size_t k = 0; k < 2 * (size_t)def->edge_count; k++)
        used[def->edges[k]] = true;
    for (int i = 0; i < def->vertex_count; i++)
        loose += !used[i];
    return loose;
}

static void place_cells(cells *c, const prc_vtkhdf_def *def, int loose)
{
    const uint64_t points = (uint64_t)def->vertex_count;
    c->loose = loose;
    c->count = (uint64_t)def->triangle_count + (uint64_t)def->edge_count + (uint64_t)loose;
    c->ids = 3 * (uint64_t)def->triangle_count + 2 * (uint64_t)def->edge_count + (uint64_t)loose;
    c->connectivity = START;
    c->offsets = c->connectivity + 8 * c->ids;
    c->types = c->offsets + 8 * (c->count + 1);
    c->cell_body = round_up(c->types + c->count);
    c->body = round_up(c->cell_body + 4 * c->count);
    c->obstacle = round_up(c->body + 4 * points);
    c->end = round_up(c->obstacle + points);
}

/* Where an array that stands at `address` belongs in the bytes from START on. */
static void *place_in(unsigned char *bytes, uint64_t address)
{
    return bytes + (address - START);
}

static prc_result write_cells(prc_vtkhdf *file, const prc_vtkhdf_def *def, const bool *used, prc_error *error)
{
    const cells *c = &file->cells;
    unsigned char *bytes = prc_alloc((size_t)(c->end - START), 1);
    if (!bytes)
        return PRC_FAIL_MEMORY(error);
    int64_t *ids = place_in(bytes, c->connectivity), *offsets = place_in(bytes, c->offsets);
    unsigned char *types = place_in(bytes, c->types), *obstacle = place_in(bytes, c->obstacle);
    int32_t *cell_body = place_in(bytes, c->cell_body), *body = place_in(bytes, c->body);
    uint64_t cell = 0, id = 0;
    const struct {
        int count, size, type;
        const int *corners;
    } kinds[] = {{def->triangle_count, 3, CELL_TRIANGLE, def->triangles}, {def->edge_count, 2, CELL_LINE, def->edges}};
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < kinds[kind].count; k++) {
            const int *corners = kinds[kind].corners + (size_t)k * (size_t)kinds[kind].size;
            types[cell] = (unsigned char)kinds[kind].type;
            cell_body[cell] = def->body[corners[0]];
            for (int j = 0; j < kinds[kind].size; j++)
                ids[id++] = corners[j];
            offsets[++cell] = (int64_t)id;
        }
    for (int i = 0; i < def->vertex_count; i++) {
        body[i] = def->body[i];
        obstacle[i] = def->obstacle && def->obstacle[i];
        if (used[i])
            continue;
        types[cell] = CELL_VERTEX;
        cell_body[cell] = def->body[i];
        ids[id++] = i;
        offsets[++cell] = (int64_t)id;
    }
    prc_result result = write_at(file, bytes, (size_t)(c->end - START), START, error);
    prc_free(bytes);
    return result;
}

/* ---- the description ---- */

static size_t part_size(const prc_vtkhdf *file, int components)
{
    const size_t bytes = (size_t)file->vertex_count * (size_t)components * prc_hdf5_type_size(file->type);
    return (size_t)round_up(bytes);
}

/* A list of whole numbers, one per frame: k·step. */
static uint64_t describe_numbers(prc_vtkhdf *file, int64_t step, int64_t first)
{
    for (int k = 0; k < file->frames; k++)
        file->numbers[k] = first + k * step;
    return prc_hdf5_data(&file->image, file->numbers, (size_t)file->frames * sizeof(int64_t));
}

/* One whole number, as a dataset. */
static uint64_t describe_number(prc_vtkhdf *file, uint64_t value)
{
    const int64_t number = (int64_t)value;
    const uint64_t data = prc_hdf5_data(&file->image, &number, sizeof number);
    return prc_hdf5_dataset(&file->image, PRC_HDF5_INT64, 1, 0, data);
}

static uint64_t describe_points(prc_vtkhdf *file, uint64_t *positions)
{
    prc_hdf5 *image = &file->image;
    const uint64_t rows = (uint64_t)file->vertex_count;
    prc_hdf5_link links[PRC_HDF5_LINKS];
    int count = 0;
    uint64_t offset = part_size(file, 3);
    *positions = prc_hdf5_chunked(image, file->type, rows, 3, file->frames, file->places, 0);
    for (int f = 0; f < file->field_count; f++) {
        const int components = file->fields[f].components;
        links[count++] = (prc_hdf5_link){file->fields[f].name,
                                         prc_hdf5_chunked(image, file->type, rows, components > 1 ? components : 0,
                                                          file->frames, file->places, offset)};
        offset += part_size(file, components);
    }
    links[count++] = (prc_hdf5_link){"body", prc_hdf5_dataset(image, PRC_HDF5_INT32, rows, 0, file->cells.body)};
    links[count++] =
        (prc_hdf5_link){"obstacle", prc_hdf5_dataset(image, PRC_HDF5_UINT8, rows, 0, file->cells.obstacle)};
    return prc_hdf5_group(image, links, count, NULL, 0);
}

/* Where each step finds its data: positions and fields move on, cells and what is stored once stay. */
static uint64_t describe_steps(prc_vtkhdf *file)
{
    prc_hdf5 *image = &file->image;
    const uint64_t n = (uint64_t)file->frames;
    const uint64_t onward = describe_numbers(file, file->vertex_count, 0), zeros = describe_numbers(file, 0, 0);
    const uint64_t ones = describe_numbers(file, 0, 1), times = prc_hdf5_data(image, file->times, n * sizeof(double));
    prc_hdf5_link links[PRC_HDF5_LINKS];
    int count = 0;
    for (int f = 0; f < file->field_count; f++)
        links[count++] = (prc_hdf5_link){file->fields[f].name, prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 0, onward)};
    links[count++] = (prc_hdf5_link){"body", prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 0, zeros)};
    links[count++] = (prc_hdf5_link){"obstacle", prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 0, zeros)};
    const uint64_t point_data = prc_hdf5_group(image, links, count, NULL, 0);
    prc_hdf5_link cell_link = {"body", prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 0, zeros)};
    const uint64_t cell_data = prc_hdf5_group(image, &cell_link, 1, NULL, 0);
    prc_hdf5_link steps[] = {{"Values", prc_hdf5_dataset(image, PRC_HDF5_DOUBLE, n, 0, times)},
                             {"PartOffsets", prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 0, zeros)},
                             {"NumberOfParts", prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 0, ones)},
                             {"PointOffsets", prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 0, onward)},
                             {"CellOffsets", prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 1, zeros)},
                             {"ConnectivityIdOffsets", prc_hdf5_dataset(image, PRC_HDF5_INT64, n, 1, zeros)},
                             {"PointDataOffsets", point_data},
                             {"CellDataOffsets", cell_data}};
    const prc_hdf5_attribute attribute = {.name = "NSteps", .values = {(int64_t)n}};
    return prc_hdf5_group(image, steps, sizeof steps / sizeof *steps, &attribute, 1);
}

/* Makes the image for a place; returns the address of the root group, and that of the table for the note. */
static uint64_t describe(prc_vtkhdf *file, uint64_t base, uint64_t *table)
{
    prc_hdf5 *image = &file->image;
    const cells *c = &file->cells;
    uint64_t positions;
    prc_hdf5_begin(image, base);
    *table = prc_hdf5_data(image, file->places, (size_t)file->known * sizeof *file->places);
    prc_hdf5_data(image, file->times, (size_t)file->known * sizeof *file->times);
    const uint64_t point_data = describe_points(file, &positions), steps = describe_steps(file);
    prc_hdf5_link cell_link = {"body", prc_hdf5_dataset(image, PRC_HDF5_INT32, c->count, 0, c->cell_body)};
    const uint64_t cell_data = prc_hdf5_group(image, &cell_link, 1, NULL, 0);
    prc_hdf5_link links[] = {
        {"NumberOfPoints", describe_number(file, (uint64_t)file->vertex_count)},
        {"NumberOfCells", describe_number(file, c->count)},
        {"NumberOfConnectivityIds", describe_number(file, c->ids)},
        {"Points", positions},
        {"Connectivity", prc_hdf5_dataset(image, PRC_HDF5_INT64, c->ids, 0, c->connectivity)},
        {"Offsets", prc_hdf5_dataset(image, PRC_HDF5_INT64, c->count + 1, 0, c->offsets)},
        {"Types", prc_hdf5_dataset(image, PRC_HDF5_UINT8, c->count, 0, c->types)},
        {"PointData", point_data},
        {"CellData", cell_data},
        {"Steps", steps},
    };
    const prc_hdf5_attribute attributes[] = {{.name = "Version", .values = {2, 0}, .count = 2},
                                             {.name = "Type", .text = "UnstructuredGrid"}};
    prc_hdf5_link root = {"VTKHDF", prc_hdf5_group(image, links, sizeof links / sizeof *links, attributes, 2)};
    return prc_hdf5_group(image, &root, 1, NULL, 0);
}

/* Superblock and note, which put the new description in force, as one piece of less than a page. */
static prc_result switch_to(prc_vtkhdf *file, int current, uint64_t root, uint64_t table, prc_error *error)
{
    unsigned char first[START];
    uint64_t note[NOTE_COUNT] = {
        [NOTE_IS] = NOTE_MAGIC, [NOTE_FINGERPRINT] = file->fingerprint, [NOTE_FRAMES] = (uint64_t)file->frames,
        [NOTE_TABLE] = table,   [NOTE_KNOWN] = (uint64_t)file->known,   [NOTE_CURRENT] = (uint64_t)current};
    for (int s = 0; s < 2; s++) {
        note[NOTE_SLOTS + 2 * s] = file->slots[s].address;
        note[NOTE_SLOTS + 2 * s + 1] = file->slots[s].capacity;
    }
    prc_hdf5_superblock(first, root, file->end);
    memcpy(first + PRC_HDF5_SUPERBLOCK, note, sizeof note);
    return write_at(file, first, sizeof first, 0, error);
}

/* More than any description of `frames` frames takes. */
static uint64_t most_bytes(const prc_vtkhdf *file, int frames)
{
    const uint64_t n = (uint64_t)frames, known = n > (uint64_t)file->known ? n : (uint64_t)file->known;
    uint64_t nodes = 0;
    for (uint64_t level = n; level > 1 || !nodes; nodes += level)
        level = (level + 63) / 64;
    return 65536 + (1 + (uint64_t)file->field_count) * (nodes * 2700 + 400) + 32 * n + 16 * known;
}

/* Sees to it that the place of the next description is large enough for `frames` frames. */
static prc_result reserve(prc_vtkhdf *file, int frames, prc_error *error)
{
    slot *next = &file->slots[!file->current];
    if (most_bytes(file, frames) <= next->capacity)
        return PRC_OK;
    const uint64_t capacity = round_up(most_bytes(file, frames < 32 ? 64 : frames < INT_MAX / 2 ? 2 * frames : frames));
    const int failure = posix_fallocate(file->descriptor, (off_t)file->end, (off_t)capacity);
    if (failure && failure != EOPNOTSUPP && failure != EINVAL)
        return fail_write(file, failure, error);
    *next = (slot){file->end, capacity};
    file->end += capacity;
    return PRC_OK;
}

/* Describes all frames so far, and puts that in force. */
static prc_result commit(prc_vtkhdf *file, prc_error *error)
{
    const int other = !file->current;
    uint64_t table;
    prc_result result = reserve(file, file->frames, error);
    if (result)
        return result;
    const uint64_t place = file->slots[other].address, root = describe(file, place, &table);
    if (file->image.failed)
        return PRC_FAIL_MEMORY(error);
    result = write_at(file, file->image.bytes, file->image.size, place, error);
    if (!result && ftruncate(file->descriptor, (off_t)file->end) != 0) /* as long as the superblock will say */
        result = fail_write(file, errno, error);
    if (!result && fsync(file->descriptor) != 0)
        result = fail_write(file, errno, error);
    if (!result)
        result = switch_to(file, other, root, table, error);
    if (!result && file->temporary && rename(file->temporary, file->path) != 0)
        result = fail_write(file, errno, error);
    if (result)
        return result;
    prc_free(file->temporary);
    file->temporary = NULL;
    file->current = other;
    file->image_size = file->image.size;
    file->described = file->frames;
    file->pending = 0;
    return PRC_OK;
}

/* ---- frames ---- */

static bool make_room(prc_vtkhdf *file, int frames)
{
    if (frames <= file->capacity)
        return true;
    const int capacity = frames > INT_MAX / 2 ? INT_MAX : frames < 128 ? 256 : 2 * frames;
    const size_t before = (size_t)file->capacity, now = (size_t)capacity;
    uint64_t *places = prc_grow(file->places, before, now, sizeof *places);
    file->places = places ? places : file->places;
    double *times = prc_grow(file->times, before, now, sizeof *times);
    file->times = times ? times : file->times;
    int64_t *numbers = prc_grow(file->numbers, before, now, sizeof *numbers);
    file->numbers = numbers ? numbers : file->numbers;
    if (places && times && numbers)
        file->capacity = capacity;
    return places && times && numbers;
}

/* Values in the precision of the file; returns the place of the next. */
static unsigned char *fill_part(const prc_vtkhdf *file, unsigned char *to, const double *values, int components,
                                int stride)
{
    const size_t size = prc_hdf5_type_size(file->type);
    unsigned char *at = to;
    for (long i = 0; i < file->vertex_count; i++)
        for (int c = 0; c < components; c++, at += size) {
            const double value = values[i * (stride ? stride : components) + c];
            const float single = (float)value;
            memcpy(at, size == sizeof single ? (const void *)&single : (const void *)&value, size);
        }
    return to + part_size(file, components);
}

prc_result prc_vtkhdf_add(prc_vtkhdf *file, double time, const double *positions, const double *const *values,
                          prc_error *error)
{
    if (file->frames == INT_MAX || !make_room(file, file->frames + 1))
        return PRC_FAIL_MEMORY(error);
    unsigned char *at = fill_part(file, file->record, positions, 3, 3);
    for (int f = 0; f < file->field_count; f++)
        at = fill_part(file, at, values[f], file->fields[f].components, file->fields[f].stride);
    prc_result result = reserve(file, file->frames + 1, error);
    if (result)
        return result;
    const int frame = file->frames;
    const bool fresh = frame == file->known; /* else it takes the place of one that was cut off */
    if (fresh)
        file->places[frame] = file->end;
    result = write_at(file, file->record, file->record_size, file->places[frame], error);
    if (result)
        return result;
    file->times[frame] = time;
    if (fresh) {
        file->known++;
        file->end += file->record_size;
    }
    file->frames++;
    file->pending += file->record_size;
    return file->pending >= file->image_size ? commit(file, error) : PRC_OK;
}

int prc_vtkhdf_described(const prc_vtkhdf *file)
{
    return file->described;
}

prc_result prc_vtkhdf_flush(prc_vtkhdf *file, prc_error *error)
{
    prc_result result = file->described < file->frames ? commit(file, error) : PRC_OK;
    if (!result && fsync(file->descriptor) != 0)
        result = fail_write(file, errno, error);
    return result;
}

/* ---- opening and closing ---- */

static void release(prc_vtkhdf *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    if (file->temporary)
        unlink(file->temporary);
    prc_free(file->path);
    prc_free(file->temporary);
    prc_free(file->record);
    prc_free(file->places);
    prc_free(file->times);
    prc_free(file->numbers);
    prc_hdf5_release(&file->image);
    prc_free(file);
}

prc_result prc_vtkhdf_close(prc_vtkhdf *file, prc_error *error)
{
    if (!file)
        return PRC_OK;
    prc_result result = file->frames ? prc_vtkhdf_flush(file, error) : PRC_OK;
    release(file);
    return result;
}

static prc_result create(prc_vtkhdf *file, const prc_vtkhdf_def *def, const bool *used, prc_error *error)
{
    const size_t size = strlen(file->path) + 5;
    file->temporary = prc_alloc(size, 1);
    if (!file->temporary)
        return PRC_FAIL_MEMORY(error);
    snprintf(file->temporary, size, "%s.tmp", file->path);
    file->descriptor = open(file->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file->descriptor < 0)
        return prc_file_fail(error, file->path, "cannot be written", errno);
    file->end = file->cells.end;
    return write_cells(file, def, used, error);
}

/* Whether a piece of a file of `size` bytes lies inside it. */
static bool inside(uint64_t address, uint64_t length, uint64_t size)
{
    return address >= START && address % 8 == 0 && address <= size && length <= size - address;
}

/* The table of places and times. */
static bool read_table(prc_vtkhdf *file, const uint64_t *note, uint64_t size)
{
    const uint64_t known = note[NOTE_KNOWN];
    if (known > size / file->record_size || !inside(note[NOTE_TABLE], 16 * known, size) ||
        !make_room(file, (int)known) || !read_at(file->descriptor, file->places, 8 * known, note[NOTE_TABLE]) ||
        !read_at(file->descriptor, file->times, 8 * known, note[NOTE_TABLE] + 8 * known))
        return false;
    for (uint64_t k = 0; k < known; k++)
        if (!inside(file->places[k], file->record_size, size))
            return false;
    file->known = (int)known;
    return true;
}

static prc_result go_on(prc_vtkhdf *file, int frames, prc_error *error)
{
    uint64_t note[NOTE_COUNT];
    struct stat status;
    file->descriptor = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file->descriptor < 0)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be continued: %s; restore it, or leave vtkhdf out of formats",
                        file->path, strerror(errno));
    const bool there = fstat(file->descriptor, &status) == 0 &&
                       read_at(file->descriptor, note, sizeof note, PRC_HDF5_SUPERBLOCK) && note[NOTE_IS] == NOTE_MAGIC;
    if (!there || note[NOTE_FINGERPRINT] != file->fingerprint)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be continued: %s", file->path,
                        there ? "it contains another mesh, or other fields" : "percale did not write this file");
    const uint64_t size = (uint64_t)status.st_size;
    for (int s = 0; s < 2; s++)
        file->slots[s] = (slot){note[NOTE_SLOTS + 2 * s], note[NOTE_SLOTS + 2 * s + 1]};
    bool sound = note[NOTE_CURRENT] <= 1 && note[NOTE_FRAMES] <= note[NOTE_KNOWN] && read_table(file, note, size);
    for (int s = 0; s < 2; s++)
        sound = sound && (!file->slots[s].capacity || inside(file->slots[s].address, file->slots[s].capacity, size));
    if (!sound)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be continued: the file is damaged", file->path);
    if (note[NOTE_FRAMES] < (uint64_t)frames)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be continued: it contains %llu frames, expected at least %d",
                        file->path, (unsigned long long)note[NOTE_FRAMES], frames);
    file->current = (int)note[NOTE_CURRENT];
    file->frames = frames;
    file->end = round_up(size);
    return commit(file, error); /* what comes after is cut off before its place is used again */
}

static prc_result prepare(prc_vtkhdf *file, const prc_vtkhdf_def *def, int frames, prc_error *error)
{
    file->record_size = part_size(file, 3);
    for (int f = 0; f < def->field_count; f++)
        file->record_size += part_size(file, def->fields[f].components);
    if (part_size(file, 3) > UINT32_MAX)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: %d vertices are too many for a VTKHDF file of percale", file->path,
                        def->vertex_count);
    file->fingerprint = fingerprint_of(def);
    file->record = prc_alloc(file->record_size, 1);
    bool *used = PRC_NEW(bool, def->vertex_count);
    prc_result result = PRC_OK;
    if (!file->record || !used || !make_room(file, 1)) {
        result = PRC_FAIL_MEMORY(error);
    } else {
        place_cells(&file->cells, def, mark_used(def, used));
        result = frames > 0 ? go_on(file, frames, error) : create(file, def, used, error);
    }
    prc_free(used);
    return result;
}

prc_vtkhdf *prc_vtkhdf_open(const char *path, const prc_vtkhdf_def *def, int frames, prc_error *error)
{
    const uint16_t one = 1;
    if (*(const unsigned char *)&one != 1) {
        prc_fail(error, PRC_ERROR_INPUT, "%s: VTKHDF files are written on little-endian machines only; use ply", path);
        return NULL;
    }
    prc_vtkhdf *file = PRC_NEW(prc_vtkhdf, 1);
    if (!file || !(file->path = prc_string_copy(path))) {
        prc_free(file);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    file->descriptor = -1;
    file->vertex_count = def->vertex_count;
    memcpy(file->fields, def->fields, sizeof file->fields);
    file->field_count = def->field_count;
    file->type = def->is_double ? PRC_HDF5_DOUBLE : PRC_HDF5_FLOAT;
    if (prepare(file, def, frames, error)) {
        release(file);
        return NULL;
    }
    return file;
}
