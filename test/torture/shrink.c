/* torture/shrink.c — see shrink.h. Changes are tried one after another at every place of the tree, parents first, so
 * that whole bodies go before their numbers are rounded; each one makes the scene smaller, so it ends.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "shrink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- changes; each returns false where there is nothing to change --- */

typedef bool change(node *root, node *n, node *parent, int place);

/* Without these defaults hold, which make scenes larger. */
static bool is_needed(const node *n)
{
    static const char *const keys[] = {"time",       "step",           "duration",     "size",
                                       "length",     "cells",          "rings",        "subdivisions",
                                       "resolution", "max_iterations", "max_substeps", "max_inner"};
    bool found = false;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        found |= !strcmp(n->key, keys[k]);
    return found;
}

static bool drop(node *root, node *n, node *parent, int place)
{
    (void)root;
    if (is_needed(n))
        return false;
    node_remove(parent, place);
    return true;
}

static double *number_of(node *root, const char *table, const char *key)
{
    node *n = node_get(node_get(root, table), key);
    return n && n->kind == NODE_NUMBER ? &n->number : NULL;
}

/* Steps of the run; lengths of it are those of whole steps. */
static bool shorten(node *root, node *n, double share, int less)
{
    const double *step = number_of(root, "time", "step");
    if (!step || strcmp(n->key, "duration") != 0)
        return false;
    const double steps = floor(share * ceil(n->number / *step - 1e-6)) - less;
    n->number = node_rounded(steps * *step, 8);
    return steps >= 1;
}

static bool half_the_steps(node *root, node *n, node *parent, int place)
{
    (void)parent;
    (void)place;
    return shorten(root, n, 0.5, 0);
}

static bool one_step_less(node *root, node *n, node *parent, int place)
{
    (void)parent;
    (void)place;
    return shorten(root, n, 1, 1);
}

static bool is_count(const node *n, const node *parent)
{
    static const char *const counts[] = {"cells", "rings",          "subdivisions", "count",
                                         "seed",  "max_iterations", "max_inner",    "resolution"};
    bool found = false;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        found |= !strcmp(n->key[0] ? n->key : parent->key, counts[k]);
    return n->kind == NODE_NUMBER && found;
}

static bool halve(node *root, node *n, node *parent, int place)
{
    (void)root;
    (void)place;
    if (!is_count(n, parent) || n->number < 2)
        return false;
    n->number = floor(n->number / 2);
    return true;
}

static bool one_less(node *root, node *n, node *parent, int place)
{
    (void)root;
    (void)place;
    if (!is_count(n, parent) || n->number < 1)
        return false;
    n->number -= 1;
    return true;
}

static size_t length_of(double number)
{
    char text[40];
    return (size_t)snprintf(text, sizeof text, "%.12g", number);
}

/* Only to what is shorter. */
static bool set_number(node *n, double value)
{
    if (n->kind != NODE_NUMBER || length_of(value) >= length_of(n->number) || !strcmp(n->key, "duration"))
        return false;
    n->number = value;
    return true;
}

static bool to_zero(node *root, node *n, node *parent, int place)
{
    (void)root;
    (void)place;
    return !is_count(n, parent) && set_number(n, 0);
}

static bool to_one(node *root, node *n, node *parent, int place)
{
    (void)root;
    (void)place;
    return !is_count(n, parent) && set_number(n, n->number < 0 ? -1 : 1);
}

static bool to_one_digit(node *root, node *n, node *parent, int place)
{
    (void)root;
    (void)parent;
    (void)place;
    return set_number(n, node_rounded(n->number, 1));
}

static bool to_two_digits(node *root, node *n, node *parent, int place)
{
    (void)root;
    (void)parent;
    (void)place;
    return set_number(n, node_rounded(n->number, 2));
}

/* The coarse ones first: what they take away need not be rounded. */
static change *const changes[] = {half_the_steps, drop,   one_step_less, halve,        one_less,
                                  to_zero,        to_one, to_one_digit,  to_two_digits};

/* --- trying --- */

typedef struct search {
    node *scene;
    verdict what;
    const limits *limits;
    double until;
    int tries;
} search;

/* Whether the scene still fails with this change at this place; then it is made. */
static bool try_change(search *s, change *make, int index)
{
    node *copy = node_copy(s->scene), *parent = NULL;
    int place = 0;
    node *n = node_at(copy, index, &parent, &place);
    bool fails = n && parent && make(copy, n, parent, place);
    if (fails) {
        char *text = node_text(copy);
        fails = run_scene(text, s->limits).verdict == s->what;
        free(text);
        s->tries++;
    }
    if (fails) {
        node_free(s->scene);
        s->scene = copy;
    } else
        node_free(copy);
    return fails;
}

static bool sweep(search *s, change *make)
{
    bool any = false;
    for (int index = 1; node_at(s->scene, index, NULL, NULL) && now() < s->until;)
        if (try_change(s, make, index))
            any = true;
        else
            index++;
    return any;
}

node *shrink(node *scene, verdict what, const limits *l, double seconds, int *tries)
{
    /* What takes much longer than the scene itself is not smaller. */
    char *text = node_text(scene);
    const outcome whole = run_scene(text, l);
    limits bounded = *l;
    if (what != TIME)
        bounded.seconds = fmin(l->seconds, 2 + 2 * whole.seconds);
    free(text);
    search s = {.scene = scene, .what = what, .limits = &bounded, .until = now() + seconds};
    for (bool any = true; any && now() < s.until;) {
        any = false;
        for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
            any |= sweep(&s, changes[k]);
    }
    *tries = s.tries;
    return s.scene;
}
