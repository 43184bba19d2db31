/* The plan as text for people. */
#ifndef CONDAGPU_REPORT_PLAN_TEXT_H
#define CONDAGPU_REPORT_PLAN_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "plan/plan.h"

/* Each variable with its value in one column and its why wrapped below it, then the links, then what was left alone. */
void plan_print(const struct plan *plan, bool color, FILE *stream);

#endif
