/* kernel/fields.inl — every array that stages read or write, once. Read it as the map of the data.
 *
 *   PRC_FIELD(name, type, shape, components, meaning)
 *
 * type  REAL (working precision), DOUBLE, INT
 * shape VERTEX  one per vertex, internal order, padded to a multiple of PRC_BLOCK
 *       BOND    one per bond: block by block, row by row, PRC_BLOCK vertices side by side; short rings are
 *               filled up with bonds to the vertex itself that carry zero weights
 *       BLOCK   one per block of PRC_BLOCK vertices, and one more
 *       LAW     one row per material
 * Component k of a field starts at k × (length of the shape). On a device bond_t is different: four numbers side by side
 * for every bond, of which the last means nothing.
 * SPDX-License-Identifier: Apache-2.0 */

/* --- the mesh: set by model/model.c, constant --- */
PRC_FIELD(row_start, INT, BLOCK, 1, "first bond row of the block")
PRC_FIELD(block_mixed, INT, BLOCK, 1, "1 where the vertices of the block differ in material")
PRC_FIELD(bond_vertex, INT, BOND, 1, "the neighbour j")
PRC_FIELD(bond_reverse, INT, BOND, 1, "where bond j->i is")
PRC_FIELD(bond_x, REAL, BOND, 2, "rest bond x_ij in the tangent plane of i, m")
PRC_FIELD(bond_b, REAL, BOND, 2, "gradient weight b_ij, 1/m")
PRC_FIELD(bond_f, REAL, BOND, 2, "force weight: b_ij itself, except in the paper's discretisation")
PRC_FIELD(bond_k, REAL, BOND, 3, "column j of the curvature fit, times sqrt(a_i D)")
PRC_FIELD(bond_thin, INT, BOND, 4, "bond_f, bond_x, bond_k for large linear systems, 16 bits each: prc_thin; only on a device")
PRC_FIELD(thin_unit, REAL, VERTEX, 3, "… the units of each of the three; likewise")
PRC_FIELD(thin_push, INT, BOND, 2, "bond_t of such a product: prc_thin_push; likewise")
PRC_FIELD(bond_ss, REAL, BOND, 1, "sum over the ring of the squared non-affine residual that a unit move of j makes")
PRC_FIELD(bond_kk, REAL, BOND, 1, "squared curvature that a unit move of j makes")
PRC_FIELD(bond_rows, REAL, BOND, 1, "row sum of |B|, for the majorant")
PRC_FIELD(area, REAL, VERTEX, 1, "rest area a_i, m2")
PRC_FIELD(mass, REAL, VERTEX, 1, "kg")
PRC_FIELD(inverse_mass, REAL, VERTEX, 1, "1/kg; 0 in the padding")
PRC_FIELD(mass_exact, DOUBLE, VERTEX, 1, "kg, not rounded; 0 for obstacles")
PRC_FIELD(area_exact, DOUBLE, VERTEX, 1, "m2, not rounded")
PRC_FIELD(mass_damping, DOUBLE, VERTEX, 1, "mass-proportional damping of the vertex, 1/s")
PRC_FIELD(ring_q, REAL, VERTEX, 1, "q_i = 2 / sum |x|^2, 1/m2")
PRC_FIELD(stabilise, REAL, VERTEX, 1, "a_i c q_i")
PRC_FIELD(stabilise_normal, REAL, VERTEX, 1, "share of the stabilisation left along the normal (0; 1 in the paper's form)")
PRC_FIELD(center_b, REAL, VERTEX, 2, "minus the sum of the force weights: the weight of i itself")
PRC_FIELD(center_ss, REAL, VERTEX, 1, "as bond_ss, for a move of i")
PRC_FIELD(center_kk, REAL, VERTEX, 1, "as bond_kk, for a move of i")
PRC_FIELD(curvature_rest, REAL, VERTEX, 3, "curvature fit of the rest shape, times sqrt(a_i D)")
PRC_FIELD(damping, REAL, VERTEX, 1, "stiffness-proportional damping of the vertex, s")
PRC_FIELD(law, INT, VERTEX, 1, "row of the material table")
PRC_FIELD(law_kind, INT, LAW, 1, "enum prc_law_kind")
PRC_FIELD(law_row, REAL, LAW, PRC_LAW_SIZE, "kernel/law.h; a row is contiguous")

/* --- the state: restartable --- */
PRC_FIELD(position, DOUBLE, VERTEX, 3, "x_t, m")
PRC_FIELD(velocity, DOUBLE, VERTEX, 3, "m/s")
PRC_FIELD(position_before, DOUBLE, VERTEX, 3, "x of the step before (BDF2)")
PRC_FIELD(velocity_before, DOUBLE, VERTEX, 3, "v of the step before (BDF2, start guess)")

/* --- one step: set by step/begin.c; the unknown is the displacement u over the step --- */
PRC_FIELD(bond_y, REAL, BOND, 3, "x_t,j - x_t,i, rounded once from double")
PRC_FIELD(weight, REAL, VERTEX, 1, "inertia and mass damping, N/m")
PRC_FIELD(target, REAL, VERTEX, 3, "where inertia and dead forces alone would take u")
PRC_FIELD(free, REAL, VERTEX, 1, "1, or 0 where pinned")
PRC_FIELD(air_weight, REAL, VERTEX, 1, "drag coefficient / h, N/m")
PRC_FIELD(air_normal, REAL, VERTEX, 3, "normal at x_t")
PRC_FIELD(air_wind, REAL, VERTEX, 1, "h wind . normal, m")
PRC_FIELD(strain_before, REAL, VERTEX, 3, "Green strain 11, 22, 12 at x_t (damping)")
PRC_FIELD(curvature_before, REAL, VERTEX, 3, "curvature at x_t (damping)")
PRC_FIELD(acceleration, DOUBLE, VERTEX, 3, "gravity and the forces that act, per mass, m/s2: put when they change")
PRC_FIELD(pinned, INT, VERTEX, 1, "1 where a pin holds: put when pins take hold or let go")
PRC_FIELD(prescribed, DOUBLE, VERTEX, 3, "where a vertex that is not free has to be at the end of the step, m")
PRC_FIELD(column, DOUBLE, VERTEX, 12, "numbers per vertex that are to be summed, or of which the largest is wanted; work space of a device")
PRC_FIELD(summand, DOUBLE, VERTEX, 1, "work space of a device")


/* --- one evaluation: set by the elastic stage --- */
PRC_FIELD(u, REAL, VERTEX, 3, "displacement over the step, m")
PRC_FIELD(gradient, REAL, VERTEX, 3, "of the step's objective, N; 0 where pinned")
PRC_FIELD(bond_t, REAL, BOND, 3, "what bond i->j adds to the gradient of j and takes from that of i")
PRC_FIELD(own, REAL, VERTEX, 3, "sum of bond_t over the ring")
PRC_FIELD(energy, REAL, VERTEX, 1, "elastic energy of the vertex, J")
PRC_FIELD(energy_damping, REAL, VERTEX, 1, "potential of the damping over the step, J; only where there is any")
PRC_FIELD(stretch, REAL, VERTEX, 2, "principal stretches, larger first")
PRC_FIELD(stress, REAL, VERTEX, 2, "principal Cauchy stresses, larger first, N/m: set by the stress stage")
PRC_FIELD(rotation, REAL, VERTEX, 6, "R: columns of the polar rotation of F")
PRC_FIELD(normal, REAL, VERTEX, 3, "n")
PRC_FIELD(tangent, REAL, VERTEX, 10, "a_i T: symmetric 4x4 acting on R^T dF = (11, 12, 21, 22), upper triangle by rows")
PRC_FIELD(tangent_normal, REAL, VERTEX, 3, "a_i N: symmetric 2x2 acting on n^T dF: 11, 12, 22")

/* --- solvers --- */
PRC_FIELD(bond_d, REAL, BOND, 6, "3x3 diagonal block that stencil i gives vertex j: xx xy xz yy yz zz")
PRC_FIELD(own_d, REAL, VERTEX, 6, "3x3 diagonal block that stencil i gives vertex i; then that of all but contacts")
PRC_FIELD(inverse, REAL, VERTEX, 6, "inverse of the 3x3 diagonal block; 0 where pinned")
PRC_FIELD(direction, REAL, VERTEX, 3, "search direction p")
PRC_FIELD(direction_next, REAL, VERTEX, 3, "… and the next one, where both are needed at a time")
PRC_FIELD(product, REAL, VERTEX, 3, "H p")
PRC_FIELD(residual, REAL, VERTEX, 3, "of the linear system")
PRC_FIELD(preconditioned, REAL, VERTEX, 3, "M^-1 residual")
PRC_FIELD(correction, REAL, VERTEX, 3, "solution of the linear system, or the step")
PRC_FIELD(trial, REAL, VERTEX, 3, "u to be tried")
PRC_FIELD(trial_gradient, REAL, VERTEX, 3, "its gradient")
PRC_FIELD(model_gradient, REAL, VERTEX, 3, "contact: gradient without contacts, and its linear model along a move")
