/* io/hdf5.h — the structures of an HDF5 file, made in memory: enough to describe data for other programs to read.
 *
 * An image is a piece of a file that will be at a known address. Objects are added bottom up, each after those it
 * refers to, and are identified by their addresses; data may be in the image or anywhere else in the file. The format
 * is the oldest, which every HDF5 library reads (superblock 0, object headers 1, symbol tables, B-trees 1): HDF5 File
 * Format Specification 3.0, whose section numbers the code names. Little endian only. Leaves out reading, deleting,
 * compression, links and references. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_HDF5_H
#define PRC_IO_HDF5_H

#include <percale/base.h>

#include <stdint.h>

#define PRC_HDF5_SUPERBLOCK 96 /* bytes, at the start of the file */
#define PRC_HDF5_LINKS 32      /* most in one group */

typedef struct prc_hdf5 {
    unsigned char *bytes;
    size_t size, capacity;
    uint64_t base; /* address of the first byte */
    bool failed;   /* out of memory: the image is not to be used */
} prc_hdf5;

typedef enum prc_hdf5_type {
    PRC_HDF5_INT64,
    PRC_HDF5_INT32,
    PRC_HDF5_UINT8,
    PRC_HDF5_DOUBLE,
    PRC_HDF5_FLOAT
} prc_hdf5_type;

/* An attribute of a group: text, or up to 2 whole numbers (count 0: a single one, not a list). */
typedef struct prc_hdf5_attribute {
    const char *name;
    const char *text; /* or NULL */
    int64_t values[2];
    int count;
} prc_hdf5_attribute;

typedef struct prc_hdf5_link {
    const char *name;
    uint64_t address; /* of a group or dataset */
} prc_hdf5_link;

/* Empties the image, which may be all zero at first, and says where it will stand: a multiple of 8. */
void prc_hdf5_begin(prc_hdf5 *image, uint64_t base);
void prc_hdf5_release(prc_hdf5 *image);

size_t prc_hdf5_type_size(prc_hdf5_type type);
/* Where the next object will stand. */
uint64_t prc_hdf5_here(const prc_hdf5 *image);
/* Puts raw data into the image. */
uint64_t prc_hdf5_data(prc_hdf5 *image, const void *data, size_t size);
/* A dataset of `rows` rows of `columns` values (0: one, in a dataset of rank 1) that stand together at `address`. */
uint64_t prc_hdf5_dataset(prc_hdf5 *image, prc_hdf5_type type, uint64_t rows, int columns, uint64_t address);
/* The same in `chunks` pieces of `rows` rows each; piece k stands at addresses[k] + offset. */
uint64_t prc_hdf5_chunked(prc_hdf5 *image, prc_hdf5_type type, uint64_t rows, int columns, int chunks,
                          const uint64_t *addresses, uint64_t offset);
/* A group of at most PRC_HDF5_LINKS links; they are sorted by name here. */
uint64_t prc_hdf5_group(prc_hdf5 *image, prc_hdf5_link *links, int link_count, const prc_hdf5_attribute *attributes,
                        int attribute_count);
/* The start of a file whose root group is at `root` and that is `end` bytes long. */
void prc_hdf5_superblock(unsigned char bytes[PRC_HDF5_SUPERBLOCK], uint64_t root, uint64_t end);

#endif
