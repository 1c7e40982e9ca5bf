/* kernel/stages.inl — the stages: one row per line of the algorithm.
 *
 *   PRC_STAGE(name, items, meaning)
 *
 * items  PACK    the stage handles PRC_LANES vertices at once (one on a GPU)
 *        BLOCK   the stage handles PRC_BLOCK vertices by plain loops, prc_stage_<name>_lane (a GPU's) one of them; for
 *                what is not in the working precision
 *        VERTEX  the stage handles one vertex, padding included
 * A stage is prc_stage_<name>(const prc_view *, int item). It writes only what belongs to its own item.
 * The CPU backend makes OpenMP loops of this list, a GPU backend kernels.
 * SPDX-License-Identifier: Apache-2.0 */
PRC_STAGE(begin, VERTEX, "weight, target, free and the first guess u; number = effective step, length, time since x before, BDF2 or not")
PRC_STAGE(thin, PACK, "bond_thin, thin_unit on a device in single precision: once")
PRC_STAGE(bonds_begin, BLOCK, "bond_y from position")
PRC_STAGE(rates_begin, PACK, "strain and curvature at x_t, for damping")
PRC_STAGE(air_begin, PACK, "normals at x_t, for drag")
PRC_STAGE(air, VERTEX, "air_weight, air_wind, after air_begin; number = effective step, end of the step, BDF2 or not")
PRC_STAGE(accept, VERTEX, "the state after the step; argument[0] = positions found safe, or NULL: x + u; number = effective step, length, BDF2 or not, 1 where the state before is kept")
PRC_STAGE(census, VERTEX, "column 0-2 momentum, 3-5 angular momentum, 6, 7 kinetic and potential energy, 8 speed, 9, 10 largest and minus smallest stretch")
PRC_STAGE(elastic, PACK, "displacement argument[0] -> bond_t, own, energy, and the tangent where view.linearise")
PRC_STAGE(stress, PACK, "stress at x_t, after bonds_begin; uses bond_t")
PRC_STAGE(gradient, PACK, "argument[1] = gradient of the objective at argument[0], after elastic")
PRC_STAGE(elastic_gradient, PACK, "argument[1] = elastic gradient alone, after elastic")
PRC_STAGE(product_bonds, PACK, "bond_t, own of the elastic Gauss-Newton product with argument[0]")
PRC_STAGE(product, PACK, "argument[1] = H argument[0], after product_bonds")
PRC_STAGE(elastic_product, PACK, "argument[1] = elastic H argument[0] alone, after product_bonds")
PRC_STAGE(diagonal_bonds, PACK, "bond_d, own_d of view.diagonal_kind")
PRC_STAGE(diagonal_sum, PACK, "own_d = the whole diagonal block, after diagonal_bonds")
PRC_STAGE(diagonal, PACK, "inverse of own_d; 0 where pinned")
PRC_STAGE(laplacian, PACK, "argument[1] = (weight + frozen majorant Laplacian) argument[0]")
PRC_STAGE(precondition, PACK, "argument[1] = inverse argument[0]")
PRC_STAGE(copy, PACK, "argument[1] = argument[0]")
PRC_STAGE(combine, PACK, "argument[2] = number[0] argument[0] + number[1] argument[1]")
PRC_STAGE(cg_step, PACK, "correction += number[0] direction; residual -= number[0] product; preconditioned = inverse residual")
PRC_STAGE(shorten, PACK, "argument[2] = move argument[1] from displacement argument[0], shortened vertex by vertex, after elastic")

/* Moves with contact: y, p, … are DOUBLE vectors. */
PRC_STAGE(displace, VERTEX, "field argument[1] = argument[0] - position")
PRC_STAGE(clear, VERTEX, "argument[0] = 0")
PRC_STAGE(widen, VERTEX, "argument[1] = correction; columns: correction . model_gradient and . product")
PRC_STAGE(aim, VERTEX, "argument[0] = u, or the way to what is prescribed")
PRC_STAGE(pin_moves, VERTEX, "argument[0] = way left from y (argument[1]) where prescribed, by the aim argument[2], at most number[0]; else 0")
PRC_STAGE(move_squares, VERTEX, "column = square of the free move argument[0]")
PRC_STAGE(limit_moves, VERTEX, "argument[0] shortened where free, if the longest is above number[0]")
PRC_STAGE(add_part, VERTEX, "argument[0] += slot[PART] argument[1]; column as by move_squares")
PRC_STAGE(combine_part, PACK, "argument[2] = argument[0] + slot[PART] argument[1]")
PRC_STAGE(slopes, VERTEX, "what is summed at the end of a move from argument[2] to argument[3] by the aim argument[4], with gradients argument[0] and argument[1] at its ends: columns as slots SLOPE_FROM to ADVANCED")
PRC_STAGE(scale_moves, VERTEX, "argument[0] *= number[0]")
PRC_STAGE(lengthen_move, VERTEX, "argument[0] = number[0] (argument[2] - argument[1]) where free, else 0")
PRC_STAGE(lag, VERTEX, "column = square of the way left from y (argument[0]) by the aim argument[1]")
