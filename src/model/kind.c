/* model/kind.c — see kind.h. A new kind of body is a file beside membrane.c and a line here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/kind.h"

#include "base/memory.h"

static const prc_kind *const kinds[] = {
    [PRC_BODY_MEMBRANE] = &prc_kind_membrane,
    [PRC_BODY_PARTICLES] = &prc_kind_particles,
};

const prc_kind *prc_kind_of(const prc_body_def *def)
{
    return kinds[def->kind];
}

void prc_part_release(prc_part *part)
{
    prc_topology_release(&part->topology);
    prc_rest_release(&part->rest);
    prc_free(part->rest_positions);
    prc_free(part->law_of);
}
