/* test/test_scene_language.c — variables, expressions, included files, instances and initial velocities in scenes.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <percale/percale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "scene/expression.h"
#include "scene/scene.h"

static prc_scene_errors errors;

/* Puts more text behind a text. */
#define ADD(text, ...) snprintf((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)

static prc_scene *parse(const char *text)
{
    return prc_scene_parse(text, strlen(text), "s.yaml", NULL, 0, &errors);
}

static prc_scene *parse_with(const char *text, const char *override)
{
    return prc_scene_parse(text, strlen(text), "s.yaml", &override, 1, &errors);
}

/* ---- expressions ---- */

static prc_name_state find_name(void *context, const char *name, double *value)
{
    (void)context;
    *value = 7;
    return !strcmp(name, "seven") ? PRC_NAME_KNOWN : PRC_NAME_UNKNOWN;
}

static const prc_names names = {find_name, NULL};

TEST(expressions_have_the_values_of_arithmetic)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1", 1},
                 {"1 + 2 * 3", 7},
                 {"(1 + 2) * 3", 9},
                 {"8 / 4 / 2", 1},
                 {"8 - 4 - 2", 2},
                 {"2 ^ 3 ^ 2", 512},
                 {"-2 ^ 2", -4},
                 {"2 ^ -1", 0.5},
                 {"--3", 3},
                 {"+3 - -3", 6},
                 {"7 % 3", 1},
                 {"-7 % 3", 2},
                 {"7.5 % 2", 1.5},
                 {"1e-3 * 1E+3", 1},
                 {".5 + 2.", 2.5},
                 {" seven\t* 2 ", 14},
                 {"sqrt(16)", 4},
                 {"sin(30) * 2", 1},
                 {"sin(180)", 0},
                 {"cos(90) + cos(360)", 1},
                 {"tan(45)", 1},
                 {"asin(1) + acos(0)", 180},
                 {"atan(1) + atan2(-1, 0)", -45},
                 {"abs(-3)", 3},
                 {"min(3, 1, 2) + max(3, 1, 2)", 4},
                 {"floor(-0.5) + ceil(-0.5) + round(2.5)", 2},
                 {"log(exp(2))", 2},
                 {"2 * pi", 6.283185307179586}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value;
        prc_expression_error error;
        CHECK_TEXT(prc_expression_evaluate(cases[k].text, &names, &value, &error) ? "good" : error.message, "good");
        CHECK_NEAR(value, cases[k].value, 1e-14 * fabs(cases[k].value));
    }
}

TEST(wrong_expressions_say_what_is_wrong_and_where)
{
    static const struct {
        const char *text, *message;
        int at;
    } cases[] = {{"", "expected a number, a variable or '(', found the end", 0},
                 {"1 +", "expected a number, a variable or '(', found the end", 3},
                 {"1 2", "expected an operator or the end, found '2'", 2},
                 {"2 mm", "expected an operator or the end, found 'mm'", 2},
                 {"(1 + 2", "expected ')', found the end", 6},
                 {"1 + 2)", "expected an operator or the end, found ')'", 5},
                 {"1 / 0", "division by zero", 2},
                 {"5 % (1 - 1)", "division by zero", 2},
                 {"2 * eight", "there is no variable 'eight'", 4},
                 {"sqrt(-1)", "sqrt has no finite value here", 0},
                 {"1 + log(0)", "log has no finite value here", 4},
                 {"tan(90)", "tan has no finite value here", 0},
                 {"1e300 * 1e300", "'*' has no finite value here", 6},
                 {"10 ^ 400", "'^' has no finite value here", 3},
                 {"1e999", "the number has no finite value here", 0},
                 {"sin 30", "sin is a function; expected '(' after it, found '30'", 4},
                 {"sin()", "sin takes 1 value; found 0", 0},
                 {"atan2(1)", "atan2 takes 2 values; found 1", 0},
                 {"max(1)", "max takes at least 2 values; found 1", 0},
                 {"max(1; 2)", "expected ',' or ')', found ';'", 5},
                 {"3 × 4", "expected an operator or the end, found '×'", 2},
                 {"1 ** 2", "expected a number, a variable or '(', found '*'", 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double value;
        prc_expression_error error;
        CHECK(!prc_expression_evaluate(cases[k].text, &names, &value, &error));
        CHECK(strcmp(error.message, cases[k].message) == 0);
        CHECK(error.at == cases[k].at);
    }
}

TEST(hostile_expressions_are_refused)
{
    static char text[20000];
    double value;
    prc_expression_error error;
    static const char *const units[] = {"(", "-", "2^", "sin(", "1+", "max(1,", "x", "1", "\xff", "(-"};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (int length = 10; length < 2000; length *= 3) {
            text[0] = '\0';
            for (int k = 0; k < length; k++)
                ADD(text, "%s", units[u]);
            prc_expression_evaluate(text, &names, &value, &error);
            ADD(text, "1");
            CHECK(length < 900 || !prc_expression_evaluate(text, &names, &value, &error));
            CHECK(error.at >= 0 && error.at <= (int)strlen(text));
        }
    memset(text, '(', 40);
    text[40] = '\0';
    CHECK(!prc_expression_evaluate(text, &names, &value, &error));
    CHECK_TEXT(error.message, "nested more than 32 levels deep");
}

/* ---- variables ---- */

#define SHEET "bodies:\n  - mesh: {grid: {size: [size, size / 2], cells: [n, n / 2]}}\n"

TEST(numbers_may_be_expressions_of_variables)
{
    prc_scene *scene = parse("percale: 1\n"
                             "variables: {half: size / 2, size: 1.5 * unit, unit: 2, n: 6}\n"
                             "time: {step: 1 / 500, duration: \"max(half, 1)\"}\n"
                             "gravity: [0, -unit * 5, sin(90)]\n" SHEET
                             "    pins: [{select: {corners: [n / 6], box: {min: [half - 0.1, -9, -9]}}}]\n"
                             "    material: {model: ogden, coefficients: [unit], exponents: [2 * unit]}\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->time.step == 0.002 && def->time.duration == 1.5);
    CHECK(def->gravity[1] == -10 && def->gravity[2] == 1);
    CHECK(def->bodies[0].mesh->vertex_count == 7 * 4 && def->bodies[0].mesh->positions[0] == -1.5);
    CHECK(def->pins[0].vertex_count == 1 && def->pins[0].vertices[0] == 6);
    CHECK(def->bodies[0].material.exponents[0] == 4);
    prc_scene_destroy(scene);
}

TEST(an_override_of_a_variable_reaches_its_users)
{
    const char *text = "percale: 1\nvariables: {n: 4, size: n / 2}\n" SHEET;
    prc_scene *scene = parse_with(text, "variables.n=8");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 9 * 5);
    CHECK(prc_scene_sim_def(scene)->bodies[0].mesh->positions[0] == -2);
    prc_scene_destroy(scene);
    scene = parse_with(text, "bodies[0].mesh.grid.cells=[n, 3 * n]");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 5 * 13);
    prc_scene_destroy(scene);
    CHECK(!parse_with(text, "variables.n=3"));
    CHECK_TEXT(errors.items[0].message, "cells[1]: 'n / 2' is 1.5, which is not allowed; expected 2 whole numbers");
    CHECK(!parse_with(text, "include=x.yaml"));
    CHECK_TEXT(errors.items[0].message, "include: cannot be set here; write it into the scene file");
}

TEST(a_whole_number_may_be_missed_by_rounding)
{
    prc_scene *scene = parse("percale: 1\nvariables: {n: 3 * 0.1 * 10, size: 1}\n"
                             "bodies: [{mesh: {grid: {cells: [n, 30 * 0.1]}}}]\n");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 16);
    prc_scene_destroy(scene);
    CHECK(!parse("percale: 1\nbodies: [{mesh: {grid: {cells: [3 + 1e-6, 2]}}}]\n"));
}

#define BODY "percale: 1\nbodies: [{mesh: {disc: {rings: 1}}}]\n"

TEST(wrong_variables_are_told_with_their_place)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"variables: {size: 1}\ntime: {step: siez / 100}\n",
         "s.yaml:4:14: time.step: in 'siez / 100': there is no variable 'siez'; expected a number > 0 s; did you mean "
         "'size'?"},
        {"variables: {size: 1}\ntime: {step: siez}\n", "s.yaml:4:14: time.step: found 'siez', which is not a variable; "
                                                       "expected a number > 0 s; did you mean 'size'?"},
        {"variables: {size: 1}\ntime: {step: 100 * sqr(size)}\n",
         "s.yaml:4:20: time.step: in '100 * sqr(size)': there is no variable 'sqr'; expected a number > 0 s; did you "
         "mean 'sqrt'?"},
        {"variables: {a: 1}\ntime: {step: 3 - 4 * a}\n",
         "s.yaml:4:14: time.step: '3 - 4 * a' is -1, which is not allowed; expected a number > 0 s"},
        {"time: {step: \"2 * (1 - 1\"}\n",
         "s.yaml:3:25: time.step: in '2 * (1 - 1': expected ')', found the end; expected a number > 0 s"},
        {"variables: {a: b, b: c, c: a}\n", "s.yaml:3:28: variables.c: depends on itself: a → b → c → a"},
        {"variables: {a: a}\n", "s.yaml:3:16: variables.a: depends on itself: a → a"},
        {"variables: {a: [1]}\n", "s.yaml:3:16: variables.a: found a list; expected a finite number or an expression"},
        {"variables: {a: }\n", "s.yaml:3:13: variables.a: found nothing; expected a finite number or an expression"},
        {"variables: {a: .inf}\n", "s.yaml:3:16: variables.a: .inf is not finite; expected a finite number"},
        {"variables: {pi: 3}\n",
         "s.yaml:3:13: variables.pi: 'pi' is already a name in expressions; choose another name"},
        {"variables: {2n: 3}\n",
         "s.yaml:3:13: variables.2n: not a valid name; expected letters, digits and _, a letter first, at most 39"},
        {"variables: 3\n", "s.yaml:3:12: variables: found '3'; expected a table of names and numbers or expressions"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[400];
        snprintf(text, sizeof text, BODY "%s", cases[k].text);
        CHECK(!parse(text));
        CHECK(errors.count == 1);
        CHECK_TEXT(errors.items[0].message, cases[k].message);
    }
}

TEST(a_wrong_variable_is_told_once_not_where_it_is_used)
{
    CHECK(!parse("percale: 1\nvariables: {n: 1 / 0, size: n}\n" SHEET "time: {step: n, duration: -1}\n"));
    CHECK(errors.count == 2);
    CHECK_TEXT(errors.items[0].message, "s.yaml:2:18: variables.n: in '1 / 0': division by zero");
    CHECK_TEXT(errors.items[1].message, "time.duration: -1 is not allowed");
}

TEST(long_chains_of_variables_do_not_exhaust_the_stack)
{
    static char text[40000];
    for (int downward = 0; downward < 2; downward++) {
        strcpy(text, BODY "variables:\n");
        for (int k = 0; k < 900; k++)
            if (downward)
                snprintf(text + strlen(text), 60, "  v%d: v%d + 1\n", k, k + 1);
            else
                snprintf(text + strlen(text), 60, "  v%d: %s%d + 1\n", k, k ? "v" : "", k - (k > 0));
        ADD(text, "%s", downward ? "  v900: 1\n" : "");
        prc_scene *scene = parse(text);
        CHECK(downward ? !scene && errors.count >= 1 : scene != NULL);
        prc_scene_destroy(scene);
    }
    CHECK_TEXT(errors.items[0].message, "more than 60 variables that use each other");
}

/* ---- errors with their line ---- */

TEST(an_error_shows_the_line_and_the_column)
{
    CHECK(!parse("percale: 1\nbodies: [{mesh: {disc: {rings: 1}}}]\ntime: {step:\t\xc3\xa9 - 1}\n"));
    CHECK(errors.items[0].line == 3 && errors.items[0].column == 14 && errors.items[0].caret == 13);
    CHECK_TEXT(errors.items[0].source, "time: {step: \xc3\xa9 - 1}");
    char text[1000] = "percale: 1\nbodies: [{mesh: {disc: {rings: 1}}}]\ngravity: [";
    memset(text + strlen(text), ' ', 500);
    ADD(text, "1, 2, x]\n");
    CHECK(!parse(text));
    CHECK(errors.items[0].column > 500 && errors.items[0].caret < 100);
    const char *at = errors.items[0].source + strlen("…") - 1 + errors.items[0].caret;
    CHECK(*at == 'x');
}

TEST(parts_that_are_sound_are_checked_beside_those_that_are_not)
{
    CHECK(!parse("percale: 1\n"
                 "time: {step: -1}\n"
                 "bodies:\n"
                 "  - mesh: {grid: {cells: [2, 2]}}\n"
                 "    material: {density: -1}\n"
                 "    pins: [{select: {box: {min: [5, 5, 5]}}}, {select: {vertices: [x]}}]\n"
                 "  - mesh: {file: missing.obj}\n"
                 "  - mesh: {disc: {rings: 0}}\n"
                 "    pins: [{select: {vertices: [999]}}]\n"
                 "  - mesh: *none\n"
                 "obstacles: [{mesh: {file: missing_too.obj}}]\n"));
    CHECK(errors.count == 8);
    static const int lines[] = {2, 5, 6, 6, 7, 8, 10, 11};
    for (int k = 0; k < 8; k++)
        CHECK(errors.items[k].line == lines[k]);
}

TEST(several_mistakes_of_yaml_itself_are_told_at_once)
{
    CHECK(!parse("percale: 1\ntime: {step: 1, step: 2}\nbodies: [{mesh: {disc: {}}, material: *a}]\ntime: 3\n"));
    CHECK(errors.count == 3);
    CHECK_TEXT(errors.items[0].message, "s.yaml:2:17: duplicate key 'step'");
    CHECK_TEXT(errors.items[1].message, "s.yaml:3:39: the alias *a has no anchor");
    CHECK_TEXT(errors.items[2].message, "s.yaml:4:1: duplicate key 'time'; it was first given on line 2");
}

TEST(what_the_def_check_finds_has_a_place_too)
{
    CHECK(!parse(BODY "solver: {method: ncg}\ncontact:\n  enabled: true\n"));
    CHECK_TEXT(errors.items[0].message, "s.yaml:5:3: contact: works with solver.method newton only");
    CHECK(!parse("percale: 1\nbodies:\n  - {mesh: {disc: {}}, instances: {count: 3}}\n"
                 "  - mesh: {disc: {}}\n    friction: 0.5\ncontact: {enabled: true, method: projection}\n"));
    CHECK_TEXT(errors.items[0].message, "s.yaml:5:15: bodies[1].friction: contact.method projection has no friction");
}

TEST(bytes_that_are_no_text_are_refused_with_their_place)
{
    static const char *const bad[] = {"\xff",     "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                      "\xe2\x82", "\x01",     "\x7f"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[100];
        snprintf(text, sizeof text, "percale: 1\nname: \xc3\xa9%s", bad[k]);
        CHECK(!parse(text));
        CHECK_TEXT(errors.items[0].message, "s.yaml:2:8: byte 0x");
        CHECK_TEXT(errors.items[0].message, "is not text; expected a file in UTF-8");
    }
}

/* libfyaml does not come back from this one. */
TEST(a_directive_that_is_no_text_is_refused)
{
    CHECK(!parse("%p,ep\xff"));
    CHECK_TEXT(errors.items[0].message, "s.yaml:1:6: byte 0xff is not text");
}

/* ---- included files ---- */

static char folder[40];

static void write_file(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

static prc_scene *read_scene(const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return prc_scene_read(path, NULL, 0, &errors);
}

static bool open_room(void)
{
    char parts[60];
    strcpy(folder, "/tmp/percale-include-XXXXXX");
    if (!mkdtemp(folder))
        return false;
    snprintf(parts, sizeof parts, "%s/parts", folder);
    return mkdir(parts, 0700) == 0;
}

static void close_room(const char *const *files)
{
    char path[100];
    for (; *files; files++) {
        snprintf(path, sizeof path, "%s/%s", folder, *files);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/parts", folder);
    rmdir(path);
    rmdir(folder);
}

TEST(an_included_file_lies_under_the_one_that_includes_it)
{
    static const char *const files[] = {"s.yaml", "parts/cloth.yaml", "parts/t.obj", "parts/air.yaml", NULL};
    CHECK(open_room());
    write_file("parts/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_file("parts/air.yaml", "air: {density: d, drag: 2, wind: [1, 0, 0]}\nvariables: {d: 1, e: 5}\n");
    write_file("parts/cloth.yaml", "include: air.yaml\n"
                                   "time: {step: 0.5, duration: 7}\n"
                                   "bodies:\n"
                                   "  - {name: cloth, mesh: {file: t.obj}, material: {stretch: 9, density: 4}}\n");
    write_file("s.yaml", "percale: 1\n"
                         "include: [parts/cloth.yaml, parts/air.yaml]\n"
                         "variables: {d: 3}\n"
                         "time: {step: 0.25}\n"
                         "air: {wind: [0, 0, e]}\n"
                         "bodies:\n"
                         "  - {mesh: {disc: {rings: 1}}}\n"
                         "  - {name: cloth, material: {density: 8}}\n");
    prc_scene *scene = read_scene("s.yaml");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->time.step == 0.25 && def->time.duration == 7);
    CHECK(def->air.density == 3 && def->air.drag == 2 && def->air.wind[0] == 0 && def->air.wind[2] == 5);
    CHECK(def->body_count == 2 && def->bodies[0].mesh->vertex_count == 3 && def->bodies[1].mesh->vertex_count == 7);
    CHECK(def->bodies[0].material.stretch == 9 && def->bodies[0].material.density == 8);
    prc_scene_destroy(scene);
    close_room(files);
}

TEST(errors_in_an_included_file_name_it)
{
    static const char *const files[] = {"s.yaml", "parts/a.yaml", "parts/b.yaml", NULL};
    CHECK(open_room());
    write_file("s.yaml", "percale: 1\ninclude: parts/a.yaml\nbodies: [{mesh: {disc: {}}}]\nthreads: -1\n");
    write_file("parts/a.yaml", "# first\ntime: {stpe: 1}\n");
    CHECK(!read_scene("s.yaml"));
    CHECK(errors.count == 2);
    CHECK_TEXT(errors.items[0].message, "s.yaml:4:10: threads: -1 is not allowed");
    CHECK_TEXT(errors.items[1].message, "parts/a.yaml:2:8: time.stpe: unknown key; did you mean 'step'?");
    CHECK(errors.items[1].file == 1);
    CHECK_TEXT(errors.items[1].source, "time: {stpe: 1}");
    write_file("parts/a.yaml", "time: [\n");
    CHECK(!read_scene("s.yaml"));
    CHECK_TEXT(errors.items[1].message, "parts/a.yaml:");
    CHECK_TEXT(errors.items[1].message, "this is not YAML");
    write_file("parts/a.yaml", "bodies: [{mesh: {file: m.obj}}]\n");
    CHECK(!read_scene("s.yaml"));
    CHECK_TEXT(errors.items[1].message, "parts/a.yaml:1:24: bodies[0].mesh.file: ");
    CHECK_TEXT(errors.items[1].message, "parts/m.obj: cannot be opened");
    write_file("parts/a.yaml", "");
    CHECK(!read_scene("s.yaml"));
    CHECK_TEXT(errors.items[1].message, "parts/a.yaml:1:1: the file is empty; expected keys of a scene");
    write_file("s.yaml", "percale: 1\ninclude: {file: 3}\nbodies: [{mesh: {disc: {}}}]\n");
    CHECK(!read_scene("s.yaml"));
    CHECK_TEXT(errors.items[0].message, "include: expected the name of a scene file, or a list of names");
    write_file("s.yaml", "percale: 1\ninclude: [parts/c.yaml]\nbodies: [{mesh: {disc: {}}}]\n");
    CHECK(!read_scene("s.yaml"));
    CHECK_TEXT(errors.items[0].message, "s.yaml:2:11: include: ");
    CHECK_TEXT(errors.items[0].message, "parts/c.yaml: cannot be opened: No such file or directory");
    close_room(files);
}

TEST(a_file_cannot_include_itself)
{
    static const char *const files[] = {"s.yaml", "parts/a.yaml", "parts/b.yaml", NULL};
    CHECK(open_room());
    write_file("s.yaml", "percale: 1\ninclude: parts/a.yaml\nbodies: [{mesh: {disc: {}}}]\n");
    write_file("parts/a.yaml", "include: b.yaml\n");
    write_file("parts/b.yaml", "include: ../parts/a.yaml\n");
    CHECK(!read_scene("s.yaml"));
    CHECK_TEXT(errors.items[0].message, "parts/b.yaml:1:10: include: ");
    CHECK_TEXT(errors.items[0].message, "parts/a.yaml → ");
    CHECK_TEXT(errors.items[0].message, "parts/b.yaml → ");
    CHECK_TEXT(errors.items[0].message, "a.yaml: a file cannot include itself");
    /* Twice the same file in each: stopped before it grows without end. */
    write_file("parts/b.yaml", "time: {step: 1}\n");
    char text[4000] = "include: [b.yaml";
    for (int k = 0; k < 200; k++)
        ADD(text, ", b.yaml");
    ADD(text, "]\n");
    write_file("parts/a.yaml", text);
    CHECK(!read_scene("s.yaml"));
    CHECK_TEXT(errors.items[0].message, "more than 100 files");
    close_room(files);
}

/* ---- instances ---- */

TEST(instances_are_moved_and_turned_each_by_as_much_more)
{
    prc_scene *scene =
        parse("percale: 1\n"
              "variables: {n: 4}\n"
              "bodies:\n"
              "  - {mesh: {disc: {rings: 1}}}\n"
              "  - name: blade\n"
              "    mesh: {grid: {size: [2, 1], cells: [2, 2]}}\n"
              "    place: {translate: [3, 0, 0]}\n"
              "    velocity: [1, 0, 0]\n"
              "    spin: {axis: [0, 0, 1], center: [3, 0, 0], degrees_per_second: 180}\n"
              "    pins: [{select: {box: {min: [3.5, -9, -9]}}, motion: {rotation: {center: [3, 0, 0], axis: [1, 0, 0],"
              " degrees_per_second: 5}, velocity: [0, 0, 1]}}]\n"
              "    forces: [{force: [1, 2, 0]}]\n"
              "    groups: [{select: {nearest: [2, -0.5, 0]}, material: {density: 3}}]\n"
              "    instances: {count: n, offset: [0, 0, 0.5], rotate: {axis: [0, 0, 2], degrees: 90}}\n"
              "  - {name: last, mesh: {disc: {rings: 1}}}\n"
              "contact: {enabled: true, pairs: [{bodies: [blade_3, last], friction: 0.5}, {bodies: [5, blade_0]}]}\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->body_count == 6 && def->pin_count == 4 && def->force_count == 4);
    CHECK(strcmp(def->bodies[1].name, "blade_0") == 0 && strcmp(def->bodies[4].name, "blade_3") == 0);
    CHECK(strcmp(def->bodies[5].name, "last") == 0);
    CHECK(def->contact.pairs[0].bodies[0] == 4 && def->contact.pairs[0].bodies[1] == 5);
    CHECK(def->contact.pairs[1].bodies[0] == 5 && def->contact.pairs[1].bodies[1] == 1);
    /* The third: half a turn, and 1 m up. */
    const prc_body_def *body = &def->bodies[3];
    for (int i = 0; i < 9; i++) {
        const double *first = def->bodies[1].mesh->positions + 3 * i, *x = body->mesh->positions + 3 * i;
        CHECK_NEAR(x[0], -first[0], 1e-14);
        CHECK_NEAR(x[1], -first[1], 1e-14);
        CHECK_NEAR(x[2], 1, 0);
        CHECK(body->rest_mesh->positions[3 * i] == def->bodies[1].rest_mesh->positions[3 * i]);
        CHECK_NEAR(body->vertex_velocity[3 * i], -def->bodies[1].vertex_velocity[3 * i], 1e-13);
        CHECK(body->vertex_material[i] == (i == 0));
    }
    CHECK_NEAR(body->velocity[0], -1, 1e-15);
    const prc_pin_def *pin = &def->pins[2];
    CHECK(pin->body == 3 && pin->vertex_count == 3 && pin->vertices[0] == 2 && pin->vertices[2] == 8);
    CHECK_NEAR(pin->motion.center[0], -3, 1e-14);
    CHECK_NEAR(pin->motion.center[2], 1, 1e-14);
    CHECK_NEAR(pin->motion.axis[0], -1, 1e-14);
    CHECK(pin->motion.velocity[2] == 1 && pin->motion.degrees_per_second == 5);
    CHECK(def->forces[3].body == 4);
    CHECK_NEAR(def->forces[3].force[0], 2, 1e-14);
    CHECK_NEAR(def->forces[3].force[1], -1, 1e-14);
    prc_scene_destroy(scene);
}

TEST(obstacles_and_colliders_have_instances_too)
{
    prc_scene *scene =
        parse(BODY "contact: {enabled: true, pairs: [{bodies: [post_1, 0]}]}\n"
                   "obstacles:\n"
                   "  - {name: post, polylines: [[[1, 0, 0], [1, 1, 0]]], points: [[2, 0, 0]],\n"
                   "     motion: {velocity: [1, 0, 0], keys: [{time: 0}, {time: 1, translate: [2, 0, 0]}]},\n"
                   "     instances: {count: 3, offset: [0, 2, 0], rotate: {axis: [0, 1, 0], degrees: 90}}}\n"
                   "colliders:\n"
                   "  - {shape: capsule, center: [1, 0, 0], axis: [1, 0, 0], rotate: {axis: [0, 0, 1], degrees: "
                   "90},\n"
                   "     motion: {rotation: {center: [1, 0, 0], axis: [1, 0, 0]}},\n"
                   "     instances: {count: 2, rotate: {axis: [1, 0, 0], degrees: 90, center: [0, 1, 0]}}}\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->obstacle_count == 3 && def->collider_count == 2 && def->contact.pairs[0].bodies[0] == 2);
    CHECK(strcmp(def->obstacles[2].name, "post_2") == 0);
    const prc_obstacle_def *post = &def->obstacles[1];
    CHECK(post->segment_count == 1 && post->segments[0] == 1 && post->segments[1] == 2);
    CHECK_NEAR(post->mesh->positions[0], 0, 1e-15);
    CHECK_NEAR(post->mesh->positions[1], 2, 1e-15);
    CHECK_NEAR(post->mesh->positions[2], -2, 1e-15);
    CHECK_NEAR(post->motion.velocity[2], -1, 1e-15);
    CHECK_NEAR(post->motion.keys[1].translate[2], -2, 1e-15);
    CHECK(def->obstacles[0].motion.keys[1].translate[0] == 2);
    /* The capsule stood along y; now along z. Its center (1, 0, 0) has gone to (1, 1, −1). */
    const prc_collider_def *capsule = &def->colliders[1];
    CHECK_NEAR(capsule->center[1], 1, 1e-15);
    CHECK_NEAR(capsule->center[2], -1, 1e-15);
    CHECK_NEAR(capsule->motion.center[2], -1, 1e-15);
    const double angle = capsule->rotate.degrees * acos(-1) / 180, *u = capsule->rotate.axis;
    double along[3]; /* the axis (1, 0, 0) turned */
    for (int c = 0; c < 3; c++)
        along[c] = (c == 0) * cos(angle) + (1 - cos(angle)) * u[0] * u[c] +
                   sin(angle) * (c == 1   ? u[2]
                                 : c == 2 ? -u[1]
                                          : 0);
    CHECK_NEAR(along[2], 1, 1e-14);
    prc_scene_destroy(scene);
}

TEST(wrong_instances_are_told)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"instances: {count: 0}", "bodies[0].instances.count: 0 is not allowed; expected a whole number from 1 to"},
        {"instances: {offset: [0, 1, 0]}", "bodies[0].instances.count: missing; expected a whole number"},
        {"instances: 5", "bodies[0].instances: found '5'; expected a table of instances keys"},
        {"instances: {count: 2, rotate: {axis: [0, 0, 0]}}",
         "bodies[0].instances.rotate: the axis [0, 0, 0] has no direction"},
        {"instances: {count: 100000, offset: [0, 1, 0]}", "the bodies have more than 20 million vertices together"},
        {"pins: [{select: {vertices: [99999]}}], instances: {count: 5}", "there is no vertex 99999"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[400];
        snprintf(text, sizeof text, "percale: 1\nbodies: [{name: a, mesh: {disc: {rings: 9}}, %s}]\n", cases[k].text);
        CHECK(!parse(text));
        CHECK(errors.count == 1);
        CHECK_TEXT(errors.items[0].message, cases[k].message);
    }
    CHECK(!parse("percale: 1\nbodies:\n  - {mesh: {disc: {}}, instances: &i {count: 60000}}\n"
                 "  - {mesh: {disc: {}}, instances: *i}\n"));
    CHECK_TEXT(errors.items[0].message, "bodies[1].instances: more than 100000 bodies, including instances");
    static const char two[] = "percale: 1\nbodies: [{name: a, mesh: {disc: {}}, instances: {count: 2}}]\n";
    char text[200];
    snprintf(text, sizeof text, "%scontact: {pairs: [{bodies: [a_2, 0]}]}\n", two);
    CHECK(!parse(text));
    CHECK_TEXT(errors.items[0].message, "'a_2' is not a body; expected the name of a body, or a number from 0 to 1");
    snprintf(text, sizeof text, "%scontact: {pairs: [{bodies: [a, 0]}]}\n", two);
    CHECK(!parse(text));
    CHECK_TEXT(errors.items[0].message,
               "'a' is not a body; expected the name of a body, or a number from 0 to 1; its instances are a_0 to a_1");
}

/* ---- velocities ---- */

TEST(velocities_of_groups_are_added)
{
    prc_scene *scene = parse("percale: 1\n"
                             "bodies:\n"
                             "  - mesh: {grid: {size: [2, 1], cells: [2, 2]}}\n"
                             "    velocity: [9, 0, 0]\n"
                             "    velocities:\n"
                             "      - {select: {corners: [0, 1]}, velocity: [0, 0, 2]}\n"
                             "      - {select: {corners: [1]}, velocity: [0, 1, 0], spin: {axis: [0, 0, 1], "
                             "degrees_per_second: 180}}\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_body_def *body = prc_scene_sim_def(scene)->bodies;
    const double *v = body->vertex_velocity, pi = acos(-1);
    CHECK(body->velocity[0] == 9 && v[2] == 2 && v[0] == 0 && v[3] == 0 && v[5] == 0);
    CHECK_NEAR(v[6], 0.5 * pi, 1e-14); /* vertex 2 at (1, −0.5): (0.5, 1) rad/s·π */
    CHECK_NEAR(v[7], 1 + pi, 1e-14);
    CHECK(v[8] == 2);
    prc_scene_destroy(scene);
    CHECK(!parse("percale: 1\nbodies: [{mesh: {disc: {}}, velocities: [{velocity: [0, 0, 1]}]}]\n"));
    CHECK_TEXT(errors.items[0].message, "bodies[0].velocities[0].select: missing");
    CHECK(!parse("percale: 1\nbodies: [{mesh: {disc: {}}, velocities: [{select: {vertices: [9999]}}]}]\n"));
    CHECK_TEXT(errors.items[0].message, "bodies[0].velocities[0].select: there is no vertex 9999");
}

/* ---- damage ---- */

#define ALL_OF_IT                                                                                                      \
    "percale: 1\nvariables: {n: 2, h: n / 4}\ncontact: {enabled: true, pairs: [{bodies: [a_1, 0]}]}\n"                 \
    "bodies: [{name: a, mesh: {grid: {cells: [n, \"max(n, 3)\"]}}, instances: {count: n, offset: [0, 0, h]},\n"        \
    "  pins: [{select: {corners: [0]}, motion: {velocity: [0, h, 0]}}], groups: [{select: all, material: {}}],\n"      \
    "  velocities: [{select: all, velocity: [1, 0, 0]}]}]\n"                                                           \
    "obstacles: [{points: [[0, 9, 0]], name: p, motion: {keys: [{time: 1}]}, instances: {count: 2}}]\n"                \
    "colliders: [{center: [0, 99, 0], motion: {keys: [{time: 1}]}, instances: {count: 2, offset: [0, 9, 0]}}]\n"

TEST(damaged_scenes_never_crash)
{
    static const char text[] = ALL_OF_IT;
    char copy[sizeof text];
    for (size_t k = 0; k <= sizeof text; k += 1 + (k == sizeof text - 1)) {
        prc_scene *scene = prc_scene_parse(text, k < sizeof text ? k : sizeof text - 1, "s.yaml", NULL, 0, &errors);
        CHECK(scene || errors.count > 0);
        prc_scene_destroy(scene);
    }
    for (size_t k = 0; k < sizeof text - 1; k++)
        for (const char *byte = k % 2 ? "(9{*" : "^-n'\n"; *byte; byte++) {
            memcpy(copy, text, sizeof text);
            copy[k] = *byte;
            prc_scene *scene = prc_scene_parse(copy, sizeof text - 1, "s.yaml", NULL, 0, &errors);
            CHECK(scene || errors.count > 0);
            prc_scene_destroy(scene);
        }
}

static int allocations_left;

static void *scarce(size_t size, void *context)
{
    (void)context;
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

TEST(running_out_of_memory_is_reported)
{
    static const char *const files[] = {"s.yaml", "parts/a.yaml", NULL};
    CHECK(open_room());
    write_file("s.yaml", ALL_OF_IT "include: parts/a.yaml\n");
    write_file("parts/a.yaml", "time: {step: n / 100}\nvariables: {m: 3}\n");
    prc_set_allocator((prc_allocator){scarce, release, NULL});
    int failed = 0;
    bool reported = true;
    for (bool done = false; !done && failed < 1000; failed++) {
        allocations_left = failed;
        prc_scene *scene = read_scene("s.yaml");
        done = scene != NULL;
        reported &= done || (errors.count > 0 && errors.code == PRC_ERROR_MEMORY);
        prc_scene_destroy(scene);
    }
    prc_set_allocator((prc_allocator){0});
    CHECK(reported);
    CHECK(failed > 20 && failed < 1000);
    close_room(files);
}

TEST_MAIN()
