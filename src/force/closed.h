/* force/closed.h — closes the surface of bodies that seams join, so that it encloses a volume.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_FORCE_CLOSED_H
#define PRC_FORCE_CLOSED_H

#include "model/model.h"

/* Triangles of a surface, 3 vertices each, internal numbers. */
typedef struct prc_closed {
    int count;
    int *triangles;
} prc_closed;

/* The triangles of the bodies, and those that fill the gaps of seams between them: these carry pressure, and are no
 * part of the cloth. Refuses what stays open, and says where; `where` opens the message. Released also after a failure.
 */
prc_result prc_closed_build(prc_closed *closed, const prc_sim_def *def, const prc_model *model,
                            const prc_pressure_def *pressure, const char *where, prc_error *error);
void prc_closed_release(prc_closed *closed);

#endif
