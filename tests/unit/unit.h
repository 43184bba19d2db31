/* What every unit test program shares: it reports to make check in TAP. */
#ifndef CONDAGPU_TESTS_UNIT_H
#define CONDAGPU_TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

/* Runs the suite; the exit status for main(). */
static inline int unit_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A suite with one case that holds the tests of a NULL-terminated list. */
static inline Suite *unit_suite(const char *name, const TTest *const *tests)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 120);
    for (; *tests; tests++)
        tcase_add_test(tcase, *tests);
    suite_add_tcase(suite, tcase);
    return suite;
}

#endif
