/* evidence/evidence.h — what the chapters of the evidence program share: rows of the table, scenes, measures.
 *
 * A chapter is a function that computes and calls row() for each claim. Answers come from answers.h or from exact
 * arithmetic, never from the engine.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_EVIDENCE_H
#define PRC_EVIDENCE_H

#include <percale/percale.h>

#include <stdio.h>

#define EV_PI 3.14159265358979323846

/* --- the table --- */

/* One line. `error` is compared with `bar`; a bar of 0 asks for exactly 0. */
void ev_row(const char *claim, double answer, double measured, double error, double bar);
/* A claim about an interval: low ≤ measured ≤ high. */
void ev_row_between(const char *claim, double measured, double low, double high);
/* A number worth knowing, which no bar judges. */
void ev_row_note(const char *claim, double answer, double measured, double error);

extern bool ev_quick; /* leave out what takes long */

/* A file of plot data, or NULL where no plots are wanted. */
FILE *ev_plot_open(const char *name, const char *header);
void ev_plot_close(FILE *file);

/* --- scenes --- */

/* Uniform in [0, 1), the same on every machine. */
double ev_random(void);
void ev_random_seed(uint64_t seed);

void *ev_alloc(size_t count, size_t size); /* zeroed; ends the program when out of memory */
#define EV_NEW(type, count) ((type *)ev_alloc((size_t)(count), sizeof(type)))

prc_mesh ev_grid(double length, double width, int along, int across, prc_grid_pattern pattern, int seed);
/* Numbers of the vertices whose rest x lies within `slack` of `at`; the caller frees. */
int *ev_column(const prc_mesh *mesh, double at, double slack, int *count);

/* One body, no gravity, double precision, diagonal preconditioner, tight tolerance. */
prc_sim_def ev_sim_def(const prc_body_def *body);
/* Ends the program with the message of the library where it refuses. */
prc_sim *ev_sim(const prc_sim_def *def);
void ev_step(prc_sim *sim, prc_step_report *report);

void ev_energy(prc_sim *sim, const double *x, double *energy, double *gradient);
void ev_product(prc_sim *sim, const double *x, const double *direction, double *product);

/* Static equilibrium: steps of growing length from `x` (3 per vertex, in and out) with the velocity set to zero before
 * each, until a step of 10³ s moves nothing by more than `tolerance` m. Returns the last move. */
double ev_relax(const prc_sim_def *def, double *x, double first_step, double tolerance);

/* Stress measure of a flat sheet under a homogeneous deformation: (1/A) Σ x_i g_i along one axis (virial theorem). */
double ev_virial(const double *rest, const double *gradient, int vertex_count, int axis, double area);

/* --- cloths with contact --- */

#define EV_MOST_CLOTHS 6

/* Bodies, colliders, pins and forces of one scene; refers to itself, so it is never copied. z is up. */
typedef struct ev_cloths {
    prc_mesh mesh[EV_MOST_CLOTHS];
    prc_body_def body[EV_MOST_CLOTHS];
    prc_collider_def collider[2];
    prc_pin_def pin[2];
    prc_force_def force[EV_MOST_CLOTHS];
    prc_sim_def def;
    prc_sim *sim;
} ev_cloths;

/* The defaults of the library with contact enabled, one thread, and gravity along z. */
void ev_cloths_open(ev_cloths *c);
/* A square of irregular cells at the height z; bodies with different seeds have different meshes. */
prc_body_def *ev_cloths_square(ev_cloths *c, double size, int cells, double z, int seed);
prc_collider_def *ev_cloths_plane(ev_cloths *c, double z, double up);
void ev_cloths_start(ev_cloths *c);
void ev_cloths_close(ev_cloths *c);
/* Mean velocity and height of a body by mass; returns its mass. Either may be NULL. */
double ev_cloths_mean(const ev_cloths *c, int body, double velocity[3], double *height);

/* --- materials --- */
int ev_material_count(void);
prc_material_def ev_material(int index); /* every model, with typical numbers; bending 0 */

double ev_largest_difference(const double *a, const double *b, int count);
double ev_largest(const double *a, int count);

/* --- the chapters --- */
void ev_chapter_material(void);
void ev_chapter_patch(void);
void ev_chapter_derivative(void);
void ev_chapter_invariance(void);
void ev_chapter_stress(void);
void ev_chapter_cylinder(void);
void ev_chapter_plate(void);
void ev_chapter_cantilever(void);
void ev_chapter_end_force(void);
void ev_chapter_catenary(void);
void ev_chapter_momentum(void);
void ev_chapter_energy(void);
void ev_chapter_order(void);
void ev_chapter_solvers(void);
void ev_chapter_bits(void);
void ev_chapter_precision(void);
void ev_chapter_noise(void);
void ev_chapter_discretisation(void);
void ev_chapter_ccd(void);
void ev_chapter_friction(void);
void ev_chapter_rest(void);
void ev_chapter_impact(void);
void ev_chapter_belt(void);
void ev_chapter_particles(void);
void ev_chapter_guarantee(void);
void ev_chapter_inflation(void);
void ev_chapter_springs(void);
void ev_chapter_gusts(void);

#endif
