#include <string.h>

#include "check/check.h"
#include "unit.h"

static struct arena *arena;

static void passes(const struct check_input *input, struct result *result)
{
    check_pass(input, result, "well");
}

static void fails(const struct check_input *input, struct result *result)
{
    check_fail(input, result, "first");
    check_warn(input, result, "a warning does not lower a failure");
    check_pass(input, result, "nor does a pass");
    check_fail(input, result, "the last failure counts");
    check_evidence(input, result, "file\n", 3, 0, "escape \033[1m");
}

static void warns(const struct check_input *input, struct result *result)
{
    check_pass(input, result, "well");
    check_warn(input, result, "look");
    check_skip(input, result, "no reason to forget it");
}

static void is_silent(const struct check_input *input, struct result *result)
{
    (void)input;
    (void)result;
}

static const struct check rows[] = {
    {"good", "", "", {NULL}, passes},
    {"bad", "", "", {NULL}, fails},
    {"unsure", "", "", {NULL}, warns},
    {"rests-on-bad", "", "", {"good", "bad"}, passes},
    {"rests-on-skip", "", "", {"rests-on-bad"}, passes},
    {"rests-on-unsure", "", "", {"unsure"}, passes},
    {"silent", "", "", {NULL}, is_silent},
    {0},
};

static struct results run(const char *only, const char *skip)
{
    struct check_input input = {.arena = arena};
    struct check_selection selection = {0};
    struct results results = {0};
    struct err err;
    ck_assert(checks_select(arena, rows, only, skip, &selection, &err));
    checks_run(&input, rows, &selection, &results);
    return results;
}

START_TEST(a_check_without_its_ground_is_skipped_and_says_why)
{
    struct results results = run(NULL, NULL);
    ck_assert_uint_eq(results.n, 7);
    ck_assert_int_eq(results.v[3].status, STATUS_SKIP);
    ck_assert_str_eq(results.v[3].message, "rests on bad, which failed");
    ck_assert_str_eq(results.v[4].message, "rests on rests-on-bad, which was skipped");
    ck_assert_int_eq(results.v[5].status, STATUS_PASS);
}
END_TEST

START_TEST(the_worst_finding_counts)
{
    struct results results = run(NULL, NULL);
    ck_assert_int_eq(results.v[1].status, STATUS_FAIL);
    ck_assert_str_eq(results.v[1].message, "the last failure counts");
    ck_assert_str_eq(results.v[1].evidence.v[0].text, "escape \\x1b[1m");
    ck_assert_int_eq(results.v[2].status, STATUS_WARN);
}
END_TEST

START_TEST(a_check_that_does_not_decide_is_no_pass)
{
    struct results results = run("silent", NULL);
    ck_assert_uint_eq(results.n, 1);
    ck_assert_int_eq(results.v[0].status, STATUS_SKIP);
}
END_TEST

START_TEST(selection_by_id)
{
    struct check_selection selection = {0};
    struct err err;
    ck_assert_uint_eq(run("good, bad", NULL).n, 2);
    ck_assert_uint_eq(run(NULL, "good,bad").n, 5);
    ck_assert_uint_eq(run("rests-on-bad", NULL).v[0].status, STATUS_PASS);
    ck_assert(!checks_select(arena, rows, "god", NULL, &selection, &err));
    ck_assert_int_eq(err.kind, ERR_USAGE);
    ck_assert_str_eq(err.mend, "did you mean good?");
}
END_TEST

START_TEST(every_check_is_whole)
{
    size_t count = 0;
    for (const struct check *check = checks; check->id; check++, count++) {
        ck_assert_msg(check->title[0] && check->function, "%s", check->id);
        ck_assert_msg(strlen(check->explain) > 100, "%s explains nothing", check->id);
        for (size_t i = 0; i < 4 && check->needs[i]; i++) {
            size_t before = 0;
            while (before < count && strcmp(checks[before].id, check->needs[i]) != 0)
                before++;
            ck_assert_msg(before < count, "%s needs %s, which does not come before it", check->id, check->needs[i]);
        }
    }
    ck_assert_uint_gt(count, 20);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_check_without_its_ground_is_skipped_and_says_why,
        the_worst_finding_counts,
        a_check_that_does_not_decide_is_no_pass,
        selection_by_id,
        every_check_is_whole,
        NULL,
    };
    arena = arena_new();
    int status = unit_run(unit_suite("check", tests));
    arena_free(arena);
    return status;
}
