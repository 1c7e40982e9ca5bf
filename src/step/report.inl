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

PRC_REPORT(time, REAL, LAST, " [s]", "time at the end of the step")
PRC_REPORT(converged, BOOL, LAST, "", "false if the step reached a cap or made no further progress; see `stop`")
PRC_REPORT(stop, TEXT, LAST, "", "`converged`, `blocked`, `max_iterations`, `stalled`, `not finite` or `stopped`; for a step taken in sub-steps, that of the first one that did not converge. `blocked`: free vertices are at rest while something prescribed waits")
PRC_REPORT(residual, REAL, LAST, " [m/s]", "remaining error: the velocity that the unbalanced forces would cause in a step")
PRC_REPORT(decrement, REAL, LAST, " [m/s]", "Newton decrement (method newton; for others equal to the residual)")
PRC_REPORT(iterations, INT, SUM, "", "iterations of the solver")
PRC_REPORT(inner_iterations, INT, SUM, "", "iterations of its linear solves")
PRC_REPORT(halvings, INT, SUM, "", "halvings in its line search")
PRC_REPORT(substeps, INT, TALLY, "", "number of sub-steps taken; 1 if the step was taken at once")
PRC_REPORT(retries, INT, TALLY, "", "number of abandoned attempts")
PRC_REPORT(energy_elastic, REAL, LAST, " [J]", "elastic energy")
PRC_REPORT(energy_kinetic, REAL, LAST, " [J]", "kinetic energy")
PRC_REPORT(energy_potential, REAL, LAST, " [J]", "potential energy of gravity and dead forces")
PRC_REPORT(energy_springs, REAL, LAST, " [J]", "energy of springs and seams")
PRC_REPORT(energy_pressure, REAL, LAST, " [J]", "energy of pressure, relative to the volume at time 0")
PRC_REPORT(largest_seam_gap, REAL, LAST, " [m]", "largest distance between the ends of a stitch, beyond their distance when closed")
PRC_REPORT(largest_stretch, REAL, LAST, "", "largest principal stretch of any vertex")
PRC_REPORT(smallest_stretch, REAL, LAST, "", "smallest principal stretch of any vertex")
PRC_REPORT(largest_speed, REAL, LAST, " [m/s]", "largest speed of any vertex")
PRC_REPORT(contact_pairs, INT, LAST, "", "pairs in the contact list")
PRC_REPORT(active_contacts, INT, LAST, "", "contacts that exert force")
PRC_REPORT(detections, INT, SUM, "", "searches for all pairs")
PRC_REPORT(extensions, INT, SUM, "", "searches for the pairs of a few vertices that moved far")
PRC_REPORT(cuts, INT, SUM, "", "vertices whose moves were shortened to stay safe, over all iterations")
PRC_REPORT(smallest_gap, REAL, LAST, " [m]", "smallest distance minus thickness")
PRC_REPORT(largest_lag, REAL, LAST, " [m]", "largest distance by which a pinned vertex, obstacle or collider lags behind its prescribed motion")
PRC_REPORT(lag_body, INT, LAST, "", "the body or obstacle that lags most; −1: none")
PRC_REPORT(lag_vertex, INT, LAST, "", "the vertex of that body; −1: none")
PRC_REPORT(lag_collider, INT, LAST, "", "the collider that lags most; −1: none")
PRC_REPORT(exempt_pairs, INT, LAST, "", "pairs of a start that intersected which are still exempt from the guarantee")
PRC_REPORT(exempt_crossings, INT, LAST, "", "edges through triangles that remain because of them")
PRC_REPORT(momentum, VECTOR, LAST, " [kg m/s]", "total momentum")
PRC_REPORT(angular_momentum, VECTOR, LAST, " [kg m²/s]", "total angular momentum about the origin")
PRC_REPORT(seconds, REAL, LAST, " [s]", "wall-clock time of the step")
PRC_REPORT_PART(gradient, "forces, tangents and energies")
PRC_REPORT_PART(product, "products with the tangent; method newton: a part of seconds_linear")
PRC_REPORT_PART(preconditioner, "applying the preconditioner; method newton: a part of seconds_linear")
PRC_REPORT_PART(setup, "setting up the preconditioner: diagonal blocks and coarse matrices")
PRC_REPORT_PART(linear, "linear solves")
PRC_REPORT_PART(broad, "contact: search for pairs")
PRC_REPORT_PART(ccd, "contact: how far the prediction may go")
PRC_REPORT_PART(bounds, "contact: geometry and planes of pairs, moves verified or shortened")
PRC_REPORT_PART(contact_forces, "contact: forces and stiffnesses")

#undef PRC_REPORT
#undef PRC_REPORT_PART
