/* step/ncg.c — nonlinear conjugate gradients.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/progress.h"

#include <math.h>
#include <stdlib.h>
static double knob(const char*n,double d){const char*s=getenv(n);return s?atof(s):d;}

/* Chooses the correction: along the conjugate direction, or along the preconditioned gradient where that does not descend,
 * as far as the Gauss–Newton matrix says. Returns the decrease −g·correction it promises to first order. */
static double soft=1; static double choose(prc_sim *sim, double beta)
{
    const double gz = prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
    double decrease = 0;
    if (beta > 0) {
        prc_combine(sim, -1, PRC_FIELD_preconditioned, beta, PRC_FIELD_direction, PRC_FIELD_direction);
        decrease = -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_direction);
    }
    if (!(decrease > 0)) {
        prc_combine(sim, -1, PRC_FIELD_preconditioned, 0, PRC_FIELD_preconditioned, PRC_FIELD_direction);
        decrease = gz;
    }
    prc_product(sim, PRC_FIELD_direction, PRC_FIELD_product);
    const double curvature = prc_inner(sim, PRC_FIELD_direction, PRC_FIELD_product);
    const double length = curvature > 0 ? decrease / (curvature*soft) : 1;
    prc_combine(sim, length, PRC_FIELD_direction, 0, PRC_FIELD_direction, PRC_FIELD_correction);
    return length * decrease;
}

void prc_solve_ncg(prc_sim *sim)
{
    prc_progress progress;
    double gz_before = 0; soft=1;
    int kind = (int)knob("NCGD", 0);
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    while (prc_progress_go_on(sim, &progress)) {
        if(sim->report.iterations%(int)knob("NR",1)==0)prc_diagonal(sim, kind ? PRC_DIAGONAL_MAJORANT : PRC_DIAGONAL_EXACT);
        prc_precondition(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
        const double gz = prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
        double beta = 0;
        if (gz_before > 0)
            beta = fmax(0, (gz - prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned)) / gz_before);
        gz_before = gz;
        prc_copy(sim, PRC_FIELD_gradient, PRC_FIELD_residual);
        double dec=choose(sim, beta); int hv=sim->report.halvings;
        if (!prc_move(sim, dec, true)) {
            prc_progress_stall(sim);
            break;
        }
        if(knob("SEC",0)>0){ if(hv==sim->report.halvings){double slope=prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction); double ratio=soft*(slope+dec)/dec; soft=fmin(1.5,fmax(knob("SEC",0),ratio)); } else soft=1;}
        sim->report.iterations++;
        sim->report.inner_iterations++;
    }
}
