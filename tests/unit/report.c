/* The formats, baselines and explanations, on one report full of hostile text. `report FORMAT [strict|quiet|verbose|
 * color|random]...` prints it, for the shell tests that hold it against real readers. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/format.h"
#include "report/report.h"
#include "unit.h"
#include "util/file.h"
#include "util/path.h"

static struct arena *arena;

static const struct check rows[] = {
    {"pin-present",
     "the environment file pins CUDA",
     "Nothing to compare.\nA second line.\n\n  example: {x}\n\nMend it.",
     {NULL},
     NULL},
    {"cudart-live", "python loads the pinned libcudart", "What is loaded counts.", {"pin-present", NULL}, NULL},
    {"threads", "thread counts are valid", "One positive integer.", {NULL}, NULL},
    {"driver-visible", "a driver is there", "A GPU needs one.", {NULL}, NULL},
    {"driver-min", "the driver is new enough", "Old drivers refuse.", {"driver-visible", NULL}, NULL},
    {"arch", "architectures are valid", "See the table.", {NULL}, NULL},
    {NULL, NULL, NULL, {NULL}, NULL},
};

static struct evidence live_evidence[] = {
    {"LD_LIBRARY_PATH wins over \033[31mRUNPATH", "/opt/a b:c,d%/lib\xff/libcudart.so.12", 0, 0},
    {"cuda-version=12.4 \xe2\x80\xae", "/w/conf/environment.yml", 7, 5},
    {"read ]]> <b>&amp; \x01 \"quoted\" {0} [a](b)", NULL, 0, 0},
};

static struct result found[] = {
    {"pin-present", STATUS_PASS, "environment.yml pins CUDA 12.4", NULL, {NULL, 0, 0}},
    {"cudart-live",
     STATUS_FAIL,
     "loads 12.1, not 12.4\n::error::injected, 100%",
     "unset LD_LIBRARY_PATH",
     {live_evidence, 3, 3}},
    {"threads", STATUS_WARN, "OMP_NUM_THREADS=\"\" is empty", NULL, {NULL, 0, 0}},
    {"driver-visible", STATUS_SKIP, "no GPU on this <machine>", NULL, {NULL, 0, 0}},
    {"driver-min", STATUS_SKIP, "no GPU on this <machine>", NULL, {NULL, 0, 0}},
    {"arch", STATUS_PASS, "not set", NULL, {NULL, 0, 0}},
};

static const struct pin pin = {
    .manager = MANAGER_CONDA,
    .kind = PIN_MINOR,
    .package = "cuda-version",
    .text = "cuda-version=12.4",
    .file = "/w/conf/environment.yml",
    .line = 7,
    .column = 5,
    .release = "12.4",
};

/* The findings of the last sample(), for a test to change. */
static struct results *copied;

static struct report sample(void)
{
    struct results *results = copied = arena_alloc(arena, sizeof *results);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        *vec_add(arena, results) = found[i];
    return (struct report){
        .command = "verify",
        .prefix = "/envs/train \xff\x7f",
        .root = "/w",
        .pin = &pin,
        .cudart = {"/usr/local/cuda/lib64/libcudart.so.12", "12.1", "12.1.105", "live"},
        .checks = rows,
        .results = results,
    };
}

static const char *written(const struct report *report, const char *format)
{
    struct text out = {.arena = arena};
    struct err err;
    ck_assert(report_write(arena, report, format, &out, &err));
    return text_str(&out).s;
}

static json_t *parsed(const char *document)
{
    json_error_t error;
    json_t *root = json_loads(document, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "line %d: %s", error.line, error.text);
    return root;
}

static const char *string_at(const json_t *root, const char *path)
{
    struct str rest = str_of(path), part;
    while (str_cut(&rest, '/', &part)) {
        const char *key = str_dup(arena, part);
        root = json_is_array(root) ? json_array_get(root, strtoul(key, NULL, 10)) : json_object_get(root, key);
    }
    return json_string_value(root);
}

/* A live document holds nothing that moves a cursor, changes a colour or hides text. */
static void assert_plain(const char *document)
{
    for (const char *c = document; *c; c++)
        ck_assert_msg((*c >= ' ' && *c <= '~') || *c == '\n', "byte %02x in: %s", (unsigned char)*c, document);
}

/* Bytes that formats trip over, in random order; the seed is fixed, so that a failure comes again. */
static const char *random_string(unsigned *state)
{
    static const char *const pieces[] = {
        "\xe2\x80\xae", "\xc3\xa9", "\xf0\x9f\x98\x80",
        "\xef\xbf\xbe", "\xc2\x9b", "\xed\xa0\x80",
        "]]>",          "<!--",     "\r\n::",
        "&amp;",        "&#0;",     "%0A",
        "\"",           "'",        "\\",
        "\x1b[2J",      "{0}",      "](x)",
        "\x7f",         "a",
    };
    struct text text = {.arena = arena};
    text_bytes(&text, "", 0);
    for (int i = 0; i < 12; i++) {
        *state = *state * 1664525u + 1013904223u;
        unsigned value = *state >> 16;
        if (value & 1)
            text_add(&text, "%s", pieces[(value >> 1) % (sizeof pieces / sizeof *pieces)]);
        else
            text_add(&text, "%c", (int)(1 + (value >> 1) % 255));
    }
    return text.s;
}

/* Every string of the report that comes from outside is random. */
static struct report random_sample(unsigned seed)
{
    struct report report = sample();
    unsigned state = seed;
    report.prefix = random_string(&state);
    report.cudart.path = random_string(&state);
    for (size_t i = 0; i < 200; i++) {
        struct result *result = vec_add(arena, copied);
        *result = (struct result){rows[i % 6].id, (enum status)(i % 4), random_string(&state), NULL, {NULL, 0, 0}};
        result->fix = i % 3 ? random_string(&state) : NULL;
        for (size_t j = 0; j < i % 5; j++)
            *vec_add(arena, &result->evidence) = (struct evidence){
                random_string(&state), j % 2 ? random_string(&state) : NULL, (unsigned)j, (unsigned)i};
    }
    return report;
}

START_TEST(random_bytes_stay_inside_their_strings)
{
    for (unsigned seed = 0; seed < 10; seed++) {
        struct report report = random_sample(seed);
        json_decref(parsed(written(&report, "json")));
        json_decref(parsed(written(&report, "sarif")));
        for (size_t i = 0; report_formats[i]; i++) {
            const char *document = written(&report, report_formats[i]);
            for (const char *c = document; *c; c++)
                ck_assert((*c >= ' ' && *c != 0x7f) || *c == '\n' || *c < 0);
            ck_assert_ptr_null(strstr(document, "\xc2\x9b"));
            ck_assert_ptr_null(strstr(document, "\xe2\x80\xae"));
        }
    }
}
END_TEST

static const char *xml(const char *string)
{
    struct text out = {.arena = arena};
    escape_xml(&out, string);
    return text_str(&out).s;
}

START_TEST(escapes_keep_what_their_format_can_hold)
{
    ck_assert_str_eq(xml("\xc3\xa9 \xf0\x9f\x98\x80"), "\xc3\xa9 \xf0\x9f\x98\x80");
    ck_assert_str_eq(xml("\xef\xbf\xbe \x1b \xed\xa0\x80"), "\\xef\\xbf\\xbe \\x1b \\xed\\xa0\\x80");
    ck_assert_str_eq(xml("a\tb\r\n \xc2\x9b"), "a&#9;b&#13;&#10; &#155;");
    ck_assert_str_eq(escape_utf8(arena, "\xc3\xa9\x1b\xc3"), "\xc3\xa9\x1b\\xc3");
}
END_TEST

START_TEST(no_format_lets_a_control_byte_through)
{
    struct report report = sample();
    for (size_t i = 0; report_formats[i]; i++)
        assert_plain(written(&report, report_formats[i]));
}
END_TEST

START_TEST(text_says_what_is_wrong_and_what_to_do_first)
{
    struct report report = sample();
    ck_assert_str_eq(written(&report, "text"),
                     "FAIL  cudart-live  loads 12.1, not 12.4\\n::error::injected, 100%\n"
                     "      fix: unset LD_LIBRARY_PATH\n"
                     "      - /opt/a b:c,d%/lib\\xff/libcudart.so.12: LD_LIBRARY_PATH wins over \\x1b[31mRUNPATH\n"
                     "      - /w/conf/environment.yml:7:5: cuda-version=12.4 \\xe2\\x80\\xae\n"
                     "      - read ]]> <b>&amp; \\x01 \"quoted\" {0} [a](b)\n"
                     "WARN  threads      OMP_NUM_THREADS=\"\" is empty\n"
                     "SKIP  driver-visible, driver-min: no GPU on this <machine>\n"
                     "PASS  2 checks passed: pin-present, arch\n"
                     "\n"
                     "pinned  12.4  (/w/conf/environment.yml:7: cuda-version=12.4)\n"
                     "loaded  12.1.105  (/usr/local/cuda/lib64/libcudart.so.12, live)\n"
                     "1 failed, 1 warning, 2 passed, 2 skipped\n");
}
END_TEST

START_TEST(quiet_text_leaves_out_what_is_well)
{
    struct report report = sample();
    report.quiet = true;
    copied->v[1].evidence.n = 0;
    ck_assert_str_eq(written(&report, "text"), "FAIL  cudart-live  loads 12.1, not 12.4\\n::error::injected, 100%\n"
                                               "      fix: unset LD_LIBRARY_PATH\n"
                                               "WARN  threads      OMP_NUM_THREADS=\"\" is empty\n"
                                               "1 failed, 1 warning, 2 passed, 2 skipped\n");
    copied->v[1].status = copied->v[2].status = STATUS_PASS;
    ck_assert_str_eq(written(&report, "text"), "");
}
END_TEST

START_TEST(verbose_text_gives_each_pass_a_line)
{
    struct report report = sample();
    report.verbose = true;
    ck_assert_ptr_nonnull(strstr(written(&report, "text"), "PASS  pin-present  environment.yml pins CUDA 12.4\n"));
}
END_TEST

START_TEST(people_see_ten_pieces_of_evidence_programs_all)
{
    struct report report = sample();
    struct result *result = &copied->v[1];
    result->evidence.n = result->evidence.cap = 0;
    for (int i = 1; i <= 12; i++)
        *vec_add(arena, &result->evidence) = (struct evidence){arena_printf(arena, "file %d", i), NULL, 0, 0};
    ck_assert_ptr_nonnull(strstr(written(&report, "text"), "- file 10\n      - and 2 more (-v lists them)\nWARN"));
    ck_assert_ptr_nonnull(strstr(written(&report, "github"), "- file 10%0A- and 2 more\n"));
    ck_assert_ptr_nonnull(strstr(written(&report, "json"), "\"file 12\""));
    ck_assert_ptr_nonnull(strstr(written(&report, "junit"), "- file 12<"));
    ck_assert_ptr_nonnull(strstr(written(&report, "sarif"), "file 12\\nfix: "));
    report.verbose = true;
    ck_assert_ptr_nonnull(strstr(written(&report, "text"), "- file 12\nWARN"));
}
END_TEST

START_TEST(color_only_when_asked)
{
    struct report report = sample();
    report.color = true;
    const char *text = written(&report, "text");
    ck_assert_ptr_nonnull(strstr(text, "\033[31;1mFAIL\033[0m  cudart-live"));
    ck_assert_ptr_null(strstr(text, "\033[31mRUNPATH"));
}
END_TEST

START_TEST(an_empty_report_says_so)
{
    struct report report = sample();
    copied->n = 0;
    report.pin = NULL;
    report.cudart = (struct cudart_answer){0};
    ck_assert_str_eq(written(&report, "text"), "\nno check was run\n");
}
END_TEST

START_TEST(json_has_the_promised_fields)
{
    struct report report = sample();
    json_t *root = parsed(written(&report, "json"));
    ck_assert_str_eq(string_at(root, "schema"), "condagpu.verify/1");
    ck_assert_str_eq(string_at(root, "prefix"), "/envs/train \\xff\x7f");
    ck_assert_str_eq(string_at(root, "pin/release"), "12.4");
    ck_assert_str_eq(string_at(root, "pin/spec"), "cuda-version=12.4");
    ck_assert_str_eq(string_at(root, "pin/manager"), "conda");
    ck_assert_str_eq(string_at(root, "cudart/version"), "12.1.105");
    ck_assert_str_eq(string_at(root, "cudart/how"), "live");
    ck_assert_str_eq(string_at(root, "checks/1/status"), "fail");
    ck_assert_str_eq(string_at(root, "checks/1/message"), found[1].message);
    ck_assert_str_eq(string_at(root, "checks/1/evidence/2/text"), live_evidence[2].text);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(root, "pin"), "line")), 7);
    json_t *summary = json_object_get(root, "summary");
    ck_assert_int_eq(json_integer_value(json_object_get(summary, "skip")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(summary, "fail")), 1);
    json_decref(root);
}
END_TEST

START_TEST(json_says_null_for_what_is_not_known)
{
    struct report report = sample();
    report.prefix = NULL;
    report.pin = NULL;
    report.cudart = (struct cudart_answer){0};
    json_t *root = parsed(written(&report, "json"));
    ck_assert(json_is_null(json_object_get(root, "prefix")));
    ck_assert(json_is_null(json_object_get(root, "pin")));
    ck_assert(json_is_null(json_object_get(root, "cudart")));
    json_decref(root);
}
END_TEST

START_TEST(strict_turns_warnings_into_failures)
{
    struct report report = sample();
    copied->v[1].status = STATUS_PASS;
    ck_assert(report_passed(&report));
    ck_assert_ptr_nonnull(strstr(written(&report, "junit"), "failures=\"0\""));
    ck_assert_ptr_nonnull(strstr(written(&report, "github"), "::warning "));
    report.strict = true;
    ck_assert(!report_passed(&report));
    ck_assert_ptr_nonnull(strstr(written(&report, "junit"), "failures=\"1\""));
    ck_assert_ptr_nonnull(strstr(written(&report, "junit"), "type=\"warning\""));
    ck_assert_ptr_null(strstr(written(&report, "github"), "::warning "));
    ck_assert_ptr_nonnull(strstr(written(&report, "text"), "1 warning (a failure by --strict)"));
    ck_assert_ptr_nonnull(strstr(written(&report, "json"), "\"passed\": false"));
}
END_TEST

START_TEST(github_commands_are_one_line_each)
{
    struct report report = sample();
    ck_assert_str_eq(written(&report, "github"),
                     "::error file=conf/environment.yml,line=7,col=5,title=condagpu verify%3A cudart-live::"
                     "loads 12.1, not 12.4\\n::error::injected, 100%25%0Afix: unset LD_LIBRARY_PATH"
                     "%0A- /opt/a b:c,d%25/lib\\xff/libcudart.so.12: LD_LIBRARY_PATH wins over \\x1b[31mRUNPATH"
                     "%0A- /w/conf/environment.yml:7:5: cuda-version=12.4 \\xe2\\x80\\xae"
                     "%0A- read ]]> <b>&amp; \\x01 \"quoted\" {0} [a](b)\n"
                     "::warning file=conf/environment.yml,line=7,col=5,title=condagpu verify%3A threads::"
                     "OMP_NUM_THREADS=\"\" is empty\n"
                     "::notice file=conf/environment.yml,line=7,col=5,title=condagpu verify%3A driver-visible::"
                     "no GPU on this <machine>\n"
                     "::notice file=conf/environment.yml,line=7,col=5,title=condagpu verify%3A driver-min::"
                     "no GPU on this <machine>\n");
}
END_TEST

START_TEST(github_properties_escape_their_separators)
{
    struct report report = sample();
    report.pin = NULL;
    copied->v[1].evidence.n = 1;
    ck_assert_ptr_nonnull(
        strstr(written(&report, "github"), "::error file=/opt/a b%3Ac%2Cd%25/lib\\xff/libcudart.so.12,title="));
}
END_TEST

START_TEST(junit_counts_agree_with_its_cases)
{
    struct report report = sample();
    const char *xml = written(&report, "junit");
    ck_assert_ptr_nonnull(strstr(xml, "<testsuite name=\"condagpu verify\" tests=\"6\" failures=\"1\" errors=\"0\" "
                                      "skipped=\"2\">"));
    ck_assert_ptr_nonnull(strstr(xml, "]]&#62; &#60;b&#62;&#38;amp; \\x01 &#34;quoted&#34;"));
    ck_assert_ptr_nonnull(strstr(xml, "<skipped message=\"no GPU on this &#60;machine&#62;\"/>"));
    ck_assert_ptr_nonnull(strstr(xml, "<system-out>warning: OMP_NUM_THREADS=&#34;&#34; is empty</system-out>"));
    ck_assert_ptr_nonnull(strstr(xml, "value=\"/envs/train \\xff&#127;\""));
}
END_TEST

START_TEST(sarif_locations_are_uris)
{
    struct report report = sample();
    json_t *root = parsed(written(&report, "sarif"));
    ck_assert_str_eq(string_at(root, "version"), "2.1.0");
    ck_assert_str_eq(string_at(root, "runs/0/originalUriBaseIds/%SRCROOT%/uri"), "file:///w/");
    ck_assert_str_eq(string_at(root, "runs/0/results/0/ruleId"), "cudart-live");
    ck_assert_str_eq(string_at(root, "runs/0/results/0/level"), "error");
    ck_assert_str_eq(string_at(root, "runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri"),
                     "conf/environment.yml");
    ck_assert_str_eq(string_at(root, "runs/0/results/0/relatedLocations/0/physicalLocation/artifactLocation/uri"),
                     "file:///opt/a%20b%3Ac%2Cd%25/lib%FF/libcudart.so.12");
    ck_assert_ptr_null(
        string_at(root, "runs/0/results/0/relatedLocations/0/physicalLocation/artifactLocation/uriBaseId"));
    ck_assert_ptr_nonnull(strstr(string_at(root, "runs/0/results/0/message/text"), "{{0}} [a\\](b)"));
    ck_assert_str_eq(string_at(root, "runs/0/results/1/level"), "warning");
    ck_assert_ptr_null(string_at(root, "runs/0/results/2/level"));
    ck_assert_str_eq(string_at(root, "runs/0/invocations/0/toolExecutionNotifications/1/associatedRule/id"),
                     "driver-min");
    json_decref(root);
}
END_TEST

START_TEST(sarif_rule_indices_point_at_their_rules)
{
    struct report report = sample();
    json_t *root = parsed(written(&report, "sarif")), *result;
    json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    json_t *rules = json_object_get(json_object_get(json_object_get(run, "tool"), "driver"), "rules");
    size_t i;
    ck_assert_uint_eq(json_array_size(rules), 6);
    json_array_foreach(json_object_get(run, "results"), i, result)
    {
        size_t index = (size_t)json_integer_value(json_object_get(result, "ruleIndex"));
        ck_assert_str_eq(string_at(json_array_get(rules, index), "id"), string_at(result, "ruleId"));
    }
    json_decref(root);
}
END_TEST

START_TEST(a_file_reached_by_dot_dot_is_not_below_the_root)
{
    struct report report = sample();
    report.pin = NULL;
    live_evidence[1].file = "/w/../etc/passwd";
    const char *text = written(&report, "sarif");
    live_evidence[1].file = "/w/conf/environment.yml";
    ck_assert_ptr_null(strstr(text, "\"uri\": \"../"));
    ck_assert_ptr_nonnull(strstr(text, "\"uri\": \"file:///w/../etc/passwd\""));
}
END_TEST

START_TEST(a_url_stays_one_and_standard_input_is_no_file)
{
    struct report report = sample();
    struct pin elsewhere = pin;
    report.pin = &elsewhere;
    copied->v[1].evidence.n = 0;
    elsewhere.file = "https://example.org/a/environment.yml?x=1";
    ck_assert_ptr_nonnull(strstr(written(&report, "sarif"), "\"uri\": \"https://example.org/a/environment.yml?x=1\""));
    elsewhere.file = "-";
    ck_assert_ptr_nonnull(strstr(written(&report, "github"), "::error title="));
    ck_assert_ptr_nonnull(strstr(written(&report, "sarif"), "\"uri\": \"file:///envs/train%20%FF%7F\""));
}
END_TEST

START_TEST(an_unknown_format_names_the_nearest)
{
    struct report report = sample();
    struct text out = {.arena = arena};
    struct err err;
    ck_assert(!report_write(arena, &report, "sariff", &out, &err));
    ck_assert_int_eq(err.kind, ERR_USAGE);
    ck_assert_str_eq(err.mend, "did you mean sarif?");
    ck_assert(!report_write(arena, &report, "\033[1m", &out, &err));
    ck_assert_str_eq(err.mend, "the formats are text, json, junit, sarif, github");
    ck_assert_uint_eq(out.n, 0);
}
END_TEST

START_TEST(the_deciding_pin_is_one_that_counts)
{
    struct pin dropped = pin;
    struct spec spec = {.has_effective = true};
    dropped.dropped = true;
    ck_assert_ptr_null(report_pin(NULL));
    ck_assert_ptr_null(report_pin(&spec));
    *vec_add(arena, &spec.pins) = dropped;
    *vec_add(arena, &spec.pins) = pin;
    ck_assert_ptr_eq(report_pin(&spec), &spec.pins.v[1]);
    spec.has_effective = false;
    ck_assert_ptr_null(report_pin(&spec));
}
END_TEST

static const char *baseline_file(const char *content)
{
    char *file = arena_strdup(arena, "/tmp/condagpu-unit-XXXXXX");
    struct err err;
    int fd = mkstemp(file);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert(file_write_atomic(file, str_of(content), 0600, &err));
    return file;
}

static struct baseline read_baseline(const char *content)
{
    const char *file = baseline_file(content);
    struct baseline baseline;
    struct err err;
    ck_assert(baseline_read(arena, file, rows, &baseline, &err));
    unlink(file);
    return baseline;
}

START_TEST(a_baseline_holds_ids_and_files)
{
    struct baseline baseline = read_baseline("# known\n\nthreads  # why\ncudart-live\tlib/a #1.so\r\n  arch\n");
    ck_assert_uint_eq(baseline.entries.n, 3);
    ck_assert_str_eq(baseline.entries.v[0].id, "threads");
    ck_assert_ptr_null(baseline.entries.v[0].file);
    ck_assert_str_eq(baseline.entries.v[1].file, "lib/a #1.so");
    ck_assert_uint_eq(baseline.entries.v[2].line, 5);
}
END_TEST

static void assert_baseline_error(const char *content, unsigned line, const char *why)
{
    const char *file = baseline_file(content);
    struct baseline baseline;
    struct err err;
    ck_assert(!baseline_read(arena, file, rows, &baseline, &err));
    unlink(file);
    ck_assert_int_eq(err.kind, ERR_INPUT);
    ck_assert_uint_eq(err.line, line);
    ck_assert_str_eq(err.why, why);
}

START_TEST(a_bad_baseline_is_an_error_with_its_line)
{
    assert_baseline_error("threads\nthread\n", 2, "there is no check \"thread\"");
    assert_baseline_error("threads lib/x\n", 1, "a check's id, then a tab before the file, is expected");
    assert_baseline_error("\tlib/x\n", 1, "a check's id is missing before the tab");
}
END_TEST

START_TEST(a_known_finding_passes_and_says_so)
{
    struct report report = sample();
    struct baseline baseline = read_baseline("threads\narch\n");
    struct results *results = arena_alloc(arena, sizeof *results);
    *results = *report.results;
    baseline_apply(arena, &baseline, NULL, results);
    ck_assert_int_eq(results->v[2].status, STATUS_PASS);
    ck_assert_str_eq(results->v[2].message, "known (baseline): OMP_NUM_THREADS=\"\" is empty");
    ck_assert_int_eq(results->v[1].status, STATUS_FAIL);
    ck_assert_str_eq(results->v[5].message, "not set");
    ck_assert(baseline.entries.v[0].used);
    ck_assert(!baseline.entries.v[1].used);
    report.baseline = &baseline;
    const char *text = written(&report, "text");
    ck_assert_ptr_nonnull(strstr(text, "PASS  threads: known (baseline): OMP_NUM_THREADS"));
    ck_assert_ptr_nonnull(strstr(text, "PASS  2 checks passed: pin-present, arch\n"));
}
END_TEST

static enum status live_status_with(const char *content, const char *prefix)
{
    struct report report = sample();
    struct baseline baseline = read_baseline(content);
    struct results results = *report.results;
    baseline_apply(arena, &baseline, prefix, &results);
    return results.v[1].status;
}

START_TEST(a_finding_in_a_new_file_is_news)
{
    const char *library = "cudart-live\t/opt/a b:c,d%/lib\xff/libcudart.so.12\n";
    const char *both = arena_printf(arena, "%scudart-live\t/w/conf/environment.yml\n", library);
    const char *below = "cudart-live\tlib\xff/libcudart.so.12\ncudart-live\t/w/conf/environment.yml\n";
    ck_assert_int_eq(live_status_with(library, NULL), STATUS_FAIL);
    ck_assert_int_eq(live_status_with(both, NULL), STATUS_PASS);
    ck_assert_int_eq(live_status_with(below, NULL), STATUS_FAIL);
    ck_assert_int_eq(live_status_with(below, "/opt/a b:c,d%"), STATUS_PASS);
    ck_assert_int_eq(live_status_with("threads\tconf/environment.yml\n", NULL), STATUS_FAIL);
}
END_TEST

START_TEST(a_file_entry_does_not_cover_a_finding_without_file)
{
    struct report report = sample();
    struct baseline baseline = read_baseline("threads\tconf/environment.yml\n");
    struct results results = *report.results;
    baseline_apply(arena, &baseline, NULL, &results);
    ck_assert_int_eq(results.v[2].status, STATUS_WARN);
}
END_TEST

START_TEST(explain_wraps_prose_and_keeps_examples)
{
    struct text out = {.arena = arena}, list = {.arena = arena};
    struct err err;
    ck_assert(explain_check(arena, rows, "pin-present", &out, &err));
    ck_assert_str_eq(out.s, "pin-present: the environment file pins CUDA\n\nNothing to compare. A second line.\n\n"
                            "  example: {x}\n\nMend it.\n");
    out.n = 0;
    ck_assert(explain_check(arena, rows, "driver-min", &out, &err));
    ck_assert_ptr_nonnull(strstr(out.s, "\n\nRuns only where these passed: driver-visible.\n"));
    explain_list(rows, &list);
    ck_assert_ptr_nonnull(strstr(list.s, "pin-present     the environment file pins CUDA\n"
                                         "cudart-live     python loads"));
    ck_assert(!explain_check(arena, rows, "cudart-life", &out, &err));
    ck_assert_int_eq(err.kind, ERR_USAGE);
    ck_assert_str_eq(err.mend, "did you mean cudart-live?");
}
END_TEST

START_TEST(explain_lines_fit_a_terminal)
{
    struct check wide[] = {rows[0], rows[6]};
    struct text out = {.arena = arena};
    struct err err;
    struct str rest, line;
    wide[0].explain = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
                      "sixteen seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three";
    ck_assert(explain_check(arena, wide, "pin-present", &out, &err));
    rest = text_str(&out);
    size_t lines = 0;
    for (; str_cut(&rest, '\n', &line); lines++)
        ck_assert_uint_lt(line.n, 80);
    ck_assert_uint_eq(lines, 6);
}
END_TEST

/* For the shell tests. */
static int emit(int argc, char **argv)
{
    struct report report = argc > 2 && strcmp(argv[2], "random") == 0 ? random_sample(42) : sample();
    struct text out = {.arena = arena};
    struct err err;
    for (int i = 2; i < argc; i++) {
        report.strict |= strcmp(argv[i], "strict") == 0;
        report.quiet |= strcmp(argv[i], "quiet") == 0;
        report.verbose |= strcmp(argv[i], "verbose") == 0;
        report.color |= strcmp(argv[i], "color") == 0;
    }
    if (!report_write(arena, &report, argv[1], &out, &err))
        return 2;
    fwrite(text_str(&out).s, 1, out.n, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    const TTest *const tests[] = {
        no_format_lets_a_control_byte_through,
        random_bytes_stay_inside_their_strings,
        escapes_keep_what_their_format_can_hold,
        text_says_what_is_wrong_and_what_to_do_first,
        quiet_text_leaves_out_what_is_well,
        verbose_text_gives_each_pass_a_line,
        people_see_ten_pieces_of_evidence_programs_all,
        color_only_when_asked,
        an_empty_report_says_so,
        json_has_the_promised_fields,
        json_says_null_for_what_is_not_known,
        strict_turns_warnings_into_failures,
        github_commands_are_one_line_each,
        github_properties_escape_their_separators,
        junit_counts_agree_with_its_cases,
        sarif_locations_are_uris,
        sarif_rule_indices_point_at_their_rules,
        a_file_reached_by_dot_dot_is_not_below_the_root,
        a_url_stays_one_and_standard_input_is_no_file,
        an_unknown_format_names_the_nearest,
        the_deciding_pin_is_one_that_counts,
        a_baseline_holds_ids_and_files,
        a_bad_baseline_is_an_error_with_its_line,
        a_known_finding_passes_and_says_so,
        a_finding_in_a_new_file_is_news,
        a_file_entry_does_not_cover_a_finding_without_file,
        explain_wraps_prose_and_keeps_examples,
        explain_lines_fit_a_terminal,
        NULL,
    };
    arena = arena_new();
    int status = argc > 1 ? emit(argc, argv) : unit_run(unit_suite("report", tests));
    arena_free(arena);
    return status;
}
