/* evidence/answers.c — see answers.h.
 *
 * Materials: Holzapfel, Nonlinear Collider Mechanics (2000), chapter 6, for the incompressible models in plane stress.
 * The heavy elastica: Bickley (1934). Free plates: Leissa, The free vibration of rectangular plates (1973).
 * SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include "evidence.h"

#include <math.h>
#include <stdlib.h>

/* --- materials --- */

static double basis(prc_material_model model, double l)
{
    if (model <= PRC_MODEL_A6) {
        double n = model - PRC_MODEL_A1 + 1;
        return (pow(l, n) - pow(l, -n)) / n;
    }
    double n = model - PRC_MODEL_B1 + 1;
    return 2 * (pow(l, n) - 1) / n;
}

/* The monotone piecewise cubic of Fritsch and Butland (1984), linear beyond the table. */
static double curve(const prc_material_def *def, double l)
{
    double slope[PRC_CURVE_POINTS] = {0};
    const int n = def->curve_count;
    const double(*p)[2] = def->curve;
    for (int k = 0; k < n; k++) {
        double before = k ? (p[k][1] - p[k - 1][1]) / (p[k][0] - p[k - 1][0]) : 0;
        double after = k < n - 1 ? (p[k + 1][1] - p[k][1]) / (p[k + 1][0] - p[k][0]) : 0;
        slope[k] = k == 0 ? after : k == n - 1 ? before : 2 / (1 / before + 1 / after);
    }
    if (l <= p[0][0])
        return p[0][1] + slope[0] * (l - p[0][0]);
    if (l >= p[n - 1][0])
        return p[n - 1][1] + slope[n - 1] * (l - p[n - 1][0]);
    int k = 0;
    while (l > p[k + 1][0])
        k++;
    double h = p[k + 1][0] - p[k][0], t = (l - p[k][0]) / h, s = 1 - t;
    return s * s * (1 + 2 * t) * p[k][1] + t * t * (3 - 2 * t) * p[k + 1][1] +
           h * t * s * (s * slope[k] - t * slope[k + 1]);
}

/* Incompressible: stress along l of a function of I1 with derivative w1, and c2 (I2 − 3). */
static double rubber(double l, double other, double w1, double c2)
{
    return 2 * (l - pow(l, -3) / (other * other)) * (w1 + c2 * other * other);
}

static double stress_along(const prc_material_def *def, double l, double m)
{
    const double y = def->stretch, nu = def->poisson, *c = def->coefficients;
    const double i1 = l * l + m * m + 1 / (l * l * m * m) - 3;
    double sum = 0;
    switch (def->model) {
    case PRC_MODEL_SUM:
        for (int k = 0; k < def->term_count; k++)
            sum += def->terms[k].stretch * basis(def->terms[k].model, l);
        return sum;
    case PRC_MODEL_STVK:
        return y / (1 - nu * nu) * l * ((l * l - 1) + nu * (m * m - 1)) / 2;
    case PRC_MODEL_COROTATED:
        return y / (1 - nu * nu) * ((l - 1) + nu * (m - 1));
    case PRC_MODEL_NEO_HOOKEAN_2D:
        return y / (2 * (1 + nu)) * (l - 1 / l) + y * nu / (1 - nu * nu) * (l * m - 1) * m;
    case PRC_MODEL_NEO_HOOKEAN:
        return rubber(l, m, y / 6, 0);
    case PRC_MODEL_MOONEY_RIVLIN:
        return rubber(l, m, c[0], c[1]);
    case PRC_MODEL_YEOH:
        return rubber(l, m, c[0] + 2 * c[1] * i1 + 3 * c[2] * i1 * i1, 0);
    case PRC_MODEL_FUNG:
        return rubber(l, m, y / 6 * exp(def->exponents[0] * i1), 0);
    case PRC_MODEL_OGDEN:
        for (int k = 0; k < def->coefficient_count; k++) {
            double a = def->exponents[k];
            sum += c[k] * (pow(l, a - 1) - pow(l, -a - 1) * pow(m, -a));
        }
        return sum;
    case PRC_MODEL_CURVE:
        return curve(def, l);
    default:
        return y * basis(def->model, l);
    }
}

void ev_answer_stress(const prc_material_def *def, double l1, double l2, double stress[2])
{
    if (def->model == PRC_MODEL_ORTHOTROPIC) {
        double nu21 = def->poisson * def->stretch_weft / def->stretch_warp, d = 1 - def->poisson * nu21;
        double e1 = (l1 * l1 - 1) / 2, e2 = (l2 * l2 - 1) / 2;
        stress[0] = l1 * def->stretch_warp * (e1 + nu21 * e2) / d;
        stress[1] = l2 * def->stretch_weft * (e2 + def->poisson * e1) / d;
        return;
    }
    stress[0] = stress_along(def, l1, l2);
    stress[1] = stress_along(def, l2, l1);
}

double ev_answer_free_stretch(const prc_material_def *def, double l1)
{
    double low = 0.4, high = 1.6, stress[2];
    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        ev_answer_stress(def, l1, middle, stress);
        if (stress[1] > 0)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* --- strips and strings --- */

typedef struct elastica {
    double angle, turn, x, z; /* angle below the horizontal, its rate, position */
} elastica;

static elastica elastica_rate(elastica e, double s, double weight, double end)
{
    return (elastica){e.turn, -(weight * (1 - s) + end) * cos(e.angle), cos(e.angle), -sin(e.angle)};
}

static elastica elastica_along(elastica e, double h, elastica r)
{
    return (elastica){e.angle + h * r.angle, e.turn + h * r.turn, e.x + h * r.x, e.z + h * r.z};
}

static elastica elastica_step(elastica e, double s, double h, double weight, double end)
{
    elastica a = elastica_rate(e, s, weight, end);
    elastica b = elastica_rate(elastica_along(e, h / 2, a), s + h / 2, weight, end);
    elastica c = elastica_rate(elastica_along(e, h / 2, b), s + h / 2, weight, end);
    elastica d = elastica_rate(elastica_along(e, h, c), s + h, weight, end);
    e = elastica_along(e, h / 6, a);
    e = elastica_along(e, h / 3, b);
    e = elastica_along(e, h / 3, c);
    return elastica_along(e, h / 6, d);
}

/* Integrates with the given turn at the clamp; returns the turn at the tip, which should be 0. */
static double elastica_shoot(double turn, double weight, double end, int count, double *x, double *z)
{
    const int fine = 50;
    const double h = 1.0 / (count * fine);
    elastica e = {0, turn, 0, 0};
    for (int k = 0; k <= count * fine; k++) {
        if (k % fine == 0) {
            x[k / fine] = e.x;
            z[k / fine] = e.z;
        }
        if (k < count * fine)
            e = elastica_step(e, k * h, h, weight, end);
    }
    return e.turn;
}

void ev_answer_elastica(double weight, double end, int count, double *x, double *z)
{
    double low = 0, high = weight / 2 + end;
    for (int k = 0; k < 100; k++) {
        double middle = 0.5 * (low + high);
        if (elastica_shoot(middle, weight, end, count, x, z) > 0)
            high = middle;
        else
            low = middle;
    }
}

double ev_answer_catenary(double span)
{
    double low = 1e-2, high = 100; /* of the parameter a: 2 a sinh(span/2a) = 1 */
    for (int k = 0; k < 200; k++) {
        double a = 0.5 * (low + high);
        if (2 * a * sinh(span / (2 * a)) > 1)
            low = a;
        else
            high = a;
    }
    return low * (cosh(span / (2 * low)) - 1);
}

/* --- eigenvalues --- */

/* Householder reduction to tridiagonal form: diagonal d, off-diagonal e (e[0] unused). */
static void tridiagonalise(int n, double *a, double *d, double *e)
{
    double *v = EV_NEW(double, n), *p = EV_NEW(double, n);
    for (int k = 0; k < n - 2; k++) {
        double square = 0;
        for (int i = k + 1; i < n; i++)
            square += a[i * n + k] * a[i * n + k];
        double pivot = a[(k + 1) * n + k], length = pivot > 0 ? -sqrt(square) : sqrt(square);
        double vv = 2 * (square - pivot * length), pv = 0;
        d[k] = a[k * n + k];
        e[k + 1] = length;
        if (!(vv > 0))
            continue;
        for (int i = k + 1; i < n; i++)
            v[i] = a[i * n + k] - (i == k + 1 ? length : 0);
        for (int i = k + 1; i < n; i++) {
            double sum = 0;
            for (int j = k + 1; j < n; j++)
                sum += a[i * n + j] * v[j];
            p[i] = 2 * sum / vv;
            pv += p[i] * v[i];
        }
        for (int i = k + 1; i < n; i++)
            p[i] -= pv / vv * v[i];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= v[i] * p[j] + p[i] * v[j];
    }
    for (int k = n > 2 ? n - 2 : 0; k < n; k++) {
        d[k] = a[k * n + k];
        e[k] = k ? (k == n - 1 ? a[k * n + k - 1] : e[k]) : 0;
    }
    free(v);
    free(p);
}

/* How many eigenvalues lie below s. */
static int sturm_count(int n, const double *d, const double *e, double s)
{
    int below = 0;
    double q = 1;
    for (int k = 0; k < n; k++) {
        q = d[k] - s - (k ? e[k] * e[k] / q : 0);
        if (q == 0)
            q = 1e-300;
        below += q < 0;
    }
    return below;
}

void ev_eigenvalues(int n, double *matrix, int count, double *eigenvalues)
{
    double *d = EV_NEW(double, n), *e = EV_NEW(double, n), bound = 0;
    tridiagonalise(n, matrix, d, e);
    for (int k = 0; k < n; k++)
        bound = fmax(bound, fabs(d[k]) + fabs(e[k]) + (k + 1 < n ? fabs(e[k + 1]) : 0));
    for (int k = 0; k < count; k++) {
        double low = -bound, high = bound;
        for (int step = 0; step < 100; step++) {
            double middle = 0.5 * (low + high);
            if (sturm_count(n, d, e, middle) > k)
                high = middle;
            else
                low = middle;
        }
        eigenvalues[k] = 0.5 * (low + high);
    }
    free(d);
    free(e);
}

/* --- the free plate --- */

#define RITZ 14          /* polynomials along each side */
#define RITZ_POINTS 4000 /* midpoints of the quadrature */

/* Legendre polynomials on [0, 1], orthonormal, with two derivatives. */
static void legendre(double s, double value[3][RITZ])
{
    const double t = 2 * s - 1;
    double p[RITZ] = {1, t}, d[RITZ] = {0, 1}, dd[RITZ] = {0, 0};
    for (int k = 2; k < RITZ; k++) {
        p[k] = ((2 * k - 1) * t * p[k - 1] - (k - 1) * p[k - 2]) / k;
        d[k] = d[k - 2] + (2 * k - 1) * p[k - 1];
        dd[k] = dd[k - 2] + (2 * k - 1) * d[k - 1];
    }
    for (int k = 0; k < RITZ; k++) {
        double norm = sqrt(2 * k + 1);
        value[0][k] = norm * p[k];
        value[1][k] = 2 * norm * d[k];
        value[2][k] = 4 * norm * dd[k];
    }
}

/* ∫ f^(a)_i f^(b)_j over the side, by Simpson's rule. */
static void ritz_integrals(double second[RITZ][RITZ], double mixed[RITZ][RITZ], double first[RITZ][RITZ])
{
    for (int k = 0; k <= RITZ_POINTS; k++) {
        double f[3][RITZ], weight = (k == 0 || k == RITZ_POINTS ? 1 : k % 2 ? 4 : 2) / (3.0 * RITZ_POINTS);
        legendre((double)k / RITZ_POINTS, f);
        for (int i = 0; i < RITZ; i++)
            for (int j = 0; j < RITZ; j++) {
                second[i][j] += weight * f[2][i] * f[2][j];
                mixed[i][j] += weight * f[2][i] * f[0][j];
                first[i][j] += weight * f[1][i] * f[1][j];
            }
    }
}

void ev_answer_plate(double poisson, int count, double *eigenvalues)
{
    const int n = RITZ * RITZ;
    double second[RITZ][RITZ] = {{0}}, mixed[RITZ][RITZ] = {{0}}, first[RITZ][RITZ] = {{0}};
    double *k = EV_NEW(double, n *n), *all = EV_NEW(double, count + 3);
    ritz_integrals(second, mixed, first);
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            int a = row / RITZ, b = row % RITZ, c = column / RITZ, d = column % RITZ;
            k[row * n + column] = (b == d) * second[a][c] + (a == c) * second[b][d] +
                                  poisson * (mixed[a][c] * mixed[d][b] + mixed[c][a] * mixed[b][d]) +
                                  2 * (1 - poisson) * first[a][c] * first[b][d];
        }
    ev_eigenvalues(n, k, count + 3, all);
    for (int i = 0; i < count; i++) /* three rigid motions */
        eigenvalues[i] = all[i + 3];
    free(k);
    free(all);
}
