/* app/cli/summary.c — what a person reads before and after a run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "job.h"
#include "stop.h"

void prc_job_name_body(const prc_job *j, int body, char text[80])
{
    const bool obstacle = prc_sim_body_is_obstacle(j->sim, body);
    const int index = obstacle ? body - j->def.body_count : body;
    const char *name = obstacle ? j->def.obstacles[index].name : j->def.bodies[index].name;
    snprintf(text, 80, "%s %d%s%.55s", obstacle ? "obstacle" : "body", index, name ? " " : "", name ? name : "");
}

void prc_job_print_command(FILE *stream, const char *folder)
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
    fputc('\n', stream);
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
    if (j->options.quiet)
        return;
    printf("%s%s%s: %d vertices, %d steps of %g s, %s\n", prc_progress_colour(&j->progress, "bold"),
           j->from.file ? j->scene_path : j->options.what, prc_progress_colour(&j->progress, ""),
           prc_sim_vertex_count(j->sim), j->steps, j->def.time.step, prc_sim_backend(j->sim));
    if (j->from.file)
        printf("  resumed     after step %d, at %.6g s, with %d frames\n", j->step, prc_sim_time(j->sim),
               j->output.frame_count);
    for (int o = 0; o < j->def.obstacle_count; o++) {
        const int count = repeating_triangles(j->def.obstacles[o].mesh);
        char name[80];
        prc_job_name_body(j, j->def.body_count + o, name);
        if (count)
            printf("  %s: %d triangle%s a vertex twice, and count%s as edge%s\n", name, count,
                   count == 1 ? " names" : "s name", count == 1 ? "s" : "", count == 1 ? "" : "s");
    }
    const prc_start_outcome *start = &j->start;
    if (start->moved_vertices)
        printf("  start       gaps opened: %d vertices moved, by at most %.3g m\n", start->moved_vertices,
               start->largest_move);
    if (start->exempt_pairs)
        printf("  start       %d pairs are exempt, with %d crossings\n", start->exempt_pairs, start->exempt_crossings);
    fflush(stdout);
}

/* ---- after ---- */

static void print_lag(const prc_job *j)
{
    const prc_run_totals *t = &j->totals;
    if (!(t->largest_lag > 0))
        return;
    printf("  held back most: ");
    if (t->lag_collider >= 0) {
        printf("collider %d", t->lag_collider);
    } else {
        const bool obstacle = prc_sim_body_is_obstacle(j->sim, t->lag_body);
        const int index = obstacle ? t->lag_body - j->def.body_count : t->lag_body;
        const char *name = obstacle ? j->def.obstacles[index].name : j->def.bodies[index].name;
        printf("%s ", obstacle ? "obstacle" : "body");
        if (name)
            printf("'%s'", name);
        else
            printf("%d", index);
        printf(" vertex %d", t->lag_vertex);
    }
    printf(", %.3g mm at %.4g s\n", 1e3 * t->largest_lag, t->lag_time);
}

/* Steps that did not converge are told even to those who asked for quiet. */
static void print_unconverged(const prc_job *j)
{
    const prc_run_totals *t = &j->totals;
    if (!t->unconverged)
        return;
    FILE *stream = j->options.quiet ? stderr : stdout;
    fprintf(stream,
            "%s%d of %d steps did not converge%s (first at %.6g s: %s; worst residual %.2g m/s, tolerance %.2g m/s)\n",
            prc_progress_colour(&j->progress, "bad"), t->unconverged, t->steps, prc_progress_colour(&j->progress, ""),
            t->first_unconverged, t->first_stop, t->worst_residual, prc_sim_tolerance(j->sim));
    fprintf(stream, "  A smaller time.step or a larger solver.max_iterations helps.\n");
}

static const char *outcome(const prc_job *j)
{
    if (j->violated)
        return "Stopped by an intersection.";
    if (j->totals.failure)
        return "Stopped by a failed step.";
    if (j->step == j->steps)
        return "Finished.";
    if (j->walled)
        return "Stopped by --max-wall; files are complete up to here.";
    return "Interrupted; files are complete up to here.";
}

static void print_files(const prc_job *j, const char *report)
{
    const prc_run_totals *t = &j->totals;
    if (t->frames > 1)
        printf("  frames      %s/frame_00000.ply … frame_%05d.ply, %.4g per second\n", j->output.folder, t->frames - 1,
               1 / j->frame_period);
    else
        printf("  frames      %s/frame_00000.ply\n", j->output.folder);
    printf("  steps       %s/steps.csv\n", j->output.folder);
    printf("  report      %s\n", report);
    if (j->trace[0])
        printf("  trace       %s\n", j->options.trace ? j->options.trace : j->trace);
}

static void print_figures(const prc_job *j)
{
    const prc_run_totals *t = &j->totals;
    if (t->steps)
        printf("  stretches   %.4g to %.4g\n", t->smallest_stretch, t->largest_stretch);
    print_lag(j);
    if (j->start.exempt_pairs)
        printf("  exempt      %d pairs left of %d, %d crossings of %d\n", t->exempt_pairs, j->start.exempt_pairs,
               t->exempt_crossings, j->start.exempt_crossings);
    const char *apart = j->start.exempt_pairs ? " but exempt ones" : "";
    if (t->verified && t->least_gap >= 0)
        printf("  verified    %d states without intersection%s, smallest gap %.4g m\n", t->verified, apart,
               t->least_gap);
    else if (t->verified)
        printf("  verified    %d states without intersection%s\n", t->verified, apart);
}

void prc_job_print_summary(const prc_job *j, const char *report)
{
    const prc_run_totals *t = &j->totals;
    char total[40], each[40];
    const double shared = t->steps ? 1.0 / t->steps : 0;
    const bool whole = j->step == j->steps && !t->failure;
    if (!j->options.quiet)
        printf("%s%s%s  %.6g s simulated in %s: %d steps of %s, %.3g iterations each\n",
               prc_progress_colour(&j->progress, whole ? "good" : "bad"), outcome(j),
               prc_progress_colour(&j->progress, ""), t->time, prc_progress_duration(t->seconds_total, total), t->steps,
               prc_progress_duration(t->seconds_steps * shared, each), (double)t->iterations * shared);
    print_unconverged(j);
    if (!j->options.quiet) {
        print_figures(j);
        print_files(j, report);
    }
    if (whole || j->violated)
        return;
    FILE *stream = j->options.quiet ? stderr : stdout;
    fprintf(stream, "%s", j->options.quiet ? "percale: go on with: " : "  to go on    ");
    prc_job_print_command(stream, j->output.folder);
}
