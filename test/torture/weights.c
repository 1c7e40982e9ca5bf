/* torture/weights.c — all that chance decides about a scene. A new kind of thing is a line here and a function in
 * generate.c, bodies.c or movers.c.
 *
 * Lengths are in cells (edges of the bodies' meshes), speeds in cells per step. Whatever has a name here can be left
 * out: --without obstacles,start.exempt. SPDX-License-Identifier: Apache-2.0 */
#include "dice.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One of several, by weight. */
static const struct group {
    const char *name;
    struct {
        const char *name;
        int weight;
    } of[24];
} groups[] = {
    {"body",
     {{"grid", 8},
      {"strip", 2},
      {"disc", 3},
      {"cylinder", 3},
      {"cone", 1},
      {"sphere", 3},
      {"torus", 2},
      {"ribbon", 2}}},
    {"pattern", {{"regular", 1}, {"alternating", 1}, {"irregular", 2}}},
    {"model", {{"a1", 1},          {"a2", 1},
               {"a3", 6},          {"a4", 1},
               {"a5", 1},          {"a6", 1},
               {"b1", 1},          {"b2", 1},
               {"b3", 1},          {"b4", 1},
               {"b5", 1},          {"b6", 1},
               {"sum", 1},         {"stvk", 2},
               {"corotated", 2},   {"neo_hookean_2d", 2},
               {"neo_hookean", 2}, {"mooney_rivlin", 1},
               {"yeoh", 1},        {"ogden", 1},
               {"fung", 1},        {"orthotropic", 3},
               {"curve", 1}}},
    {"discretisation", {{"averaged", 20}, {"least_squares", 1}, {"paper", 1}}},
    {"turn", {{"flat", 4}, {"nearly", 3}, {"any", 3}}},
    {"layout", {{"stack", 6}, {"row", 2}, {"heap", 2}}},
    {"start", {{"refuse", 6}, {"push_apart", 2}, {"exempt", 3}}},
    {"gravity", {{"none", 1}, {"earth", 4}, {"any", 3}}},
    {"select", {{"nearest", 4}, {"side", 3}, {"boundary", 2}, {"corners", 3}, {"vertices", 2}, {"all", 1}}},
    {"motion", {{"rest", 3}, {"velocity", 4}, {"turning", 3}, {"keys", 3}, {"screw", 1}}},
    {"collider", {{"plane", 3}, {"sphere", 3}, {"capsule", 3}, {"cylinder", 3}, {"cone", 3}, {"box", 3}, {"mesh", 3}}},
    {"collider_mesh", {{"sphere", 2}, {"torus", 1}}}, /* meshes of colliders */
    {"obstacle", {{"surface", 4}, {"needles", 3}, {"points", 2}}},
    {"surface", {{"grid", 4}, {"disc", 1}, {"cylinder", 2}, {"cone", 1}, {"sphere", 2}, {"torus", 1}, {"ribbon", 1}}},
    {"method", {{"barrier", 40}, {"projection", 1}}},
    {"precision", {{"single", 1}, {"double", 1}}},
    {"backend", {{"cpu", 5}, {"device_on_host", 1}}},
    {"preconditioner", {{"auto", 3}, {"jacobi", 1}, {"multilevel", 1}}},
    {"spring_end", {{"vertex", 3}, {"edge", 1}, {"point", 1}, {"obstacle", 1}}},
    {"pressure_kind", {{"constant", 1}, {"gas", 1}}},
};

/* A number, its logarithm evenly distributed where the least is above 0. */
static const struct range {
    const char *name;
    double least, most;
} ranges[] = {
    {"cell", 5e-4, 1},             /* m */
    {"time_step", 1e-4, 3e-2},     /* s */
    {"steps", 3, 20},              /* of a run */
    {"speed", 1e-3, 0.7},          /* of things that move */
    {"fast_speed", 0.5, 100},      /* … where they are fast */
    {"gravity", 1e-5, 0.1},        /* cells per step² */
    {"thickness", 2e-3, 0.7},      /* of contact */
    {"d_hat", 0.05, 3},            /* of the thickness */
    {"gap", 1.02, 5},              /* between things at the start, of the thickness */
    {"small_gap", 0.05, 1.2},      /* … where push_apart opens them */
    {"overlap", -3, 3},            /* … where exempt has to cope with it, in cells */
    {"friction", 0.02, 2},         /* Coulomb's */
    {"eps_v", 1e-5, 1},            /* m/s */
    {"barrier_stiffness", 1, 1e6}, /* N/m */
    {"stretch", 0.1, 1e5},         /* N/m */
    {"density", 1e-3, 1e3},        /* kg/m² */
    {"bending", 1e-9, 1e-3},       /* N m */
    {"poisson", -0.3, 0.49},       /* … */
    {"damping", 1e-6, 0.1},        /* s */
    {"mass_damping", 0.01, 100},   /* 1/s */
    {"stabilisation", 1e-3, 1},    /* … */
    {"slender", 0.02, 50},         /* one side of a cell over the other */
    {"strain", 0.6, 1.6},          /* the mesh over the rest shape */
    {"radius", 0.02, 0.6},         /* of particles, in cells */
    {"ball_density", 1, 1e4},      /* … kg/m³ */
    {"far", 10, 1e6},              /* distance from the origin, in cells */
    {"size", 0.01, 100},           /* of colliders and obstacles, in cells */
    {"shape", 0.05, 20},           /* length over radius, one side over another */
    {"turning", 0.01, 30},         /* degrees per step */
    {"fast_turning", 30, 170},     /* … */
    {"force", 1e-3, 10},           /* of the weight on earth */
    {"spring", 0.01, 100},         /* stiffness, of the stretch of cloth */
    {"pressure", 1e-3, 0.3},       /* over × cell, of the stretch of cloth */
    {"air", 0.01, 10},             /* kg/m³ */
    {"tolerance", 1e-6, 1e-2},     /* m/s */
};

/* Whether there is such a thing. */
static const struct chance {
    const char *name;
    double share;
} chances[] = {
    {"colliders", 0.5},     {"obstacles", 0.4},  {"pins", 0.5},          {"moving", 0.7},        {"fast", 0.25},
    {"common_speed", 0.05}, {"springs", 0.15},   {"seams", 0.1},         {"pressure", 0.4},      {"air", 0.1},
    {"forces", 0.15},       {"groups", 0.1},     {"contact", 0.97},      {"friction", 0.6},      {"lag", 0.1},
    {"timed", 0.3},         {"velocities", 0.7}, {"spin", 0.2},          {"own_thickness", 0.2}, {"own_friction", 0.2},
    {"far", 0.06},          {"slender", 0.1},    {"pairs", 0.1},         {"prescribed", 1},      {"strained", 0.15},
    {"degenerate", 0.15},   {"bad_start", 0.04}, {"own_stiffness", 0.1}, {"hands", 0.3},         {"particles", 0.1},
};
/* prescribed: several pins, or pins and obstacles, that can meet each other, in one scene; degenerate: things stand
 * exactly over each other, with the same meshes; particles: a body consists of balls in place of a membrane; hands: a
 * caller changes things between the steps (hands.c). */

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* --- numbers: splitmix64 --- */

static uint64_t next(dice *d)
{
    uint64_t z = d->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

dice dice_of(uint64_t seed, const char *part, int number, const char *without)
{
    dice d = {seed * 0xD1342543DE82EF95u + (uint64_t)number, without};
    for (const char *c = part; *c; c++) {
        d.state ^= (unsigned char)*c;
        next(&d);
    }
    d.state = next(&d);
    return d;
}

double dice_unit(dice *d)
{
    return (double)(next(d) >> 11) * 0x1p-53;
}

double dice_between(dice *d, double least, double most)
{
    return least + (most - least) * dice_unit(d);
}

int dice_whole(dice *d, int least, int most)
{
    return least + (int)(dice_unit(d) * (most - least + 1));
}

void dice_direction(dice *d, double unit[3])
{
    double square = 0;
    while (square < 0.01 || square > 1) {
        square = 0;
        for (int c = 0; c < 3; c++) {
            unit[c] = dice_between(d, -1, 1);
            square += unit[c] * unit[c];
        }
    }
    for (int c = 0; c < 3; c++)
        unit[c] /= sqrt(square);
}

/* --- names --- */

/* Whether a list with commas has "group.name", or "name" where `group` is NULL. */
static bool lists(const char *list, const char *group, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "%s%s%s", group ? group : "", group ? "." : "", name);
    const size_t length = strlen(full);
    for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, full, length) && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

bool dice_leaves_out(const dice *d, const char *name)
{
    return lists(d->without, NULL, name);
}

double dice_draw(dice *d, const char *name)
{
    for (int k = 0; k < COUNT(ranges); k++)
        if (!strcmp(ranges[k].name, name))
            return ranges[k].least > 0 ? exp(dice_between(d, log(ranges[k].least), log(ranges[k].most)))
                                       : dice_between(d, ranges[k].least, ranges[k].most);
    assert(!"a range of this name");
    return 0;
}

bool dice_chance(dice *d, const char *name)
{
    const double thrown = dice_unit(d);
    for (int k = 0; k < COUNT(chances); k++)
        if (!strcmp(chances[k].name, name))
            return thrown < chances[k].share && !dice_leaves_out(d, name);
    assert(!"a chance of this name");
    return false;
}

const char *dice_choose(dice *d, const char *name)
{
    const double thrown = dice_unit(d);
    for (int g = 0; g < COUNT(groups); g++) {
        if (strcmp(groups[g].name, name) != 0)
            continue;
        int sum = 0, so_far = 0;
        for (int k = 0; groups[g].of[k].name; k++)
            sum += lists(d->without, name, groups[g].of[k].name) ? 0 : groups[g].of[k].weight;
        for (int k = 0; groups[g].of[k].name; k++) {
            so_far += lists(d->without, name, groups[g].of[k].name) ? 0 : groups[g].of[k].weight;
            if (thrown * sum < so_far)
                return groups[g].of[k].name;
        }
        return groups[g].of[0].name; /* all are left out */
    }
    assert(!"a group of this name");
    return "";
}

static bool known(const char *name, size_t length)
{
    char full[80];
    for (int k = 0; k < COUNT(chances); k++)
        if (strlen(chances[k].name) == length && !strncmp(chances[k].name, name, length))
            return true;
    for (int g = 0; g < COUNT(groups); g++)
        for (int k = 0; groups[g].of[k].name; k++) {
            snprintf(full, sizeof full, "%s.%s", groups[g].name, groups[g].of[k].name);
            if (strlen(full) == length && !strncmp(full, name, length))
                return true;
        }
    return false;
}

const char *dice_unknown(const char *without)
{
    for (const char *at = without; at && *at;) {
        const size_t length = strcspn(at, ",");
        if (!known(at, length))
            return at;
        at += length + (at[length] == ',');
    }
    return NULL;
}

void dice_print_names(void)
{
    for (int k = 0; k < COUNT(chances); k++)
        printf("%s%s", k ? " " : "", chances[k].name);
    printf("\n");
    for (int g = 0; g < COUNT(groups); g++)
        for (int k = 0; groups[g].of[k].name; k++)
            printf("%s%s.%s", k ? " " : "", groups[g].name, groups[g].of[k].name),
                printf(groups[g].of[k + 1].name ? "" : "\n");
}
