/* The readers of environment files: versions, pip's lines, encodings, formats. */
#include "spec/spec.h"

#include <stdio.h>
#include <string.h>

#include "spec/pep440.h"
#include "unit.h"

START_TEST(orders_python_versions)
{
    /* Each is older than the next. */
    static const char *const ascending[] = {
        "1.dev0", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2",
        "1.0b2.post345.dev456", "1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5",
        "1.0.post456.dev34", "1.0.post456", "1.0.15", "1.1.dev1", "2.4.0", "2.4.0+cpu", "2.4.0+cu118", "2.4.0+cu124",
        "10.0", "99999999999999999999999.4", "1!0.1",
    };
    for (size_t i = 0; i < sizeof ascending / sizeof *ascending; i++)
        for (size_t j = 0; j < sizeof ascending / sizeof *ascending; j++) {
            int order = pep440_cmp(ascending[i], ascending[j]);
            ck_assert_msg((i < j) == (order < 0) && (i == j) == (order == 0), "%s and %s: %d", ascending[i],
                          ascending[j], order);
        }
    static const char *const equal[][2] = {
        {"1.0", "1"}, {"1.0.0", "1"}, {"1.0alpha1", "1.0a1"}, {"1.0-preview_2", "1.0rc2"}, {"1.0c2", "1.0RC2"},
        {"1.0-1", "1.0.post1"}, {"1.0.rev", "1.0.post0"}, {"v1.01", "1.1"}, {"0!2", "2"}, {"1+ABC-1", "1+abc.1"},
    };
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
        ck_assert_msg(pep440_cmp(equal[i][0], equal[i][1]) == 0, "%s and %s", equal[i][0], equal[i][1]);
}
END_TEST

START_TEST(matches_python_versions)
{
    static const struct {
        const char *constraint, *version;
        bool wanted;
    } rows[] = {
        {"", "1.0", true}, {"==2.4.0", "2.4.0+cu124", true}, {"==2.4.0+cu124", "2.4.0+cu124", true},
        {"==2.4.0+cu124", "2.4.0", false}, {"==2.4.0+cu124", "2.4.0+cu121", false}, {"==2.4", "2.4.0", true},
        {"==2.4.*", "2.4.1", true}, {"==2.4.*", "2.40", false}, {"==2.4.*", "2.4a1", true}, {"==1.0.*", "1", true},
        {"!=2.4.*", "2.4.1", false}, {"!=2.4.0", "2.4.1", true}, {">=2,<3", "2.7", true}, {">=2,<3", "3.0", false},
        {">=2,<3,", "2.7", true}, {"<3", "3.0rc1", false}, {"<3rc2", "3.0rc1", true}, {"<=3", "3.0+cu124", true},
        {">1.7", "1.7.1", true}, {">1.7", "1.7.0.post1", false}, {">1.7", "1.7+local", false},
        {">1.7.post1", "1.7.post2", true}, {"~=2.2", "2.9", true}, {"~=2.2", "3.0", false}, {"~=2.2", "2.1", false},
        {"~=1.4.5", "1.4.9", true}, {"~=1.4.5", "1.5", false}, {"~=2.2.post3", "2.3", true}, {"~=2", "2.1", false},
        {"===2.0-Custom", "2.0-custom", true}, {"===1.0", "1.0.0", false}, {"==1!1.0", "1.0", false},
        {">=12.1.105", "12.4.127", true}, {"==13.*", "13.0.48", true}, {"=2.0", "2.0", false}, {"==", "1", false},
        {">=1+local", "2", false}, {"==1.0a1.*", "1.0a1", false}, {",>=1", "2", false}, {">=x", "2", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(pep440_matches(rows[i].constraint, rows[i].version) == rows[i].wanted, "%s with %s",
                      rows[i].constraint, rows[i].version);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        orders_python_versions,
        matches_python_versions,
        NULL,
    };
    return unit_run(unit_suite("spec", tests));
}
