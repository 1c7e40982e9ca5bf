/* evidence/chapter_forces.c — springs, pressure and gusts against Hooke, Laplace and the sums of statistics.
 *
 * A thin sphere in balance: p = 2 P(l) / (l² R), with P the nominal stress at the stretch l in both directions. The
 * answers solve that for l; P comes from the printed formulas, not from the engine.
 * SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 0.5
#define MODULUS 500.0

typedef double (*nominal_stress)(double l);

static double stress_a3(double l)
{
    return MODULUS * (l * l * l - 1 / (l * l * l)) / 3;
}

static double stress_rubber(double l)
{
    return MODULUS / 3 * (l - pow(l, -5));
}

/* Stretch at which the skin holds what is inside; outside 0: a constant pressure. Of two, the smaller one. */
static double balance(nominal_stress stress, double over, double outside, double exponent)
{
    double low = 1, high = 1.35;
    while (high - low > 1e-13) {
        const double l = (low + high) / 2, held = 2 * stress(l) / (l * l * RADIUS);
        const double inside = outside > 0 ? (outside + over) * pow(l, -3 * exponent) - outside : over;
        *(inside > held ? &low : &high) = l;
    }
    return low;
}

/* Mean stretch of a sphere that has come to rest. */
static double inflate(prc_material_model model, int subdivisions, prc_pressure_def pressure)
{
    static const int body_number = 0;
    prc_mesh mesh = {0};
    prc_error error;
    if (prc_mesh_sphere(&mesh, RADIUS, subdivisions, &error) != PRC_OK)
        return NAN;
    prc_body_def body = prc_body_def_default();
    body.mesh = &mesh;
    body.material.model = model;
    body.material.stretch = MODULUS;
    prc_sim_def def = ev_sim_def(&body);
    pressure.bodies = &body_number;
    pressure.body_count = 1;
    def.pressures = &pressure;
    def.pressure_count = 1;
    double *x = EV_NEW(double, 3 * mesh.vertex_count), sum = 0;
    memcpy(x, mesh.positions, sizeof(double) * 3 * (size_t)mesh.vertex_count);
    ev_relax(&def, x, 0.01, 1e-8);
    for (int i = 0; i < mesh.vertex_count; i++)
        sum += sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]) / RADIUS;
    sum /= mesh.vertex_count;
    free(x);
    prc_mesh_release(&mesh);
    return sum;
}

static void row_inflate(const char *claim, prc_material_model model, nominal_stress stress, int subdivisions,
                        prc_pressure_def pressure, double bar)
{
    const bool gas = pressure.kind == PRC_PRESSURE_GAS;
    const double answer = balance(stress, pressure.over, gas ? pressure.outside : 0, pressure.exponent);
    const double measured = inflate(model, subdivisions, pressure);
    ev_row(claim, answer, measured, fabs(measured / answer - 1), bar);
}

void ev_chapter_inflation(void)
{
    prc_pressure_def pressure = prc_pressure_def_default();
    pressure.over = 400;
    row_inflate("balloon of a3, 162 vertices: stretch at 400 Pa", PRC_MODEL_A3, stress_a3, 2, pressure, 8e-3);
    row_inflate("the same with 642 vertices", PRC_MODEL_A3, stress_a3, 3, pressure, 2e-3);
    row_inflate("the same with 2562 vertices", PRC_MODEL_A3, stress_a3, 4, pressure, 5e-4);
    pressure.over = 300;
    row_inflate("balloon of neo_hookean, 642 vertices, at 300 Pa", PRC_MODEL_NEO_HOOKEAN, stress_rubber, 3, pressure,
                2e-3);
    pressure.kind = PRC_PRESSURE_GAS;
    pressure.outside = 2000;
    pressure.over = 1000;
    row_inflate("gas at constant temperature, 642 vertices", PRC_MODEL_A3, stress_a3, 3, pressure, 2e-3);
    pressure.exponent = 1.4;
    row_inflate("gas that keeps its heat, 642 vertices", PRC_MODEL_A3, stress_a3, 3, pressure, 2e-3);
    pressure.outside = 101325;
    row_inflate("the same against the pressure of the air", PRC_MODEL_A3, stress_a3, 3, pressure, 2e-3);
}

/* A stiff plate of four cells on a spring at each corner. */
typedef struct plate {
    prc_mesh mesh;
    prc_body_def body;
    prc_spring_def springs[4];
    prc_sim_def def;
    double mass;
} plate;

static void plate_open(plate *p, double stiffness)
{
    static const int corner[4] = {0, 2, 6, 8};
    p->mesh = ev_grid(0.2, 0.2, 2, 2, PRC_GRID_REGULAR, 1);
    p->body = prc_body_def_default();
    p->body.mesh = &p->mesh;
    p->body.material.stretch = 1e5;
    p->body.material.bending = 10;
    p->mass = 0.04 * p->body.material.density;
    p->def = ev_sim_def(&p->body);
    p->def.springs = p->springs;
    p->def.spring_count = 4;
    for (int k = 0; k < 4; k++) {
        p->springs[k] = prc_spring_def_default();
        p->springs[k].tie = (prc_spring_end){.body = 0, .vertex = {corner[k], corner[k]}};
        p->springs[k].to.body = -1;
        memcpy(p->springs[k].to.point, p->mesh.positions + 3 * corner[k], 3 * sizeof(double));
        p->springs[k].to.point[2] += 0.1;
        p->springs[k].stiffness = stiffness;
    }
}

static void row_hang(void)
{
    plate p;
    plate_open(&p, 5);
    p.def.gravity[2] = -9.81;
    double x[27];
    memcpy(x, p.mesh.positions, sizeof x);
    ev_relax(&p.def, x, 0.01, 1e-12);
    const double answer = p.mass * 9.81 / (4 * 5), measured = -(x[2] + x[8] + x[20] + x[26]) / 4;
    ev_row("weight on four springs: how deep, m", answer, measured, fabs(measured / answer - 1), 1e-4);
    prc_mesh_release(&p.mesh);
}

/* Time of ten swings, by the crossings of the start; with damping also the height of the last one. */
static void row_swing(const char *claim, double damping, double bar)
{
    plate p;
    const double k = 0.8, v = 0.05;
    plate_open(&p, k / 4);
    for (int s = 0; s < 4; s++)
        p.springs[s].damping = damping / 4;
    p.def.time.integrator = PRC_INTEGRATOR_BDF2;
    p.def.time.step = 5e-4;
    p.body.velocity[2] = v;
    const double decay = damping / (2 * p.mass), omega = sqrt(k / p.mass - decay * decay);
    prc_sim *sim = ev_sim(&p.def);
    double before = 0, crossed = 0, most = 0;
    int crossings = 0;
    while (crossings < 4 && prc_sim_time(sim) < 10) {
        ev_step(sim, NULL);
        const double z = prc_sim_positions(sim)[3 * 4 + 2];
        if (before * z < 0) {
            crossings++;
            crossed = prc_sim_time(sim) - p.def.time.step * z / (z - before);
        }
        most = crossings == 3 ? fmax(most, fabs(z)) : most;
        before = z;
    }
    const double answer = 4 * EV_PI / omega, turn = (3 * EV_PI + atan(omega / decay)) / omega;
    ev_row(claim, answer, crossed, fabs(crossed / answer - 1), bar);
    if (damping > 0) {
        const double height = v / omega * exp(-decay * turn) * fabs(sin(omega * turn));
        ev_row("… and the height of the fourth half swing, m", height, most, fabs(most / height - 1), 10 * bar);
    }
    prc_sim_destroy(sim);
    prc_mesh_release(&p.mesh);
}

void ev_chapter_springs(void)
{
    row_hang();
    row_swing("weight on springs: time of two swings, s", 0, 1e-3);
    row_swing("the same with damping", 0.01, 1e-3);
}

void ev_chapter_gusts(void)
{
    prc_air_def air = prc_sim_def_default().air;
    air.gusts = (prc_gust_def){2, 1, 0.7, 3};
    air.wind[0] = 5;
    const int count = 400000;
    double mean = 0, square = 0;
    for (int k = 0; k < count; k++) {
        double w[3];
        prc_air_velocity(&air, (const double[3]){0.1, 0.2, 0.3}, 0.1 * k, w);
        mean += (w[0] - 5) / count;
        square += w[1] * w[1] / count;
    }
    ev_row("gusts of 2 m/s: mean over 40000 periods, m/s", 0, mean, fabs(mean), 0.03);
    ev_row("… rms, m/s", 2, sqrt(square), fabs(sqrt(square) / 2 - 1), 0.01);
}
