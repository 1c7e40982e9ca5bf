/* schema/schema.h — the schema list as data: keys, their allowed values, and their offsets in structs.
 *
 * schema.inl is the only list. Defaults, range checks, the scene reader, `percale schema` and the manual come from it,
 * so that a def field, a scene key and a documented name cannot drift apart. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_SCHEMA_H
#define PRC_SCENE_SCHEMA_H

#include <percale/percale.h>

typedef enum prc_key_type {
    PRC_KEY_REAL,
    PRC_KEY_INT,
    PRC_KEY_BOOL,
    PRC_KEY_VECTOR,   /* `count` reals */
    PRC_KEY_INTS,     /* `count` ints */
    PRC_KEY_BODIES,   /* `count` ints: numbers of bodies, which a scene may name */
    PRC_KEY_BODY,     /* one of them; −1 where it is not given */
    PRC_KEY_BODYLIST, /* int *, owned, their number at count_offset */
    PRC_KEY_ENUM,     /* one of `names` */
    PRC_KEY_NAMES,    /* any of `names`: an int with a bit for each */
    PRC_KEY_TEXT,     /* char *, owned */
    PRC_KEY_REALS,    /* up to `count` reals in place, their number at count_offset */
    PRC_KEY_PAIRS,    /* up to `count` pairs of reals in place */
    PRC_KEY_INT_LIST, /* int *, owned, their number at count_offset */
    PRC_KEY_POINTS,   /* a prc_points_spec of points */
    PRC_KEY_LINES,    /* a prc_points_spec of points in lines */
    PRC_KEY_SYMBOLS,  /* a table of names and numbers; kept nowhere but as a count */
    PRC_KEY_INCLUDE,  /* files that are read before everything else; kept nowhere but as a count */
    PRC_KEY_TABLE,    /* a table in place */
    PRC_KEY_ARRAY,    /* up to `count` tables in place */
    PRC_KEY_LIST,     /* tables behind a pointer, owned */
    PRC_KEY_VARIANT,  /* one of `names` (at `offset`) or a table (at `table_offset`) */
} prc_key_type;

/* What may stand in place of a list. */
typedef enum prc_key_also {
    PRC_ALSO_NOTHING,
    PRC_ALSO_FILE, /* the name of a file that holds it */
    PRC_ALSO_ONE,  /* its one table */
} prc_key_also;

/* Names of the tables, in the order of schema.inl. */
typedef enum prc_table_id {
#define TABLE(id, core, whole, mark, note) PRC_TABLE_##id,
#include "schema/schema.inl"
    PRC_TABLE_COUNT
} prc_table_id;

typedef struct prc_range {
    double low, high;
    bool open_low, open_high; /* the end itself is not allowed */
} prc_range;

typedef struct prc_key {
    const char *name;
    prc_key_type type;
    prc_key_also also; /* of a LIST */
    size_t offset, count_offset, table_offset;
    int count;
    double fallback[3]; /* the default; an enumerator or a bool is kept as a number */
    prc_range range;
    const char *const *names; /* ends with NULL */
    prc_table_id table;
    bool required;
    bool is_path; /* a text that names a file: relative to the file it stands in */
    const char *unit;
    const char *note;
} prc_key;

#define PRC_NO_MARK ((size_t)-1)

typedef struct prc_table {
    const char *name;
    size_t core_size; /* of the public def at the start of the struct; keys beyond it exist in scene files only */
    size_t size;
    size_t mark_offset; /* of a prc_scene_mark, or PRC_NO_MARK */
    const prc_key *keys;
    int key_count;
    const char *note;
} prc_table;

const prc_table *prc_schema_table(prc_table_id id);
/* −1 where the table has no such key. */
int prc_schema_find(const prc_table *table, const char *name);

/* Fills the whole struct (or its def alone, with core_only) with defaults. */
void prc_schema_default(prc_table_id id, void *object, bool core_only);
/* Releases what the reader allocated behind the pointers of the struct, not the struct. */
void prc_schema_release(prc_table_id id, void *object);

bool prc_schema_allows(const prc_key *key, double value);
/* "a number > 0 kg/m²", "one of euler, bdf2": completes the sentence "expected …". */
void prc_schema_expected(const prc_key *key, char *text, size_t size);
/* "0.001", "[0, -9.81, 0]", "newton". */
void prc_schema_fallback_text(const prc_key *key, char *text, size_t size);

/* Range of contact of a body beyond its thickness (m): contact.d_hat, or where that is 0 a third of the thickness; of
 * particles a twentieth, so that balls that rest on each other look as if they touch. */
double prc_schema_d_hat(const prc_contact_def *contact, prc_body_kind kind, double thickness);

/* Range checks of every field of a def. `where` opens the message: "bodies[0].material". */
prc_result prc_schema_check(prc_table_id id, const void *def, const char *where, prc_error *error);
prc_result prc_schema_check_material(const prc_material_def *def, const char *where, prc_error *error);
/* Everything that can be told without building: ranges, counts, indices, what each model needs. */
prc_result prc_schema_check_sim(const prc_sim_def *def, prc_error *error);
/* Its part in check_forces.c: springs and pressures. */
prc_result prc_schema_check_forces(const prc_sim_def *def, prc_error *error);

/* A hash of every field of a def that is not a text, going on from `hash`; expects one that passed the checks. */
uint64_t prc_schema_hash(prc_table_id id, const void *def, uint64_t hash);

#define PRC_SIM_COOKIE 0x70726331 /* "prc1" */

#endif
