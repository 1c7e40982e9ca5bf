/* scene/expression.c — see expression.h. A recursive-descent parser that evaluates as it reads; its depth is limited,
 * so that no text can exhaust the stack. SPDX-License-Identifier: Apache-2.0 */
#include "scene/expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS 16

typedef struct parser {
    const char *text, *at;
    const prc_names *names;
    int depth;
    prc_expression_error *error;
} parser;

static bool read_sum(parser *p, double *value);

__attribute__((format(printf, 3, 4))) static bool fail(const parser *p, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
    va_end(arguments);
    p->error->at = (int)(at - p->text);
    return false;
}

/* ---- functions ---- */

/* Whole quarter turns are exact. */
static double sine(double degrees)
{
    double turn = fmod(degrees, 360);
    if (fmod(turn, 90) == 0) {
        int quarter = ((int)(turn / 90) + 4) % 4;
        return quarter == 1 ? 1 : quarter == 3 ? -1 : 0;
    }
    return sin(turn * acos(-1.0) / 180);
}

static double cosine(double degrees)
{
    return sine(fmod(degrees, 360) + 90);
}

static double in_degrees(double radians)
{
    return radians * 180 / acos(-1.0);
}

static double do_sqrt(const double *a)
{
    return sqrt(a[0]);
}
static double do_sin(const double *a)
{
    return sine(a[0]);
}
static double do_cos(const double *a)
{
    return cosine(a[0]);
}
static double do_tan(const double *a)
{
    return cosine(a[0]) == 0 ? NAN : sine(a[0]) / cosine(a[0]);
}
static double do_asin(const double *a)
{
    return in_degrees(asin(a[0]));
}
static double do_acos(const double *a)
{
    return in_degrees(acos(a[0]));
}
static double do_atan(const double *a)
{
    return in_degrees(atan(a[0]));
}
static double do_atan2(const double *a)
{
    return in_degrees(atan2(a[0], a[1]));
}
static double do_abs(const double *a)
{
    return fabs(a[0]);
}
static double do_floor(const double *a)
{
    return floor(a[0]);
}
static double do_ceil(const double *a)
{
    return ceil(a[0]);
}
static double do_round(const double *a)
{
    return round(a[0]);
}
static double do_exp(const double *a)
{
    return exp(a[0]);
}
static double do_log(const double *a)
{
    return log(a[0]);
}
static double do_min(const double *a)
{
    return fmin(a[0], a[1]);
}
static double do_max(const double *a)
{
    return fmax(a[0], a[1]);
}

static const struct {
    const char *name;
    double (*apply)(const double *arguments);
    int arguments; /* −2: two or more, from the left */
} functions[] = {
    {"sqrt", do_sqrt, 1}, {"sin", do_sin, 1},     {"cos", do_cos, 1},   {"tan", do_tan, 1},
    {"asin", do_asin, 1}, {"acos", do_acos, 1},   {"atan", do_atan, 1}, {"atan2", do_atan2, 2},
    {"abs", do_abs, 1},   {"min", do_min, -2},    {"max", do_max, -2},  {"floor", do_floor, 1},
    {"ceil", do_ceil, 1}, {"round", do_round, 1}, {"exp", do_exp, 1},   {"log", do_log, 1},
};

#define FUNCTIONS ((int)(sizeof functions / sizeof *functions))

const char *const prc_expression_words[] = {"sqrt", "sin", "cos",   "tan",  "asin",  "acos", "atan", "atan2", "abs",
                                            "min",  "max", "floor", "ceil", "round", "exp",  "log",  "pi",    NULL};

static int find_function(const char *name)
{
    for (int f = 0; f < FUNCTIONS; f++)
        if (!strcmp(functions[f].name, name))
            return f;
    return -1;
}

/* ---- words ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool prc_expression_is_name(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]) || (length && is_digit(text[length])))
        length++;
    return length > 0 && !text[length] && length < PRC_EXPRESSION_NAME;
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
}

/* Takes the character, with blanks before it. */
static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

/* "'ms'", or "the end": what stands where something else should. */
static const char *found(const char *at, char text[40])
{
    int length = 0;
    if (!*at)
        return "the end";
    if (is_letter(*at) || is_digit(*at))
        while (length < 30 && (is_letter(at[length]) || is_digit(at[length])))
            length++;
    else
        do
            length++;
        while (length < 4 && ((unsigned char)at[length] & 0xC0) == 0x80);
    snprintf(text, 40, "'%.*s'", length, at);
    return text;
}

static bool check(const parser *p, const char *at, double value, const char *what)
{
    return isfinite(value) || fail(p, at, "%s has no finite value here", what);
}

/* ---- the grammar ---- */

static bool read_number(parser *p, double *value)
{
    const char *start = p->at;
    char digits[64];
    while (is_digit(*p->at))
        p->at++;
    if (*p->at == '.')
        p->at++;
    while (is_digit(*p->at))
        p->at++;
    const char *mark = p->at + 1 + (p->at[0] && (p->at[1] == '-' || p->at[1] == '+'));
    if ((*p->at == 'e' || *p->at == 'E') && is_digit(*mark)) {
        p->at = mark;
        while (is_digit(*p->at))
            p->at++;
    }
    size_t length = (size_t)(p->at - start);
    if (length >= sizeof digits)
        return fail(p, start, "a number of %zu characters; at most %zu are allowed", length, sizeof digits - 1);
    memcpy(digits, start, length);
    digits[length] = '\0';
    *value = strtod(digits, NULL);
    return check(p, start, *value, "the number");
}

static bool apply(const parser *p, int f, const double *arguments, int count, const char *at, double *value)
{
    const int wanted = functions[f].arguments;
    if (wanted >= 0 ? count != wanted : count < -wanted)
        return fail(p, at, "%s takes %s%d value%s; found %d", functions[f].name, wanted < 0 ? "at least " : "",
                    abs(wanted), abs(wanted) == 1 ? "" : "s", count);
    *value = functions[f].apply(arguments);
    for (int k = 2; wanted < 0 && k < count; k++) {
        double two[2] = {*value, arguments[k]};
        *value = functions[f].apply(two);
    }
    return check(p, at, *value, functions[f].name);
}

static bool read_call(parser *p, int f, const char *start, double *value)
{
    double arguments[ARGUMENTS] = {0};
    char text[40];
    int count = 0;
    if (!take(p, '('))
        return fail(p, p->at, "%s is a function; expected '(' after it, found %s", functions[f].name,
                    found(p->at, text));
    if (!take(p, ')')) {
        do {
            if (count == ARGUMENTS)
                return fail(p, p->at, "more than %d values for %s", ARGUMENTS, functions[f].name);
            if (!read_sum(p, &arguments[count++]))
                return false;
        } while (take(p, ','));
        if (!take(p, ')'))
            return fail(p, p->at, "expected ',' or ')', found %s", found(p->at, text));
    }
    return apply(p, f, arguments, count, start, value);
}

static bool read_name(parser *p, double *value)
{
    const char *start = p->at;
    char name[PRC_EXPRESSION_NAME];
    while (is_letter(*p->at) || is_digit(*p->at))
        p->at++;
    size_t length = (size_t)(p->at - start);
    if (length >= sizeof name)
        return fail(p, start, "a name of %zu letters; at most %zu are allowed", length, sizeof name - 1);
    memcpy(name, start, length);
    name[length] = '\0';
    int f = find_function(name);
    if (f >= 0)
        return read_call(p, f, start, value);
    if (!strcmp(name, "pi")) {
        *value = acos(-1.0);
        return true;
    }
    prc_name_state state = p->names->find(p->names->context, name, value);
    if (state == PRC_NAME_KNOWN)
        return true;
    if (state == PRC_NAME_UNKNOWN)
        snprintf(p->error->unknown, sizeof p->error->unknown, "%s", name);
    p->error->said = state == PRC_NAME_BROKEN;
    return fail(p, start, "there is no variable '%s'", name);
}

static bool read_value(parser *p, double *value)
{
    char text[40];
    skip_blanks(p);
    const char *start = p->at;
    if (is_digit(*start) || (*start == '.' && is_digit(start[1])))
        return read_number(p, value);
    if (is_letter(*start))
        return read_name(p, value);
    if (!take(p, '('))
        return fail(p, start, "expected a number, a variable or '(', found %s", found(start, text));
    if (!read_sum(p, value))
        return false;
    return take(p, ')') || fail(p, p->at, "expected ')', found %s", found(p->at, text));
}

/* A sign, or a value with its power. */
static bool read_signed(parser *p, double *value)
{
    *value = 0;
    double exponent = 0;
    if (++p->depth > PRC_EXPRESSION_DEPTH)
        return fail(p, p->at, "nested more than %d levels deep", PRC_EXPRESSION_DEPTH);
    bool good, minus = take(p, '-');
    if (minus || take(p, '+')) {
        good = read_signed(p, value);
        if (good && minus)
            *value = -*value;
    } else {
        good = read_value(p, value);
        const char *at = (skip_blanks(p), p->at);
        if (good && take(p, '^')) {
            good = read_signed(p, &exponent);
            *value = good ? pow(*value, exponent) : 0;
            good = good && check(p, at, *value, "'^'");
        }
    }
    p->depth--;
    return good;
}

static bool read_product(parser *p, double *value)
{
    if (!read_signed(p, value))
        return false;
    for (;;) {
        double other = 0;
        char text[4] = "'x'";
        skip_blanks(p);
        const char *at = p->at;
        if (*at != '*' && *at != '/' && *at != '%')
            return true;
        p->at++;
        if (!read_signed(p, &other))
            return false;
        if (*at != '*' && other == 0)
            return fail(p, at, "division by zero");
        if (*at == '*')
            *value *= other;
        else if (*at == '/')
            *value /= other;
        else
            *value -= other * floor(*value / other);
        text[1] = *at;
        if (!check(p, at, *value, text))
            return false;
    }
}

static bool read_sum(parser *p, double *value)
{
    if (!read_product(p, value))
        return false;
    for (;;) {
        double other = 0;
        skip_blanks(p);
        const char *at = p->at;
        if (*at != '+' && *at != '-')
            return true;
        p->at++;
        if (!read_product(p, &other))
            return false;
        *value += *at == '+' ? other : -other;
        if (!check(p, at, *value, *at == '+' ? "'+'" : "'-'"))
            return false;
    }
}

bool prc_expression_evaluate(const char *text, const prc_names *names, double *value, prc_expression_error *error)
{
    parser p = {.text = text, .at = text, .names = names, .error = error};
    char word[40];
    *error = (prc_expression_error){0};
    *value = 0;
    if (strlen(text) > PRC_EXPRESSION_LENGTH)
        return fail(&p, text, "an expression of %zu characters; at most %d are allowed", strlen(text),
                    PRC_EXPRESSION_LENGTH);
    if (!read_sum(&p, value))
        return false;
    skip_blanks(&p);
    return !*p.at || fail(&p, p.at, "expected an operator or the end, found %s", found(p.at, word));
}
