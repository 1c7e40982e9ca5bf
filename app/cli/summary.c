/* app/cli/summary.c — see summary.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include <math.h>
#include <string.h>

#include "quantity.h"

static const char *plural(double count)
{
    return count == 1 ? "" : "s";
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

static void tell_obstacles(FILE *to, const prc_sim_def *def)
{
    for (int o = 0; o < def->obstacle_count; o++) {
        const int count = repeating_triangles(def->obstacles[o].mesh);
        const char *name = def->obstacles[o].name;
        if (count)
            fprintf(to, "  obstacle %d%s%s: %d triangle%s a vertex twice, and count%s as edge%s\n", o, name ? " " : "",
                    name ? name : "", count, count == 1 ? " names" : "s name", count == 1 ? "s" : "", plural(count));
    }
}

void prc_summary_begin(const prc_progress *progress, const prc_summary *s)
{
    FILE *to = progress->options.stream;
    char count[PRC_QUANTITY], steps[PRC_QUANTITY], step[PRC_QUANTITY];
    if (progress->options.quiet)
        return;
    fprintf(to, "%s%s%s: %s vertices, %s steps of %s, %s\n", prc_progress_colour(progress, "bold"), s->scene,
            prc_progress_colour(progress, ""), prc_quantity_count(prc_sim_vertex_count(s->sim), count),
            prc_quantity_count(s->steps, steps), prc_quantity_time(s->def->time.step, step), prc_sim_backend(s->sim));
    if (progress->options.first_step)
        fprintf(to, "  goes on from step %d, %.6g s\n", progress->options.first_step, prc_sim_time(s->sim));
    tell_obstacles(to, s->def);
    if (s->start.moved_vertices)
        fprintf(to, "  start       gaps opened: %d vertices moved, by at most %.3g m\n", s->start.moved_vertices,
                s->start.largest_move);
    if (s->start.exempt_pairs)
        fprintf(to, "  start       %d pairs are exempt, with %d crossings\n", s->start.exempt_pairs,
                s->start.exempt_crossings);
    fflush(to);
}

/* ---- after ---- */

static void tell_lag(FILE *to, const prc_summary *s)
{
    const prc_run_totals *t = s->totals;
    if (!(t->largest_lag > 0))
        return;
    fprintf(to, "  held back most: ");
    if (t->lag_collider >= 0) {
        fprintf(to, "collider %d", t->lag_collider);
    } else {
        const bool obstacle = prc_sim_body_is_obstacle(s->sim, t->lag_body);
        const int index = obstacle ? t->lag_body - s->def->body_count : t->lag_body;
        const char *name = obstacle ? s->def->obstacles[index].name : s->def->bodies[index].name;
        fprintf(to, "%s ", obstacle ? "obstacle" : "body");
        if (name)
            fprintf(to, "'%s'", name);
        else
            fprintf(to, "%d", index);
        fprintf(to, " vertex %d", t->lag_vertex);
    }
    fprintf(to, ", %.3g mm at %.4g s\n", 1e3 * t->largest_lag, t->lag_time);
}

static void tell_unconverged(const prc_progress *progress, const prc_summary *s)
{
    const prc_run_totals *t = s->totals;
    if (!t->unconverged)
        return;
    FILE *to = progress->options.quiet ? stderr : progress->options.stream;
    fprintf(
        to, "%s%d of %d steps did not converge%s (first at %.6g s: %s; worst residual %.2g m/s, tolerance %.2g m/s)\n",
        prc_progress_colour(progress, "bad"), t->unconverged, t->steps, prc_progress_colour(progress, ""),
        t->first_unconverged, t->first_stop ? t->first_stop : "unknown", t->worst_residual, prc_sim_tolerance(s->sim));
    fprintf(to, "  A smaller time.step or a larger solver.max_iterations helps.\n");
}

static void tell_verdict(const prc_progress *progress, const prc_summary *s)
{
    const prc_run_totals *t = s->totals;
    char total[PRC_QUANTITY], each[PRC_QUANTITY], steps[PRC_QUANTITY];
    fprintf(progress->options.stream, "%s%s%s  %.6g s simulated in %s: %s step%s of %s, %.3g iterations each\n",
            prc_progress_colour(progress, s->good ? "good" : "bad"), s->verdict, prc_progress_colour(progress, ""),
            t->time, prc_quantity_duration(t->seconds_total, total), prc_quantity_count(t->steps, steps),
            plural(t->steps), prc_quantity_duration(t->steps ? t->seconds_steps / t->steps : 0, each),
            t->steps ? (double)t->iterations / t->steps : 0);
}

static void tell_contact(FILE *to, const prc_summary *s)
{
    const prc_run_totals *t = s->totals;
    char gap[PRC_QUANTITY];
    if (t->most_contacts)
        fprintf(to, "  contacts    at most %d at a time, smallest gap %s\n", t->most_contacts,
                prc_quantity_length(t->smallest_gap, gap));
    tell_lag(to, s);
    if (s->start.exempt_pairs)
        fprintf(to, "  exempt      %d pairs left of %d, %d crossings of %d\n", t->exempt_pairs, s->start.exempt_pairs,
                t->exempt_crossings, s->start.exempt_crossings);
    const char *apart = s->start.exempt_pairs ? " but exempt ones" : "";
    if (s->verified && s->least_gap >= 0)
        fprintf(to, "  verified    %d states without intersection%s, smallest gap %.4g m\n", s->verified, apart,
                s->least_gap);
    else if (s->verified)
        fprintf(to, "  verified    %d states without intersection%s\n", s->verified, apart);
}

static void tell_files(FILE *to, const prc_summary *s)
{
    const int frames = s->totals->frames;
    if (frames > 1)
        fprintf(to, "  frames      %s/frame_00000.ply … frame_%05d.ply, %.4g per second\n", s->folder, frames - 1,
                1 / s->frame_period);
    else
        fprintf(to, "  frames      %s/frame_00000.ply\n", s->folder);
    fprintf(to, "  steps       %s/steps.csv\n", s->folder);
    fprintf(to, "  report      %s\n", s->report);
    if (s->trace)
        fprintf(to, "  trace       %s\n", s->trace);
    if (s->log && strcmp(s->log, "-") != 0)
        fprintf(to, "  log         %s\n", s->log);
}

void prc_summary_end(const prc_progress *progress, const prc_summary *s)
{
    FILE *to = progress->options.stream;
    if (!progress->options.quiet)
        tell_verdict(progress, s);
    tell_unconverged(progress, s);
    if (!progress->options.quiet) {
        if (s->totals->steps)
            fprintf(to, "  stretches   %.4g to %.4g\n", s->totals->smallest_stretch, s->totals->largest_stretch);
        tell_contact(to, s);
        tell_files(to, s);
        if (s->resume)
            fprintf(to, "  go on with  %s%s%s\n", prc_progress_colour(progress, "bold"), s->resume,
                    prc_progress_colour(progress, ""));
    }
    fflush(to);
}
