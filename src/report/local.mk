libcondagpu_la_SOURCES += \
	src/report/report.c src/report/report.h \
	src/report/format.h \
	src/report/escape.c \
	src/report/place.c \
	src/report/json_text.c \
	src/report/as_text.c \
	src/report/as_json.c \
	src/report/as_junit.c \
	src/report/as_sarif.c \
	src/report/as_github.c \
	src/report/baseline.c src/report/baseline.h \
	src/report/explanation.c
dist_schemas_DATA += src/report/schemas/verify.json
libcondagpu_la_SOURCES += src/report/plan_text.c src/report/plan_text.h
dist_schemas_DATA += src/report/schemas/plan.json
libcondagpu_la_SOURCES += src/report/lint.h src/report/lint_json.c src/report/lint_text.c
dist_schemas_DATA += src/report/schemas/lint.json
