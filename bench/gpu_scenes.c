/* bench/gpu_scenes.c — see gpu_scenes.h.
 *
 * Cloth is cotton-like throughout: A3 with s0 = 500 N/m, 0.2 kg/m², D = 1e-5 N·m. Garments are cones of cloth with
 * about as much width as a half-circle skirt, cut from a disc so that triangles are alike everywhere; they are held at
 * the waist and first fall into folds. The figure is three surfaces of revolution (trunk and two legs), which walks and
 * turns from side to side. SPDX-License-Identifier: Apache-2.0 */
#include "gpu_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define PI 3.14159265358979323846

prc_gpu_options prc_gpu_options_default(void)
{
    return (prc_gpu_options){.scale = 1, .precision = PRC_PRECISION_SINGLE};
}

/* --- what all scenes have in common --- */

/* `count` edges along something, at the scale. */
static int scaled(const prc_gpu_options *options, int count, int least)
{
    const int edges = (int)lround(options->scale * count);
    return edges > least ? edges : least;
}

static prc_sim_def begin(const prc_gpu_scene *scene, const prc_gpu_options *options)
{
    prc_sim_def def = prc_sim_def_default();
    def.time.step = options->step > 0 ? options->step : scene->step;
    def.backend = options->backend;
    def.precision = options->precision;
    def.threads = options->threads;
    def.solver.tolerance = options->tolerance > 0 ? options->tolerance : scene->tolerance;
    def.contact.enabled = true;
    def.contact.friction = 0.3;
    return def;
}

/* Takes the meshes of bodies, then of obstacles, over into the list of triangles, and makes the simulation. */
static prc_result finish(const prc_sim_def *def, prc_gpu_run *run, prc_error *error)
{
    for (int pass = 0; pass < 2; pass++) {
        int first = 0, at = 0;
        for (int b = 0; b < def->body_count + def->obstacle_count; b++) {
            const prc_mesh *mesh = b < def->body_count ? def->bodies[b].mesh : def->obstacles[b - def->body_count].mesh;
            for (int k = 0; pass && k < 3 * mesh->triangle_count; k++)
                run->triangles[at++] = first + mesh->triangles[k];
            first += mesh->vertex_count;
            run->elastic_count = b < def->body_count ? first : run->elastic_count;
            run->triangle_count += pass ? 0 : mesh->triangle_count;
        }
        run->vertex_count = first;
        if (!pass && !(run->triangles = malloc(3 * sizeof(int) * (size_t)run->triangle_count)))
            return PRC_FAIL_MEMORY(error);
    }
    run->sim = prc_sim_create(def, error);
    return run->sim ? PRC_OK : PRC_ERROR_INPUT;
}

/* --- a figure that walks --- */

#define LEG_SWING 0.45     /* rad to either side */
#define STRIDE_SECONDS 1.0 /* of both legs */

/* Trunk and legs against the waist, m: radius at heights. */
typedef struct profile_point {
    double height, radius;
} profile_point;

static const profile_point trunk_profile[] = {{0.55, 0},    {0.53, 0.12},  {0.4, 0.17},  {0.15, 0.125}, {0, 0.12},
                                              {-0.1, 0.15}, {-0.2, 0.165}, {-0.3, 0.13}, {-0.36, 0}};
static const profile_point leg_profile[] = {{0.06, 0},     {0.04, 0.06},   {-0.05, 0.082}, {-0.4, 0.055},
                                            {-0.5, 0.058}, {-0.85, 0.035}, {-0.93, 0.03},  {-0.95, 0}};
static const double hip[2][3] = {{0.085, -0.2, 0}, {-0.085, -0.2, 0}}; /* where legs turn */

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct figure {
    prc_mesh mesh; /* standing */
    int leg_start[3];
} figure;

/* Adds a surface of revolution about the vertical through `at`: rows between two poles. */
static void add_revolved(prc_mesh *mesh, const profile_point *profile, int points, const double at[3], int around,
                         int rows)
{
    const int first = mesh->vertex_count, last = first + 1 + rows * around;
    double length[16] = {0};
    for (int k = 1; k < points; k++)
        length[k] =
            length[k - 1] + hypot(profile[k].height - profile[k - 1].height, profile[k].radius - profile[k - 1].radius);
    for (int row = 0; row <= rows + 1; row++) {
        const double way = length[points - 1] * row / (rows + 1);
        int k = 1;
        while (k < points - 1 && length[k] < way)
            k++;
        const double t = (way - length[k - 1]) / (length[k] - length[k - 1]);
        const double height = profile[k - 1].height + t * (profile[k].height - profile[k - 1].height);
        const double radius = profile[k - 1].radius + t * (profile[k].radius - profile[k - 1].radius);
        for (int m = 0; m < (row == 0 || row == rows + 1 ? 1 : around); m++) {
            double *x = mesh->positions + 3 * mesh->vertex_count++;
            const double angle = 2 * PI * (m + 0.5 * (row % 2)) / around;
            x[0] = at[0] + (row == 0 || row == rows + 1 ? 0 : radius * cos(angle));
            x[1] = at[1] + height;
            x[2] = at[2] + (row == 0 || row == rows + 1 ? 0 : radius * sin(angle));
        }
    }
    for (int row = 0; row <= rows; row++)
        for (int m = 0; m < around; m++) {
            const int n = (m + 1) % around, upper = first + 1 + (row - 1) * around, lower = upper + around;
            const int shift = row % 2; /* rows are half an edge apart, in turns */
            const int corners[4] = {row ? upper + m : first, row ? upper + n : first, row < rows ? lower + m : last,
                                    row < rows ? lower + n : last};
            const int cut[2][2][3] = {{{0, 3, 2}, {0, 1, 3}}, {{0, 1, 2}, {1, 3, 2}}};
            for (int t = 0; t < 2; t++) {
                const int *c = cut[shift ? 0 : 1][t];
                if (corners[c[0]] == corners[c[1]] || corners[c[1]] == corners[c[2]] || corners[c[2]] == corners[c[0]])
                    continue;
                int *triangle = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
                for (int p = 0; p < 3; p++)
                    triangle[p] = corners[c[p]];
            }
        }
}

static figure *figure_create(const prc_gpu_options *options, prc_error *error)
{
    const int around[2] = {scaled(options, 48, 10), scaled(options, 30, 8)};
    const int rows[2] = {scaled(options, 50, 10), scaled(options, 60, 12)};
    const size_t vertices = (size_t)around[0] * (size_t)rows[0] + 2 * (size_t)around[1] * (size_t)rows[1] + 6;
    figure *f = calloc(1, sizeof *f);
    if (f) {
        f->mesh.positions = malloc(3 * sizeof(double) * vertices);
        f->mesh.triangles = malloc(6 * sizeof(int) * vertices);
    }
    if (!f || !f->mesh.positions || !f->mesh.triangles) {
        PRC_FAIL_MEMORY(error);
        return f;
    }
    add_revolved(&f->mesh, trunk_profile, COUNT(trunk_profile), (const double[3]){0}, around[0], rows[0]);
    for (int leg = 0; leg < 2; leg++) {
        f->leg_start[leg] = f->mesh.vertex_count;
        add_revolved(&f->mesh, leg_profile, COUNT(leg_profile), hip[leg], around[1], rows[1]);
    }
    f->leg_start[2] = f->mesh.vertex_count;
    return f;
}

/* Legs swing about the hips, one against the other; they begin at rest. */
static void walk(void *context, double time, double *positions)
{
    const figure *f = context;
    memcpy(positions, f->mesh.positions, 3 * sizeof(double) * (size_t)f->mesh.vertex_count);
    const double rise = time < 0.5 ? time * time * (3 - 4 * time) : 0.25 + 0.25; /* smooth, from 0 to 1/2 */
    for (int leg = 0; leg < 2; leg++) {
        const double angle = (leg ? -2 : 2) * LEG_SWING * rise * sin(2 * PI * time / STRIDE_SECONDS);
        const double c = cos(angle), s = sin(angle);
        for (int i = f->leg_start[leg]; i < f->leg_start[leg + 1]; i++) {
            const double y = positions[3 * i + 1] - hip[leg][1], z = positions[3 * i + 2] - hip[leg][2];
            positions[3 * i + 1] = hip[leg][1] + c * y - s * z;
            positions[3 * i + 2] = hip[leg][2] + s * y + c * z;
        }
    }
}

/* --- garments --- */

/* A cone of cloth: its waist is at height 0, as wide as the figure there and a little more. */
typedef struct garment {
    int rings;            /* of the disc that it is cut from, at scale 1 */
    double slant, length; /* m: from the tip of the cone to the waist, and from there to the hem */
    double slope;         /* sine of the angle between cloth and axis: width against that of a full circle */
    double height;        /* of the waist against the figure's, m */
    double thickness;     /* m */
} garment;

/* Cuts the garment out of a disc; its waist comes first. */
static prc_result cut_garment(const garment *g, const prc_gpu_options *options, prc_mesh *mesh, int *waist,
                              prc_error *error)
{
    const double radius = g->slant + g->length;
    const int rings = scaled(options, g->rings, 24); /* fewer would leave the waist a hexagon */
    prc_result result = prc_mesh_disc(mesh, radius, rings, error);
    if (result != PRC_OK)
        return result;
    const int inner = (int)ceil(rings * g->slant / radius), first = 1 + 3 * inner * (inner - 1); /* ring `inner` */
    int kept = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *from = mesh->triangles + 3 * t;
        if (from[0] < first || from[1] < first || from[2] < first)
            continue;
        for (int p = 0; p < 3; p++)
            mesh->triangles[3 * kept + p] = from[p] - first;
        kept++;
    }
    mesh->triangle_count = kept;
    mesh->vertex_count -= first;
    memmove(mesh->positions, mesh->positions + 3 * (size_t)first, 3 * sizeof(double) * (size_t)mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; i++) { /* onto the cone */
        double *x = mesh->positions + 3 * (size_t)i, r = hypot(x[0], x[1]);
        const double down = (r - g->slant) * sqrt(1 - g->slope * g->slope);
        x[0] *= g->slope;
        x[2] = -x[1] * g->slope;
        x[1] = g->height - down;
    }
    *waist = 6 * inner;
    return PRC_OK;
}

/* The figure walks ahead and turns from side to side. */
static const prc_pose_key turns[] = {
    {.time = 0, .axis = {0, 1, 0}},
    {.time = 0.3, .axis = {0, 1, 0}},
    {.time = 0.8, .axis = {0, 1, 0}, .degrees = 30, .translate = {0, 0, 0.4}},
    {.time = 1.3, .axis = {0, 1, 0}, .degrees = -30, .translate = {0, 0, 0.9}},
    {.time = 1.8, .axis = {0, 1, 0}, .degrees = 30, .translate = {0, 0, 1.4}},
    {.time = 2.3, .axis = {0, 1, 0}, .degrees = 0, .translate = {0, 0, 1.8}},
};

static prc_result create_garment(const garment *g, const prc_gpu_scene *scene, const prc_gpu_options *options,
                                 prc_gpu_run *run, prc_error *error)
{
    prc_mesh mesh = {0};
    int waist_count = 0, *waist = NULL;
    prc_result result = cut_garment(g, options, &mesh, &waist_count, error);
    figure *f = result == PRC_OK ? figure_create(options, error) : NULL;
    run->figure = f;
    waist = f && f->mesh.triangles ? malloc(sizeof(int) * (size_t)waist_count) : NULL;
    if (waist) {
        for (int k = 0; k < waist_count; k++)
            waist[k] = k;
        const prc_motion_def motion = {.keys = turns, .key_count = COUNT(turns), .ease = PRC_EASE_SMOOTH};
        prc_body_def body = prc_body_def_default();
        body.mesh = &mesh;
        prc_obstacle_def obstacle = prc_obstacle_def_default();
        obstacle.mesh = &f->mesh;
        obstacle.animate = walk;
        obstacle.animate_context = f;
        obstacle.motion = motion;
        prc_pin_def pin = prc_pin_def_default();
        pin.vertices = waist;
        pin.vertex_count = waist_count;
        pin.motion = motion;
        prc_sim_def def = begin(scene, options);
        def.bodies = &body;
        def.obstacles = &obstacle;
        def.pins = &pin;
        def.body_count = def.obstacle_count = def.pin_count = 1;
        def.contact.thickness = g->thickness;
        result = finish(&def, run, error);
    } else if (result == PRC_OK)
        result = PRC_FAIL_MEMORY(error);
    free(waist);
    prc_mesh_release(&mesh);
    return result;
}

static prc_result create_skirt(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                               prc_error *error)
{
    static const garment skirt = {.rings = 71, .slant = 0.19, .length = 0.6, .slope = 0.7, .thickness = 3e-3};
    return create_garment(&skirt, scene, options, run, error);
}

static prc_result create_dress(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                               prc_error *error)
{
    static const garment dress = {
        .rings = 106, .slant = 0.21, .length = 0.95, .slope = 0.65, .height = 0.12, .thickness = 3e-3};
    return create_garment(&dress, scene, options, run, error);
}

/* --- many cloths --- */

/* `count` irregular squares of `size` m lying one above the other, the lowest at `height`, `gap` m apart, and after
 * every second one `wider` m more; each is turned by `turn` degrees against the last, and off the middle by up to `off`
 * m. */
typedef struct heap {
    int count, edges; /* of a side */
    double size, gap, wider, height, turn, off;
    prc_grid_pattern pattern;
} heap;

static prc_result lay_out(const heap *h, prc_mesh *meshes, prc_body_def *bodies, prc_error *error)
{
    for (int k = 0; k < h->count; k++) {
        prc_grid_def grid = prc_grid_def_default();
        grid.cells[0] = grid.cells[1] = h->edges;
        grid.size[0] = grid.size[1] = h->size;
        grid.pattern = h->pattern;
        grid.seed = k + 1;
        prc_result result = prc_mesh_grid(&meshes[k], &grid, error);
        if (result != PRC_OK)
            return result;
        const int wide_below = k / 2; /* every second gap is */
        const double angle = 2.4 * k; /* near the golden angle: places do not repeat */
        prc_mesh_transform(&meshes[k], (const double[3]){0, 0, 1}, h->turn * k, 1, (const double[3]){0});
        prc_mesh_transform(&meshes[k], (const double[3]){1, 0, 0}, -90, 1,
                           (const double[3]){h->off * cos(angle), h->height + k * h->gap + wide_below * h->wider,
                                             h->off * sin(angle)});
        bodies[k] = prc_body_def_default();
        bodies[k].mesh = &meshes[k];
    }
    return PRC_OK;
}

static prc_result create_heap(const heap *h, prc_sim_def *def, prc_gpu_run *run, prc_error *error)
{
    prc_mesh *meshes = calloc((size_t)h->count, sizeof *meshes);
    prc_body_def *bodies = calloc((size_t)h->count, sizeof *bodies);
    prc_result result = meshes && bodies ? lay_out(h, meshes, bodies, error) : PRC_FAIL_MEMORY(error);
    def->bodies = bodies;
    def->body_count = h->count;
    if (result == PRC_OK)
        result = finish(def, run, error);
    for (int k = 0; meshes && k < h->count; k++)
        prc_mesh_release(&meshes[k]);
    free(meshes);
    free(bodies);
    return result;
}

static prc_result create_cloths(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                                prc_error *error)
{
    const heap cloths = {.count = 50,
                         .edges = scaled(options, 69, 6),
                         .size = 1,
                         .gap = 0.02,
                         .height = 0.21,
                         .turn = 37,
                         .off = 0.05,
                         .pattern = PRC_GRID_IRREGULAR};
    prc_collider_def cylinder = prc_collider_def_default();
    cylinder.shape = PRC_SHAPE_CYLINDER;
    cylinder.axis[0] = 1;
    cylinder.axis[1] = cylinder.axis[2] = 0;
    cylinder.radius = 0.2;
    cylinder.length = 2;
    prc_sim_def def = begin(scene, options);
    def.colliders = &cylinder;
    def.collider_count = 1;
    def.contact.thickness = 3e-3;
    return create_heap(&cloths, &def, run, error);
}

/* One cloth over a ball: 10,000 vertices at scale 1. */
static prc_result create_drape(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                               prc_error *error)
{
    const heap cloth = {.count = 1,
                        .edges = scaled(options, 99, 6),
                        .size = 1,
                        .height = 0.21,
                        .off = 0.03,
                        .pattern = PRC_GRID_IRREGULAR};
    prc_collider_def ball = prc_collider_def_default();
    ball.shape = PRC_SHAPE_SPHERE;
    ball.radius = 0.2;
    prc_sim_def def = begin(scene, options);
    def.colliders = &ball;
    def.collider_count = 1;
    def.contact.thickness = 3e-3;
    return create_heap(&cloth, &def, run, error);
}

/* Layers in pairs as far apart as their barriers reach: all feel each other from the first step on, and the lowest two
 * the floor. Fewer contacts than if all were as close: more than a GPU of today has memory for. */
static prc_result create_block(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                               prc_error *error)
{
    const heap layers = {.count = 80,
                         .edges = scaled(options, 315, 6),
                         .size = 1,
                         .gap = 1.3e-3,
                         .wider = 1.7e-3,
                         .height = 0.75e-3,
                         .turn = 0,
                         .off = 2e-3,
                         .pattern = PRC_GRID_IRREGULAR};
    prc_collider_def floor = prc_collider_def_default();
    floor.shape = PRC_SHAPE_PLANE;
    floor.axis[1] = 1;
    floor.axis[0] = floor.axis[2] = 0;
    prc_sim_def def = begin(scene, options);
    def.colliders = &floor;
    def.collider_count = 1;
    def.contact.thickness = 1e-3;
    return create_heap(&layers, &def, run, error);
}

/* --- a tube that is wrung --- */

static prc_result create_tube(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                              prc_error *error)
{
    const int around = scaled(options, 640, 16), along = scaled(options, 499, 12);
    const double radius = 0.25, height = 1;
    prc_mesh mesh;
    prc_result result = prc_mesh_cylinder(&mesh, radius, height, around, along, error);
    int *rims[2] = {malloc(sizeof(int) * (size_t)around), malloc(sizeof(int) * (size_t)around)};
    if (result == PRC_OK && rims[0] && rims[1]) {
        int count[2] = {0, 0};
        for (int i = 0; i < mesh.vertex_count; i++)
            if (fabs(mesh.positions[3 * i + 1]) > height / 2 * (1 - 1e-9)) {
                const int side = mesh.positions[3 * i + 1] > 0;
                rims[side][count[side]++] = i;
            }
        prc_body_def body = prc_body_def_default();
        body.mesh = &mesh;
        prc_pin_def pins[2];
        for (int side = 0; side < 2; side++) {
            pins[side] = prc_pin_def_default();
            pins[side].vertices = rims[side];
            pins[side].vertex_count = count[side];
            pins[side].motion.axis[1] = 1;
            pins[side].motion.degrees_per_second = side ? 120 : -120;
            pins[side].motion.velocity[1] = side ? -0.1 : 0.1; /* else the cloth would have to stretch */
        }
        prc_sim_def def = begin(scene, options);
        def.bodies = &body;
        def.body_count = 1;
        def.pins = pins;
        def.pin_count = 2;
        def.contact.thickness = 1e-3;
        result = finish(&def, run, error);
    } else if (result == PRC_OK)
        result = PRC_FAIL_MEMORY(error);
    free(rims[0]);
    free(rims[1]);
    prc_mesh_release(&mesh);
    return result;
}

/* --- the list --- */

const prc_gpu_scene prc_gpu_scenes[] = {
    {"skirt", "a skirt on a figure that walks and turns", 1e-3, 1e-3, 0.6, 1, 2e-3, create_skirt},
    {"dress", "a long dress on the same figure", 2e-3, 1e-3, 0.8, 1, 4e-3, create_dress},
    {"cloths", "50 cloths dropped on a cylinder", 1.0 / 300, 1e-3, 0.4, 0.4, 6e-3, create_cloths},
    {"tube", "a tube twisted at both ends", 2e-3, 1e-3, 0.8, 0.4, 15e-3, create_tube},
    {"block", "80 layers, in pairs within contact range", 1.0 / 300, 1e-3, 1.0 / 300, 0.01, 0, create_block},
};

const int prc_gpu_scene_count = COUNT(prc_gpu_scenes);

const prc_gpu_scene prc_gpu_drape = {"drape", "a cloth over a ball", 1.0 / 300, 1e-3, 0.4, 0, 0, create_drape};

const prc_gpu_scene *prc_gpu_scene_find(const char *name)
{
    for (int k = 0; k < prc_gpu_scene_count; k++)
        if (!strcmp(prc_gpu_scenes[k].name, name))
            return &prc_gpu_scenes[k];
    return NULL;
}

prc_result prc_gpu_scene_create(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                                prc_error *error)
{
    memset(run, 0, sizeof *run);
    prc_result result = scene->create(scene, options, run, error);
    if (result != PRC_OK)
        prc_gpu_scene_release(run);
    return result;
}

void prc_gpu_scene_release(prc_gpu_run *run)
{
    figure *f = run->figure;
    prc_gpu_frames_release(run->frames);
    prc_sim_destroy(run->sim);
    if (f) {
        free(f->mesh.positions);
        free(f->mesh.triangles);
    }
    free(f);
    free(run->triangles);
    memset(run, 0, sizeof *run);
}
