/* step/report.inl — what a step reports (prc_step_report of percale/sim.h), once. The table steps.csv, sums over the tries
 * of a step, report.json's seconds and Python's Report come from it; a test holds it against the struct.
 *
 *   PRC_REPORT(name, type, tries, unit, meaning)
 *
 * type  REAL, INT, BOOL, TEXT; VECTOR of three REAL
 * tries LAST   is that of the step as it was accepted
 *       TALLY  is kept while tries follow each other (step/step.c)
 *       SUM    of all tries of the step, those that were given up included
 * unit  as it stands behind the name in a table
 *
 *   PRC_REPORT_PART(name, meaning)   seconds_NAME, a part of the seconds
 *
 * In the order of the columns of steps.csv.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_REPORT
#define PRC_REPORT(name, type, tries, unit, meaning)
#endif
#ifndef PRC_REPORT_PART
#define PRC_REPORT_PART(name, meaning) PRC_REPORT(seconds_##name, REAL, SUM, " [s]", meaning)
#endif

PRC_REPORT(time, REAL, LAST, " [s]", "at the end of the step")
PRC_REPORT(converged, BOOL, LAST, "", "false: a cap was hit, or no further progress could be made; see `stop`")
PRC_REPORT(stop, TEXT, LAST, "", "`converged`, `blocked`, `max_iterations`, `stalled`, `not finite` or `stopped`; of the first sub-step that is not converged. `blocked` is: all is at rest, and something prescribed waits")
PRC_REPORT(residual, REAL, LAST, " [m/s]", "true force residual")
PRC_REPORT(decrement, REAL, LAST, " [m/s]", "Newton decrement (newton only; elsewhere equal to residual)")
PRC_REPORT(iterations, INT, SUM, "", "outer")
PRC_REPORT(inner_iterations, INT, SUM, "", "of the linear solves")
PRC_REPORT(halvings, INT, SUM, "", "step halvings by the line search")
PRC_REPORT(substeps, INT, TALLY, "", "in which the step was taken; 1 where it was taken at once")
PRC_REPORT(retries, INT, TALLY, "", "tries that were given up for shorter ones")
PRC_REPORT(energy_elastic, REAL, LAST, " [J]", "of membranes and bending")
PRC_REPORT(energy_kinetic, REAL, LAST, " [J]", "of all vertices")
PRC_REPORT(energy_potential, REAL, LAST, " [J]", "gravity and dead forces")
PRC_REPORT(energy_springs, REAL, LAST, " [J]", "and of seams")
PRC_REPORT(energy_pressure, REAL, LAST, " [J]", "against that at time 0's volume")
PRC_REPORT(largest_seam_gap, REAL, LAST, " [m]", "most that two ends of a stitch are farther apart than they will be when closed")
PRC_REPORT(largest_stretch, REAL, LAST, "", "over all vertices")
PRC_REPORT(smallest_stretch, REAL, LAST, "", "over all vertices")
PRC_REPORT(largest_speed, REAL, LAST, " [m/s]", "of a vertex")
PRC_REPORT(contact_pairs, INT, LAST, "", "pairs that are close")
PRC_REPORT(active_contacts, INT, LAST, "", "those that push")
PRC_REPORT(detections, INT, SUM, "", "searches for all pairs")
PRC_REPORT(extensions, INT, SUM, "", "searches for those of a few vertices that went far")
PRC_REPORT(cuts, INT, SUM, "", "vertices whose moves were cut short to stay safe, over all iterations")
PRC_REPORT(smallest_gap, REAL, LAST, " [m]", "distance less thickness")
PRC_REPORT(largest_lag, REAL, LAST, " [m]", "how far a pinned vertex, obstacle or collider is from where it should be")
PRC_REPORT(lag_body, INT, LAST, "", "where that is: the body or obstacle; −1: none")
PRC_REPORT(lag_vertex, INT, LAST, "", "and its vertex; −1: none")
PRC_REPORT(lag_collider, INT, LAST, "", "or the collider; −1: none")
PRC_REPORT(exempt_pairs, INT, LAST, "", "of a start that crossed: pairs that the guarantee still leaves out")
PRC_REPORT(exempt_crossings, INT, LAST, "", "edges through triangles that are still there because of them")
PRC_REPORT(momentum, VECTOR, LAST, " [kg m/s]", "of all vertices")
PRC_REPORT(angular_momentum, VECTOR, LAST, " [kg m²/s]", "about the origin")
PRC_REPORT(seconds, REAL, LAST, " [s]", "wall clock of the step")
PRC_REPORT_PART(gradient, "gradients, tangents and energies")
PRC_REPORT_PART(product, "products with the tangent; of newton a part of seconds_linear")
PRC_REPORT_PART(preconditioner, "of newton a part of seconds_linear")
PRC_REPORT_PART(setup, "of the preconditioner: diagonal blocks and coarse matrices")
PRC_REPORT_PART(linear, "linear solves: products, preconditioner and the rest")
PRC_REPORT_PART(broad, "contact: search for pairs")
PRC_REPORT_PART(ccd, "contact: how far the prediction may go")
PRC_REPORT_PART(bounds, "contact: pairs made, their geometry and planes, moves certified or cut")
PRC_REPORT_PART(contact_forces, "contact: forces and stiffnesses")

#undef PRC_REPORT
#undef PRC_REPORT_PART
