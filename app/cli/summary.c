/* app/cli/summary.c — the text printed before and after a run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "job.h"
#include "quantity.h"
#include "stop.h"
#include "survey.h"

void prc_job_name_body(const prc_job *j, int body, char text[80])
{
    const bool obstacle = prc_sim_body_is_obstacle(j->sim, body);
    const int index = obstacle ? body - j->def.body_count : body;
    const char *name = obstacle ? j->def.obstacles[index].name : j->def.bodies[index].name;
    snprintf(text, 80, "%s %d%s%.55s", obstacle ? "obstacle" : "body", index, name ? " " : "", name ? name : "");
}

static void print_command(FILE *stream, const char *folder, const char *options)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-@%,:";
    fputs("percale resume ", stream);
    if (folder[strspn(folder, plain)]) {
        fputc('\'', stream);
        for (const char *c = folder; *c; c++)
            fputs(*c == '\'' ? "'\\''" : (const char[]){*c, '\0'}, stream);
        fputc('\'', stream);
    } else {
        fputs(folder, stream);
    }
    fprintf(stream, "%s\n", options);
}

void prc_job_print_command(FILE *stream, const char *folder)
{
    print_command(stream, folder, "");
}

/* ---- before ---- */

static int repeating_triangles(const prc_mesh *mesh)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles + 3L * t;
        count += v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
    }
    return count;
}

void prc_job_print_start(const prc_job *j)
{
    FILE *to = j->progress.options.stream;
    char vertices[PRC_QUANTITY], steps[PRC_QUANTITY], step[PRC_QUANTITY];
    if (j->options.quiet)
        return;
    fprintf(to, "%s%s%s: %s vertices, %s steps of %s, %s\n", prc_progress_colour(&j->progress, "bold"),
            j->from.file ? j->scene_path : j->options.what, prc_progress_colour(&j->progress, ""),
            prc_quantity_count(prc_sim_vertex_count(j->sim), vertices), prc_quantity_count(j->steps, steps),
            prc_quantity_time(j->def.time.step, step), prc_sim_backend(j->sim));
    if (j->from.file)
        fprintf(to, "  resumed     after step %d, at %.6g s, with %d frames\n", j->step, prc_sim_time(j->sim),
                j->output.frame_count);
    prc_cli_print_notes(j->scene, to);
    for (int o = 0; o < j->def.obstacle_count; o++) {
        const int count = repeating_triangles(j->def.obstacles[o].mesh);
        char name[80];
        prc_job_name_body(j, j->def.body_count + o, name);
        if (count)
            fprintf(to, "  %s: %d triangle%s a vertex twice, and count%s as edge%s\n", name, count,
                    count == 1 ? " names" : "s name", count == 1 ? "s" : "", count == 1 ? "" : "s");
    }
    const prc_start_outcome *start = &j->start;
    if (start->moved_vertices)
        fprintf(to, "  start       gaps widened: %d vertices moved, by at most %.3g m\n", start->moved_vertices,
                start->largest_move);
    if (start->exempt_pairs)
        fprintf(to, "  start       %d pairs exempt, with %d crossings\n", start->exempt_pairs, start->exempt_crossings);
    if (start->prescribed_pairs)
        fprintf(to, "  warning     %d of them are fully pinned and intersect or are too close: exempt for good\n",
                start->prescribed_pairs);
    fflush(to);
}

/* ---- after ---- */

static void print_lag(const prc_job *j)
{
    FILE *to = j->progress.options.stream;
    const prc_run_totals *t = &j->totals;
    if (!(t->largest_lag > 0))
        return;
    fprintf(to, "  largest lag: ");
    if (t->lag_collider >= 0) {
        fprintf(to, "collider %d", t->lag_collider);
    } else {
        const bool obstacle = prc_sim_body_is_obstacle(j->sim, t->lag_body);
        const int index = obstacle ? t->lag_body - j->def.body_count : t->lag_body;
        const char *name = obstacle ? j->def.obstacles[index].name : j->def.bodies[index].name;
        fprintf(to, "%s ", obstacle ? "obstacle" : "body");
        if (name)
            fprintf(to, "'%s'", name);
        else
            fprintf(to, "%d", index);
        fprintf(to, " vertex %d", t->lag_vertex);
    }
    fprintf(to, ", %.3g mm at %.4g s\n", 1e3 * t->largest_lag, t->lag_time);
}

/* What may help besides a smaller step: more iterations do only where they were used up; one that stalls has come to
 * the end of its precision. */
static const char *other_help(const prc_job *j)
{
    if (!strcmp(j->totals.first_stop, "max_iterations"))
        return ", a larger solver.max_iterations";
    return j->def.precision == PRC_PRECISION_SINGLE ? ", precision: double" : ", a larger solver.tolerance";
}

/* Steps that did not converge are told even to those who asked for quiet. */
static void print_unconverged(const prc_job *j)
{
    const prc_run_totals *t = &j->totals;
    if (!t->unconverged)
        return;
    FILE *stream = j->options.quiet ? stderr : j->progress.options.stream;
    fprintf(stream,
            "%s%d of %d steps did not converge%s (first at %.6g s: %s; worst residual %.2g m/s, tolerance %.2g m/s)\n",
            prc_progress_colour(&j->progress, "bad"), t->unconverged, t->steps, prc_progress_colour(&j->progress, ""),
            t->first_unconverged, t->first_stop, t->worst_residual, prc_sim_tolerance(j->sim));
    if (!j->unconverged) {
        fprintf(stream, "  Possible remedies: a smaller time.step%s.\n", other_help(j));
        return;
    }
    fprintf(stream,
            "  Possible remedies: percale run with a smaller time.step%s or a larger\n  solver.max_substeps; or accept "
            "such steps, with solver.unconverged: go_on. To continue from here:\n    ",
            other_help(j));
    print_command(stream, j->output.folder, " --unconverged go_on");
}

static const char *outcome(const prc_job *j)
{
    if (j->violated)
        return "Stopped by an intersection.";
    if (j->unconverged)
        return "Stopped by a step that did not converge.";
    if (j->totals.failure)
        return "Stopped by a failed step.";
    if (j->step == j->steps)
        return "Finished.";
    if (j->walled && j->step == j->first_step)
        return "Stopped by --max-wall before the first step was completed; use a longer --max-wall.";
    if (j->walled)
        return "Stopped by --max-wall; files are complete up to here.";
    return "Interrupted; files are complete up to here.";
}

static void print_files(const prc_job *j, const char *report)
{
    FILE *to = j->progress.options.stream;
    const prc_run_totals *t = &j->totals;
    prc_frames_kind kinds[PRC_FRAMES_KINDS];
    const int count = prc_frames_list(&j->output.frames, t->frames, kinds);
    for (int k = 0; k < count; k++) {
        const bool one = !strcmp(kinds[k].first, kinds[k].last);
        fprintf(to, "  frames      %s/%s%s%s", j->output.folder, kinds[k].first, one ? "" : " … ",
                one ? "" : kinds[k].last);
        if (t->frames > 1)
            fprintf(to, ", %.4g per second", 1 / j->frame_period);
        fprintf(to, "\n");
    }
    fprintf(to, "  steps       %s/steps.csv\n", j->output.folder);
    fprintf(to, "  report      %s\n", report);
    if (j->trace[0])
        fprintf(to, "  trace       %s\n", j->options.trace ? j->options.trace : j->trace);
    if (j->log && strcmp(j->options.log, "-") != 0)
        fprintf(to, "  log         %s\n", j->options.log);
}

/* What was looked at and found clean, and what was not looked at. */
static void print_verified(const prc_job *j)
{
    FILE *to = j->progress.options.stream;
    const prc_run_totals *t = &j->totals;
    if (!t->verified)
        return;
    fprintf(to, "  verified    %d states without intersection%s", t->verified,
            j->start.exempt_pairs ? " except exempt ones" : "");
    if (t->least_gap >= 0)
        fprintf(to, ", smallest gap %.4g m", t->least_gap);
    if (t->least_collider_gap >= 0)
        fprintf(to, ", to a collider %.4g m", t->least_collider_gap);
    fprintf(to, "\n");
    if (t->unverified_colliders)
        fprintf(to, "  unverified  %d collider%s: no pose, or a field without its mesh\n", t->unverified_colliders,
                t->unverified_colliders == 1 ? "" : "s");
}

static void print_figures(const prc_job *j)
{
    FILE *to = j->progress.options.stream;
    const prc_run_totals *t = &j->totals;
    char gap[PRC_QUANTITY];
    if (t->steps && prc_survey_has_cloth(&j->def))
        fprintf(to, "  stretches   %.4g to %.4g\n", t->smallest_stretch, t->largest_stretch);
    if (t->retries)
        fprintf(to, "  sub-steps   %lld steps were divided into sub-steps, after %lld attempts that did not converge\n",
                t->steps_in_parts, t->retries);
    if (t->most_contacts)
        fprintf(to, "  contacts    at most %d at a time, smallest gap %s\n", t->most_contacts,
                prc_quantity_length(t->smallest_gap, gap));
    print_lag(j);
    if (j->start.exempt_pairs)
        fprintf(to, "  exempt      %d pairs left of %d, %d crossings of %d\n", t->exempt_pairs, j->start.exempt_pairs,
                t->exempt_crossings, j->start.exempt_crossings);
    print_verified(j);
}

void prc_job_print_summary(const prc_job *j, const char *report)
{
    FILE *to = j->progress.options.stream;
    const prc_run_totals *t = &j->totals;
    char total[PRC_QUANTITY], each[PRC_QUANTITY];
    const double shared = t->steps ? 1.0 / t->steps : 0;
    const bool whole = j->step == j->steps && !t->failure;
    if (!j->options.quiet)
        fprintf(to, "%s%s%s  %.6g s simulated in %s: %d steps of %s, %.3g iterations each\n",
                prc_progress_colour(&j->progress, whole ? "good" : "bad"), outcome(j),
                prc_progress_colour(&j->progress, ""), t->time, prc_quantity_duration(t->seconds_total, total),
                t->steps, prc_quantity_duration(t->seconds_steps * shared, each), (double)t->iterations * shared);
    print_unconverged(j);
    if (!j->options.quiet) {
        print_figures(j);
        print_files(j, report);
    }
    if (whole || j->violated || j->unconverged)
        return;
    FILE *stream = j->options.quiet ? stderr : j->progress.options.stream;
    if (j->stuck) {
        fprintf(stream, "%s", j->options.quiet ? "percale: " : "  continue    ");
        fprintf(stream, "change the scene and run it again; 'percale resume' would fail in the same step\n");
        return;
    }
    fprintf(stream, "%s", j->options.quiet ? "percale: continue with: " : "  continue    ");
    prc_job_print_command(stream, j->output.folder);
}
