/* io/hdf5.c — see hdf5.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/hdf5.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define UNDEFINED UINT64_MAX /* an address that is none */
#define GROUP_LEAF 16        /* K of symbol nodes: they hold twice as many links */
#define GROUP_INTERNAL 16    /* K of the trees of groups */
#define CHUNK_INTERNAL 32    /* K of the trees of chunks: what a superblock of version 0 stands for */
#define LEVELS 8             /* of a tree: 64 to the power of 8 chunks are more than an int can count */

_Static_assert(PRC_HDF5_LINKS <= 2 * GROUP_LEAF, "one symbol node holds a group");

/* ---- bytes ---- */

void prc_hdf5_begin(prc_hdf5 *image, uint64_t base)
{
    image->size = 0;
    image->base = base;
    image->failed = false;
}

void prc_hdf5_release(prc_hdf5 *image)
{
    prc_free(image->bytes);
    *image = (prc_hdf5){0};
}

uint64_t prc_hdf5_here(const prc_hdf5 *image)
{
    return image->base + image->size;
}

/* Room for `size` more bytes, all zero; NULL when out of memory. */
static unsigned char *extend(prc_hdf5 *image, size_t size)
{
    if (image->failed)
        return NULL;
    if (size > image->capacity - image->size) {
        size_t capacity = image->capacity ? image->capacity : 4096;
        while (capacity - image->size < size)
            capacity *= 2;
        unsigned char *grown = prc_grow(image->bytes, image->size, capacity, 1);
        if (!grown) {
            image->failed = true;
            return NULL;
        }
        image->bytes = grown;
        image->capacity = capacity;
    }
    unsigned char *at = image->bytes + image->size;
    memset(at, 0, size);
    image->size += size;
    return at;
}

static void put(prc_hdf5 *image, uint64_t value, int size)
{
    unsigned char *at = extend(image, (size_t)size);
    for (int k = 0; at && k < size; k++)
        at[k] = (unsigned char)(value >> (8 * k));
}

static void put_bytes(prc_hdf5 *image, const void *bytes, size_t size)
{
    unsigned char *at = extend(image, size);
    if (at && size)
        memcpy(at, bytes, size);
}

/* Everything stands at multiples of 8. */
static void align(prc_hdf5 *image)
{
    extend(image, (8 - image->size % 8) % 8);
}

uint64_t prc_hdf5_data(prc_hdf5 *image, const void *data, size_t size)
{
    const uint64_t address = prc_hdf5_here(image);
    put_bytes(image, data, size);
    align(image);
    return address;
}

/* ---- messages of object headers (IV.A) ---- */

enum { MESSAGE_DATASPACE = 1, MESSAGE_TYPE = 3, MESSAGE_FILL = 5, MESSAGE_LAYOUT = 8, MESSAGE_ATTRIBUTE = 12 };
enum { MESSAGE_TABLE = 17, HEADER_SIZE = 16, MESSAGE_HEADER = 8 };

/* An object header being written: its size and number of messages are filled in at its end. */
typedef struct header {
    size_t start, message;
    int count;
} header;

static header begin_header(prc_hdf5 *image)
{
    header h = {.start = image->size};
    put(image, 1, 2); /* version */
    put(image, 0, 2); /* messages */
    put(image, 1, 4); /* references */
    put(image, 0, 8); /* size, padding */
    return h;
}

static void patch(prc_hdf5 *image, size_t at, uint64_t value, int size)
{
    for (int k = 0; !image->failed && k < size; k++)
        image->bytes[at + (size_t)k] = (unsigned char)(value >> (8 * k));
}

static void begin_message(prc_hdf5 *image, header *h, int type)
{
    h->message = image->size;
    h->count++;
    put(image, (uint64_t)type, 2);
    put(image, 0, 6); /* size, flags */
}

static void end_message(prc_hdf5 *image, const header *h)
{
    align(image);
    patch(image, h->message + 2, image->size - h->message - MESSAGE_HEADER, 2);
}

static void end_header(prc_hdf5 *image, const header *h)
{
    patch(image, h->start + 2, (uint64_t)h->count, 2);
    patch(image, h->start + 8, image->size - h->start - HEADER_SIZE, 4);
}

/* IV.A.2.d: class and version, bits, size, properties. */
static void put_type(prc_hdf5 *image, prc_hdf5_type type)
{
    const uint64_t bits = 8 * prc_hdf5_type_size(type);
    const bool real = type == PRC_HDF5_DOUBLE || type == PRC_HDF5_FLOAT, wide = type == PRC_HDF5_DOUBLE;
    put(image, real ? 0x11 : 0x10, 1);
    if (real) /* a leading 1 that is implied; the place of the sign */
        put(image, 0x20 | (bits - 1) << 8, 3);
    else
        put(image, type == PRC_HDF5_UINT8 ? 0 : 8, 3); /* signed */
    put(image, bits / 8, 4);
    put(image, 0, 2); /* offset */
    put(image, bits, 2);
    if (!real)
        return;
    put(image, wide ? 52 : 23, 1); /* exponent: place, size */
    put(image, wide ? 11 : 8, 1);
    put(image, 0, 1); /* mantissa: place, size */
    put(image, wide ? 52 : 23, 1);
    put(image, wide ? 1023 : 127, 4);
}

static void put_text_type(prc_hdf5 *image, size_t length)
{
    put(image, 0x13, 1);
    put(image, 1, 3); /* padded with zeros, ASCII */
    put(image, length, 4);
}

/* IV.A.2.b; rank 0 is a single value. */
static void put_space(prc_hdf5 *image, int rank, uint64_t rows, int columns)
{
    put(image, 1, 1);
    put(image, (uint64_t)rank, 1);
    put(image, 0, 6);
    if (rank > 0)
        put(image, rows, 8);
    if (rank > 1)
        put(image, (uint64_t)columns, 8);
}

static void put_attribute(prc_hdf5 *image, header *h, const prc_hdf5_attribute *a)
{
    const size_t length = strlen(a->name) + 1, text = a->text ? strlen(a->text) : 0;
    const int rank = !a->text && a->count > 0;
    begin_message(image, h, MESSAGE_ATTRIBUTE);
    put(image, 1, 2);
    put(image, length, 2);
    put(image, a->text ? 8 : 12, 2);
    put(image, rank ? 16 : 8, 2);
    put_bytes(image, a->name, length);
    align(image);
    if (a->text)
        put_text_type(image, text);
    else
        put_type(image, PRC_HDF5_INT64);
    align(image);
    put_space(image, rank, (uint64_t)a->count, 0);
    if (a->text)
        put_bytes(image, a->text, text);
    for (int k = 0; !a->text && k < (rank ? a->count : 1); k++)
        put(image, (uint64_t)a->values[k], 8);
    end_message(image, h);
}

/* ---- datasets ---- */

size_t prc_hdf5_type_size(prc_hdf5_type type)
{
    static const size_t sizes[] = {8, 4, 1, 8, 4};
    return sizes[type];
}

/* The part that all datasets share. */
static header begin_dataset(prc_hdf5 *image, prc_hdf5_type type, uint64_t rows, int columns, bool chunked)
{
    header h = begin_header(image);
    begin_message(image, &h, MESSAGE_DATASPACE);
    put_space(image, columns ? 2 : 1, rows, columns);
    end_message(image, &h);
    begin_message(image, &h, MESSAGE_TYPE);
    put_type(image, type);
    end_message(image, &h);
    begin_message(image, &h, MESSAGE_FILL); /* version 2; when space is taken; written where set; the default */
    put(image, 2, 1);
    put(image, chunked ? 3 : 2, 1);
    put(image, 2, 1);
    put(image, 1, 1);
    put(image, 0, 4);
    end_message(image, &h);
    return h;
}

uint64_t prc_hdf5_dataset(prc_hdf5 *image, prc_hdf5_type type, uint64_t rows, int columns, uint64_t address)
{
    const uint64_t own = prc_hdf5_here(image);
    const uint64_t bytes = rows * (uint64_t)(columns ? columns : 1) * prc_hdf5_type_size(type);
    header h = begin_dataset(image, type, rows, columns, false);
    begin_message(image, &h, MESSAGE_LAYOUT);
    put(image, 3, 1);
    put(image, 1, 1);
    put(image, bytes ? address : UNDEFINED, 8);
    put(image, bytes, 8);
    end_message(image, &h);
    end_header(image, &h);
    return own;
}

/* ---- trees of chunks (III.A.1) ---- */

typedef struct chunks {
    uint64_t rows;
    int columns; /* 0 for rank 1 */
    size_t element;
    int count;
    const uint64_t *addresses;
    uint64_t offset;
} chunks;

static size_t chunk_bytes(const chunks *c)
{
    return (size_t)c->rows * (size_t)(c->columns ? c->columns : 1) * c->element;
}

/* Key of piece `index`; that of `count` is the end, beyond the last one in every dimension. */
static void put_chunk_key(prc_hdf5 *image, const chunks *c, int index)
{
    const bool end = index == c->count;
    put(image, end ? 0 : chunk_bytes(c), 4);
    put(image, 0, 4); /* filters */
    put(image, (uint64_t)index * c->rows, 8);
    if (c->columns)
        put(image, end ? (uint64_t)c->columns : 0, 8);
    put(image, end ? c->element : 0, 8);
}

static size_t chunk_node_size(const chunks *c)
{
    const size_t key = 8 + 8 * (size_t)(c->columns ? 3 : 2);
    return 24 + (2 * CHUNK_INTERNAL + 1) * key + 2 * CHUNK_INTERNAL * 8;
}

/* One level of the tree, whose nodes stand one after the other: node n has the children from 64 n on, child k being
 * piece k of level 0, and node k of the level below (which begins at `below`) elsewhere. Each child spans `span`
 * pieces. Returns the number of nodes. */
static int put_chunk_level(prc_hdf5 *image, const chunks *c, int level, long long span, int children, uint64_t below)
{
    const int most = 2 * CHUNK_INTERNAL, nodes = (children + most - 1) / most;
    const size_t size = chunk_node_size(c);
    const uint64_t start = prc_hdf5_here(image);
    for (int n = 0; n < nodes; n++) {
        const size_t begin = image->size;
        const int first = n * most, used = children - first < most ? children - first : most;
        put_bytes(image, "TREE", 4);
        put(image, 1, 1);
        put(image, (uint64_t)level, 1);
        put(image, (uint64_t)used, 2);
        put(image, n > 0 ? start + (uint64_t)(n - 1) * size : UNDEFINED, 8);
        put(image, n + 1 < nodes ? start + (uint64_t)(n + 1) * size : UNDEFINED, 8);
        for (int k = first; k <= first + used; k++) {
            const long long piece = k * span;
            put_chunk_key(image, c, piece < c->count ? (int)piece : c->count);
            if (k < first + used)
                put(image, level ? below + (uint64_t)k * size : c->addresses[k] + c->offset, 8);
        }
        extend(image, size - (image->size - begin)); /* nodes have room for all the children they may have */
    }
    return nodes;
}

static uint64_t put_chunk_tree(prc_hdf5 *image, const chunks *c)
{
    uint64_t below = UNDEFINED;
    long long span = 1;
    int children = c->count;
    for (int level = 0; level < LEVELS && !image->failed; level++) {
        const uint64_t start = prc_hdf5_here(image);
        children = put_chunk_level(image, c, level, span, children, below);
        below = start;
        if (children <= 1)
            break;
        span *= 2 * CHUNK_INTERNAL;
    }
    align(image);
    return below;
}

uint64_t prc_hdf5_chunked(prc_hdf5 *image, prc_hdf5_type type, uint64_t rows, int columns, int count,
                          const uint64_t *addresses, uint64_t offset)
{
    const chunks c = {rows, columns, prc_hdf5_type_size(type), count, addresses, offset};
    const uint64_t tree = put_chunk_tree(image, &c), own = prc_hdf5_here(image);
    header h = begin_dataset(image, type, rows * (uint64_t)count, columns, true);
    begin_message(image, &h, MESSAGE_LAYOUT);
    put(image, 3, 1);
    put(image, 2, 1);
    put(image, columns ? 3 : 2, 1);
    put(image, tree, 8);
    put(image, rows, 4);
    if (columns)
        put(image, (uint64_t)columns, 4);
    put(image, c.element, 4);
    end_message(image, &h);
    end_header(image, &h);
    return own;
}

/* ---- groups (III.B to III.D) ---- */

static int compare_links(const void *a, const void *b)
{
    return strcmp(((const prc_hdf5_link *)a)->name, ((const prc_hdf5_link *)b)->name);
}

/* The names, from offset 8 on: at 0 is the empty one. Tells where each is. Returns the address of the heap. */
static uint64_t put_heap(prc_hdf5 *image, const prc_hdf5_link *links, int count, uint64_t *offsets)
{
    uint64_t size = 8;
    for (int k = 0; k < count; k++) {
        offsets[k] = size;
        size += (strlen(links[k].name) + 8) / 8 * 8;
    }
    const uint64_t heap = prc_hdf5_here(image);
    put_bytes(image, "HEAP", 4);
    put(image, 0, 4);
    put(image, size, 8);
    put(image, 1, 8); /* no free block */
    put(image, heap + 32, 8);
    extend(image, 8);
    for (int k = 0; k < count; k++) {
        put_bytes(image, links[k].name, strlen(links[k].name) + 1);
        align(image);
    }
    return heap;
}

static uint64_t put_symbols(prc_hdf5 *image, const prc_hdf5_link *links, int count, const uint64_t *offsets)
{
    const uint64_t node = prc_hdf5_here(image);
    put_bytes(image, "SNOD", 4);
    put(image, 1, 2);
    put(image, (uint64_t)count, 2);
    for (int k = 0; k < count; k++) {
        put(image, offsets[k], 8);
        put(image, links[k].address, 8);
        extend(image, 24); /* nothing cached */
    }
    extend(image, (size_t)(2 * GROUP_LEAF - count) * 40);
    return node;
}

static uint64_t put_group_tree(prc_hdf5 *image, uint64_t node, int count, uint64_t last)
{
    const uint64_t tree = prc_hdf5_here(image);
    const size_t begin = image->size;
    put_bytes(image, "TREE", 4);
    put(image, 0, 2); /* of a group, a leaf */
    put(image, count ? 1 : 0, 2);
    put(image, UNDEFINED, 8);
    put(image, UNDEFINED, 8);
    if (count) {
        put(image, 0, 8); /* before the first name: the empty one */
        put(image, node, 8);
        put(image, last, 8);
    }
    const size_t size = 24 + (2 * GROUP_INTERNAL + 1) * 8 + 2 * GROUP_INTERNAL * 8;
    extend(image, size - (image->size - begin));
    return tree;
}

uint64_t prc_hdf5_group(prc_hdf5 *image, prc_hdf5_link *links, int link_count, const prc_hdf5_attribute *attributes,
                        int attribute_count)
{
    uint64_t offsets[PRC_HDF5_LINKS] = {0};
    if (link_count > PRC_HDF5_LINKS) { /* a mistake of the caller, told as the image can tell it */
        image->failed = true;
        return UNDEFINED;
    }
    qsort(links, (size_t)link_count, sizeof *links, compare_links);
    const uint64_t heap = put_heap(image, links, link_count, offsets);
    const uint64_t node = put_symbols(image, links, link_count, offsets);
    const uint64_t tree = put_group_tree(image, node, link_count, link_count ? offsets[link_count - 1] : 0);
    const uint64_t own = prc_hdf5_here(image);
    header h = begin_header(image);
    begin_message(image, &h, MESSAGE_TABLE);
    put(image, tree, 8);
    put(image, heap, 8);
    end_message(image, &h);
    for (int k = 0; k < attribute_count; k++)
        put_attribute(image, &h, &attributes[k]);
    end_header(image, &h);
    return own;
}

/* ---- the superblock (II.A) ---- */

void prc_hdf5_superblock(unsigned char bytes[PRC_HDF5_SUPERBLOCK], uint64_t root, uint64_t end)
{
    static const unsigned char start[24] = {0x89, 'H', 'D', 'F', '\r', '\n',       0x1a, '\n',          0, 0, 0,
                                            0,    0,   8,   8,   0,    GROUP_LEAF, 0,    GROUP_INTERNAL};
    const uint64_t values[] = {0, UNDEFINED, end, UNDEFINED, 0, root}; /* base, free space, end, driver; the root */
    memset(bytes, 0, PRC_HDF5_SUPERBLOCK);
    memcpy(bytes, start, sizeof start);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (int k = 0; k < 8; k++)
            bytes[24 + 8 * v + (size_t)k] = (unsigned char)(values[v] >> (8 * k));
}
