/* step/work.c — see work.h. SPDX-License-Identifier: Apache-2.0 */
#include "step/work.h"

#include "base/error.h"
#include "base/memory.h"

/* One name and how many numbers per vertex it stands for; a list ends with a NULL. */
typedef struct piece {
    double **name;
    size_t components;
} piece;

static size_t size_of(const piece *pieces, size_t padded)
{
    size_t size = 0;
    for (const piece *p = pieces; p->name; p++)
        size += p->components * padded;
    return size;
}

static void cut(const piece *pieces, size_t padded, double *memory)
{
    for (const piece *p = pieces; p->name; p++) {
        *p->name = memory;
        memory += p->components * padded;
    }
}

#define USES 5

prc_result prc_work_create(prc_work *work, size_t padded, prc_error *error)
{
    const size_t columns = 6 * padded;
    const piece uses[USES][8] = {{{&work->objective.at, 3},
                                  {&work->objective.target, 3},
                                  {&work->objective.normal, 3},
                                  {&work->objective.weight, 1},
                                  {&work->objective.free, 1},
                                  {&work->objective.air, 1},
                                  {&work->objective.wind, 1}},
                                 {{&work->projection.y, 3},
                                  {&work->projection.push, 3},
                                  {&work->projection.before, 3},
                                  {&work->projection.free, 1},
                                  {&work->projection.rate, 1}},
                                 {{&work->push.best, 3}, {&work->push.of_round, 3}},
                                 {{&work->residual.gradient, 3}, {&work->residual.inverse_mass, 1}},
                                 {{&work->followed, 3}}};
    size_t most = 0;
    for (int k = 0; k < USES; k++) {
        const size_t size = size_of(uses[k], padded);
        most = size > most ? size : most;
    }
    work->memory = work->columns = PRC_NEW(double, columns + most);
    if (!work->memory)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k < USES; k++)
        cut(uses[k], padded, work->memory + columns);
    return PRC_OK;
}

void prc_work_release(prc_work *work)
{
    prc_free(work->memory);
    *work = (prc_work){0};
}

static size_t lay_out(prc_contact_vectors *of, size_t padded, double *memory)
{
    const piece vectors[] = {{&of->positions, 3}, {&of->trial, 3},        {&of->moves, 3},
                             {&of->guess, 3},     {&of->part_of_move, 3}, {NULL, 0}};
    if (memory)
        cut(vectors, padded, memory);
    return size_of(vectors, padded);
}

size_t prc_contact_vectors_size(size_t padded)
{
    prc_contact_vectors none;
    return lay_out(&none, padded, NULL);
}

prc_contact_vectors prc_contact_vectors_at(double *memory, size_t padded)
{
    prc_contact_vectors of = {.memory = memory};
    lay_out(&of, padded, memory);
    return of;
}
