/* percale/forces.h — springs, seams, pressure inside closed bodies, and gusts of wind.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_FORCES_H
#define PERCALE_FORCES_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a spring is fastened: a vertex, a point of an edge (or of the line between any two vertices of a body), or a
 * place that does not move. */
typedef struct prc_spring_end {
    int body;        /* obstacles are counted after bodies; −1: `point` */
    int vertex[2];   /* of the body */
    double at;       /* 0: vertex[0]; 1: vertex[1]; between: vertex[0] + at (vertex[1] − vertex[0]) */
    double point[3]; /* m */
} prc_spring_end;

/* A spring along the line between its ends: tension stiffness (distance − length), plus damping × rate of distance. A
 * stitch of a seam is a spring too. */
typedef struct prc_spring_def {
    prc_spring_end tie, to;
    double stiffness;   /* N/m; 0: as stiff as the cloth at its ends is against stretching */
    double length;      /* m; negative: the distance at time 0 or, of a seam, as near as contact lets surfaces come */
    double damping;     /* N s/m */
    bool rope;          /* pulls only */
    bool seam;          /* is a stitch */
    double close_time;  /* the length goes smoothly from the distance at time 0 to `length`, from `from` on, s */
    double from, until; /* when it acts, s */
} prc_spring_def;

/* The defaults of the table `spring` in docs/scene.md; both ends are to be set. */
prc_spring_def prc_spring_def_default(void);

typedef enum prc_pressure_kind {
    PRC_PRESSURE_CONSTANT, /* the same whatever the volume: energy −pV */
    PRC_PRESSURE_GAS,      /* (outside + over) (volume / V)^exponent − outside: an amount of gas that stays */
} prc_pressure_kind;

/* Pressure inside bodies that enclose a volume: one that is closed, or several that seams close. Fronts of triangles
 * face outwards; a positive pressure pushes that way. */
typedef struct prc_pressure_def {
    const int *bodies;
    int body_count;
    prc_pressure_kind kind;
    double over;     /* inside less outside, Pa; of a gas, at `volume` */
    double volume;   /* gas: m³; 0: that of time 0 */
    double outside;  /* gas: Pa */
    double exponent; /* gas: 1 at constant temperature, 1.4 for air that keeps its heat */
    double ramp;     /* from `from` on it grows smoothly for so long, s; a gas from `outside` at time 0's volume */
    double from, until;
} prc_pressure_def;

/* The defaults of the table `pressure` in docs/scene.md; `bodies` are to be set. */
prc_pressure_def prc_pressure_def_default(void);

/* Gusts: a smooth random velocity of the air, with mean 0, added to the wind. The same seed gives the same gusts on
 * every machine; they depend on time (and place) alone. */
typedef struct prc_gust_def {
    double strength; /* rms of each component, m/s; 0 for none */
    double period;   /* time in which they change, s */
    double
        length; /* width of a gust, m: they differ from place to place and travel with the wind; 0: everywhere alike */
    int seed;
} prc_gust_def;

#ifdef __cplusplus
}
#endif
#endif
