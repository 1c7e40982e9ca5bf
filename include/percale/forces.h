/* percale/forces.h — springs, seams, pressure inside closed bodies, and gusts of wind.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_FORCES_H
#define PERCALE_FORCES_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An end of a spring: a vertex, a point on an edge (or on the line between any two vertices of a body), or a fixed
 * point. */
typedef struct prc_spring_end {
    int body;        /* obstacles are counted after bodies; −1: the fixed point `point` */
    int vertex[2];   /* of the body */
    double at;       /* 0: vertex[0]; 1: vertex[1]; between: vertex[0] + at (vertex[1] − vertex[0]) */
    double point[3]; /* m */
} prc_spring_end;

/* A spring along the line between its ends: tension stiffness (distance − length), plus damping × rate of distance. A
 * stitch of a seam is a spring too. */
typedef struct prc_spring_def {
    prc_spring_end tie, to;
    double stiffness; /* N/m; 0: the stretching stiffness of the cloth at its ends */
    double length;  /* rest length, m; negative: the distance at time 0; for a seam, the smallest at which contact does
                       not push */
    double damping; /* N s/m */
    bool rope;      /* pulls only */
    bool seam;      /* a stitch of a seam */
    double close_time;  /* time over which the rest length changes smoothly from the distance at time 0 to `length`,
                           starting at `from`, s */
    double from, until; /* when it acts, s */
} prc_spring_def;

/* The defaults of the table `spring` in docs/scene.md; both ends must be set. */
prc_spring_def prc_spring_def_default(void);

typedef enum prc_pressure_kind {
    PRC_PRESSURE_CONSTANT, /* independent of the volume: energy −pV */
    PRC_PRESSURE_GAS,      /* a fixed amount of gas: (outside + over) (volume / V)^exponent − outside */
} prc_pressure_kind;

/* Pressure inside bodies that enclose a volume: one closed body, or several that seams close. Triangles face outwards;
 * a positive pressure pushes outwards. */
typedef struct prc_pressure_def {
    const int *bodies;
    int body_count;
    prc_pressure_kind kind;
    double over;     /* pressure inside minus outside, Pa; gas: at `volume` */
    double volume;   /* gas: m³; 0: the volume at time 0 */
    double outside;  /* gas: Pa */
    double exponent; /* gas: 1 at constant temperature, 1.4 for air without heat exchange */
    double ramp; /* time over which the pressure builds up smoothly, starting at `from`, s; a gas begins at the pressure
                    `outside` at the volume of time 0 */
    double from, until;
} prc_pressure_def;

/* The defaults of the table `pressure` in docs/scene.md; `bodies` must be set. */
prc_pressure_def prc_pressure_def_default(void);

/* Gusts: a smooth random velocity of the air, with mean 0, added to the wind. The same seed gives the same gusts on
 * every machine; they depend on time (and place) alone. */
typedef struct prc_gust_def {
    double strength; /* rms of each component, m/s; 0 for none */
    double period;   /* time scale on which they change, s */
    double length;   /* width of a gust, m; gusts vary in space and travel with the wind; 0: the same everywhere */
    int seed;
} prc_gust_def;

#ifdef __cplusplus
}
#endif
#endif
