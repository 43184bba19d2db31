libcondagpu_la_SOURCES += src/report/plan_text.c src/report/plan_text.h
dist_schemas_DATA += src/report/schemas/plan.json
