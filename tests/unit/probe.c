/* Machines laid out as folders from tests/unit/machines/NAME.txt, and the snapshot document.
 *
 * A machine file has these lines, with one tab between the parts:
 *   # a comment: the reason for the expectations below it
 *   PATH content            a file; "-> target" is a symbolic link; a path that ends in a slash is a directory
 *   (tab) content           another line of the same file
 *   @NUMBERS PATH content   the same for each number of a list such as 0-7,9; {0} is the number, {+4} and {-4} are sums
 *   =MEMBER JSON            what the snapshot says: cpu.usable, gpus[0].name, gpus.length
 * In content and paths \xNN is a byte and \\ a backslash. */
#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/cpulist.h"
#include "probe/machine.h"
#include "probe/probe.h"
#include "unit.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum { LEAST_MACHINES = 20, MOST_MACHINE_BYTES = 1 << 20 };

static struct arena *arena;
static char scratch[] = "/tmp/condagpu-probe-XXXXXX";

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)type, (void)at;
    return remove(path);
}

static void remove_tree(const char *path)
{
    nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS);
}

static const char *unescape(struct str text, size_t *size)
{
    struct text out = {.arena = arena};
    text_bytes(&out, "", 0);
    for (size_t i = 0; i < text.n; i++) {
        char byte = text.s[i];
        if (byte == '\\' && i + 1 < text.n && text.s[i + 1] == '\\')
            i++;
        else if (byte == '\\' && i + 3 < text.n && text.s[i + 1] == 'x') {
            char digits[3] = {text.s[i + 2], text.s[i + 3], '\0'};
            byte = (char)strtol(digits, NULL, 16);
            i += 3;
        }
        text_bytes(&out, &byte, 1);
    }
    if (size)
        *size = out.n;
    return out.s;
}

/* {0}, {+4}, {-4} become sums with `number`. */
static struct str with_number(struct str text, unsigned number)
{
    struct text out = {.arena = arena};
    text_bytes(&out, "", 0);
    for (size_t i = 0; i < text.n; i++) {
        size_t close = i + str_find(str_slice(text, i, text.n), '}');
        bool is_sum = text.s[i] == '{' && close < text.n && i + 1 < text.n && strchr("0+-", text.s[i + 1]);
        if (!is_sum) {
            text_bytes(&out, text.s + i, 1);
            continue;
        }
        text_add(&out, "%ld", (long)number + strtol(text.s + i + 1, NULL, 10));
        i = close;
    }
    return text_str(&out);
}

static void lay_out(const char *root, struct str path_text, struct str content)
{
    struct err err;
    size_t size;
    const char *path = path_join(arena, root, unescape(path_text, NULL));
    const char *bytes = unescape(content, &size);
    if (str_ends(path_text, "/")) {
        ck_assert(dir_make(path, &err));
        return;
    }
    ck_assert(dir_make(path_dirname(arena, path), &err));
    if (str_starts(content, "-> ")) {
        ck_assert_msg(symlink(bytes + 3, path) == 0, "%s: %s", path, strerror(errno));
        return;
    }
    FILE *file = fopen(path, "a");
    ck_assert_ptr_nonnull(file);
    fwrite(bytes, 1, size, file);
    fputc('\n', file);
    fclose(file);
    if (strcmp(path_basename(path), "nvcc") == 0)
        ck_assert_int_eq(chmod(path, 0755), 0);
}

/* Which files the next line of content belongs to. */
struct target {
    struct cpulist numbers; /* empty for a single file */
    struct str path;
};

static void lay_out_all(const char *root, const struct target *target, struct str content)
{
    if (cpulist_count(&target->numbers) == 0)
        lay_out(root, target->path, content);
    for (unsigned i = cpulist_next(&target->numbers, 0); i < MOST_CPUS; i = cpulist_next(&target->numbers, i + 1))
        lay_out(root, with_number(target->path, i), with_number(content, i));
}

/* "PATH<tab>content" or "@NUMBERS PATH<tab>content" */
static void lay_out_line(const char *root, struct target *target, struct str line, const char *name)
{
    struct str numbers;
    target->numbers = (struct cpulist){{0}};
    if (str_starts(line, "@")) {
        line = str_slice(line, 1, line.n);
        ck_assert_msg(str_cut(&line, ' ', &numbers) && cpulist_parse(numbers, &target->numbers), "%s: numbers", name);
    }
    size_t tab = str_find(line, '\t');
    ck_assert_msg(tab < line.n, "%s: no tab", name);
    target->path = str_slice(line, 0, tab);
    lay_out_all(root, target, str_slice(line, tab + 1, line.n));
}

/* The member that "gpus[0].name" or "gpus.length" names; a new reference, or NULL. */
static json_t *look_up(const json_t *document, struct str path)
{
    const json_t *at = document;
    struct str part;
    while (str_cut(&path, '.', &part)) {
        struct str name = str_slice(part, 0, str_find(part, '['));
        if (json_is_array(at) && str_eq_c(name, "length"))
            return json_integer((json_int_t)json_array_size(at));
        at = json_object_get(at, str_dup(arena, name));
        if (name.n < part.n)
            at = json_array_get(at, (size_t)strtoul(part.s + name.n + 1, NULL, 10));
    }
    return at ? json_deep_copy(at) : NULL;
}

static const char *dump(const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    const char *copy = arena_strdup(arena, text ? text : "missing");
    free(text);
    return copy;
}

/* One "=MEMBER JSON" line; says what differs. */
static bool holds(const json_t *document, struct str line, const char *name, unsigned number)
{
    struct str path;
    json_error_t error;
    ck_assert(str_cut(&line, '\t', &path));
    json_t *wanted = json_loadb(line.s, line.n, JSON_DECODE_ANY, &error);
    ck_assert_msg(wanted != NULL, "%s:%u: %s", name, number, error.text);
    json_t *got = look_up(document, path);
    bool equal = got && json_equal(got, wanted);
    if (!equal)
        fprintf(stderr, "# %s:%u: %.*s is %s, not %s\n", name, number, (int)path.n, path.s, dump(got), dump(wanted));
    json_decref(got);
    json_decref(wanted);
    return equal;
}

static bool is_description(struct str line)
{
    return line.n && line.s[0] != '#' && line.s[0] != '=';
}

/* A snapshot must come back as it was. */
static bool comes_back(const json_t *document, const char *name)
{
    const char *path = path_join(arena, scratch, "snapshot.json");
    struct machine machine;
    struct err err;
    ck_assert_int_eq(json_dump_file(document, path, 0), 0);
    bool read = machine_from_json(arena, path, &machine, &err);
    json_t *again = read ? machine_to_json(&machine) : NULL;
    bool equal = again && json_equal(again, document);
    if (!equal)
        fprintf(stderr, "# %s: the snapshot does not come back: %s\n", name, read ? dump(again) : err.why);
    json_decref(again);
    return equal;
}

static size_t check_machine(const char *dir, const char *name)
{
    struct str content, rest, line;
    struct target target = {.path = STR("")};
    struct err err;
    struct machine machine;
    size_t wrong = 0, expectations = 0;
    const char *root = path_join(arena, scratch, "root");
    ck_assert(file_read(arena, path_join(arena, dir, name), MOST_MACHINE_BYTES, "machine", &content, &err));
    rest = content;
    while (str_cut(&rest, '\n', &line)) {
        if (str_starts(line, "\t"))
            lay_out_all(root, &target, str_slice(line, 1, line.n));
        else if (is_description(line))
            lay_out_line(root, &target, line, name);
    }
    probe_machine(arena, &(struct probe_options){.root = root}, &machine);
    json_t *document = machine_to_json(&machine);
    rest = content;
    for (unsigned number = 1; str_cut(&rest, '\n', &line); number++) {
        if (!str_starts(line, "="))
            continue;
        expectations++;
        wrong += !holds(document, str_slice(line, 1, line.n), name, number);
    }
    wrong += !comes_back(document, name);
    ck_assert_msg(expectations > 0, "%s expects nothing", name);
    json_decref(document);
    remove_tree(root);
    return wrong;
}

START_TEST(machines_are_read_as_expected)
{
    const char *top = getenv("top_srcdir");
    struct strv names = {0};
    size_t wrong = 0;
    ck_assert_msg(top != NULL, "top_srcdir is not set: run this by make check");
    const char *dir = path_join(arena, top, "tests/unit/machines");
    ck_assert(dir_list(arena, dir, &names));
    ck_assert_uint_ge(names.n, LEAST_MACHINES);
    for (size_t i = 0; i < names.n; i++)
        wrong += check_machine(dir, names.v[i]);
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(cpu_lists_are_parsed_strictly)
{
    static const struct {
        const char *text;
        int count;
    } lists[] = {
        {"0", 1},      {"0-3", 4},     {"0-3,8,10-11\n", 7}, {"", 0},
        {"\n", 0},     {"5,5,4-6", 3}, {"65535", 1},         {"65536", -1},
        {"3-1", -1},   {"0-", -1},     {"-1", -1},           {"0,,1", -1},
        {",", -1},     {"a", -1},      {"0 1", -1},          {"0-99999999999", -1},
        {"1-2-3", -1},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct cpulist list = {{0}};
        bool parsed = cpulist_parse(str_of(lists[i].text), &list);
        ck_assert_msg(parsed == (lists[i].count >= 0), "\"%s\"", lists[i].text);
        if (parsed)
            ck_assert_msg(cpulist_count(&list) == (unsigned)lists[i].count, "\"%s\"", lists[i].text);
    }
}
END_TEST

START_TEST(next_cpu_crosses_words)
{
    struct cpulist list = {{0}};
    cpulist_add(&list, 3);
    cpulist_add(&list, 64);
    cpulist_add(&list, 65535);
    ck_assert_uint_eq(cpulist_next(&list, 0), 3);
    ck_assert_uint_eq(cpulist_next(&list, 4), 64);
    ck_assert_uint_eq(cpulist_next(&list, 65), 65535);
    ck_assert_uint_eq(cpulist_next(&list, 65536), MOST_CPUS);
    ck_assert(!cpulist_has(&list, 70000));
}
END_TEST

START_TEST(real_machine_agrees_with_the_system)
{
    struct machine machine;
    probe_machine(arena, &(struct probe_options){.no_driver = true}, &machine);
    /* sysconf(_SC_NPROCESSORS_ONLN) is the affinity mask's count in some releases of glibc, so it is no measure. */
    ck_assert_int_le((int)machine.cpu.online, (int)sysconf(_SC_NPROCESSORS_CONF));
    ck_assert_uint_ge(machine.cpu.online, machine.cpu.affinity);
    ck_assert_uint_ge(machine.cpu.affinity, machine.cpu.cores);
    ck_assert_uint_ge(machine.cpu.usable, 1);
    ck_assert_uint_gt(machine.memory.total, machine.memory.available);
    ck_assert_str_eq(machine.source, "this machine");
}
END_TEST

/* Links must not lead out of the root directory, however they are written. */
START_TEST(links_stay_below_the_root)
{
    struct machine machine;
    const char *root = path_join(arena, scratch, "jail");
    const char *secret = path_join(arena, scratch, "secret");
    struct err err;
    ck_assert(file_write_atomic(secret, STR("outside\n"), 0600, &err));
    lay_out(root, STR("/proc/sys/kernel/osrelease"), STR("-> ../../../../../../../secret"));
    lay_out(root, STR("/proc/sys/kernel/hostname"), str_of(arena_printf(arena, "-> %s", secret)));
    probe_machine(arena, &(struct probe_options){.root = root}, &machine);
    ck_assert_ptr_null(machine.kernel);
    ck_assert_ptr_null(machine.host);
    lay_out(root, STR("/secret"), STR("inside"));
    probe_machine(arena, &(struct probe_options){.root = root}, &machine);
    ck_assert_str_eq(machine.kernel, "inside");
    remove_tree(root);
}
END_TEST

static bool read_back(const json_t *document, struct err *err)
{
    struct machine machine;
    const char *path = path_join(arena, scratch, "mutant.json");
    ck_assert_int_eq(json_dump_file(document, path, 0), 0);
    memset(err, 0, sizeof *err);
    return machine_from_json(arena, path, &machine, err);
}

/* One item in each list, so that the members of the items are tried as well. */
static json_t *full_document(void)
{
    struct machine machine = {.root = "", .source = "test", .host = "h", .cpu = {.usable = 2, .quota = 2.5}};
    struct gpu *gpu = vec_add(arena, &machine.gpus);
    *gpu = (struct gpu){.name = "x", .cc_major = 8, .cc_minor = 6, .memory_total = 1, .numa_node = -1,
                        .persistence = 1, .display = 0, .nvlinks = 4};
    *vec_add(arena, &gpu->peers) = (struct gpu_peer){.index = 1, .p2p = 1};
    strv_add(arena, &gpu->mig_uuids, "MIG-1");
    struct nic *nic = vec_add(arena, &machine.nics);
    nic->name = "eth0";
    struct ib_port *port = vec_add(arena, &machine.infiniband);
    port->device = "mlx5_0";
    struct toolkit *toolkit = vec_add(arena, &machine.toolkits);
    *toolkit = (struct toolkit){.root = "/a", .real = "/b", .release = {12, 4, -1}, .nvcc_release = RELEASE_NONE};
    strv_add(arena, &machine.warnings, "w");
    return machine_to_json(&machine);
}

static bool may_be_unknown(const char *name)
{
    return strcmp(name, "persistence") == 0 || strcmp(name, "display") == 0 || strcmp(name, "p2p") == 0;
}

/* What may stand where another value of the right type was; null tells no type, so only lists and objects are wrong. */
static bool may_replace(const json_t *old, const json_t *new, const char *name)
{
    if (json_is_null(old))
        return !json_is_object(new) && !json_is_array(new) && !json_is_true(new);
    if (json_is_number(old) && json_is_number(new))
        return strcmp(name, "quota") == 0 ? json_number_value(new) > 0 && json_number_value(new) < 1e9
                                          : json_is_integer(new) && json_integer_value(new) >= 0;
    if (json_is_boolean(old))
        return json_is_boolean(new) || (json_is_null(new) && may_be_unknown(name));
    return json_typeof(old) == json_typeof(new) && !json_is_string(old) && !json_is_array(old);
}

static void refuse(const json_t *document, const char *name, const char *value)
{
    struct err err;
    ck_assert_msg(!read_back(document, &err), "%s: %s was accepted", name, value);
    ck_assert_int_eq(err.kind, ERR_INPUT);
    ck_assert_msg(strstr(err.why, name) != NULL, "%s: %s", name, err.why);
}

/* Puts values of every wrong type in place of each member, and takes each away. How often. */
static size_t try_mutants(json_t *document, json_t *object)
{
    static const char *const values[] = {"7.5", "-7", "5000000000000000000000.0", "true", "[[]]", "[7]", "{}", "1e300"};
    struct strv names = {0};
    size_t tried = 0;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) strv_add(arena, &names, arena_strdup(arena, key));
    for (size_t n = 0; n < names.n; n++) {
        json_t *kept = json_incref(json_object_get(object, names.v[n]));
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            json_t *mutant = json_loads(values[i], JSON_DECODE_ANY, NULL);
            if (!may_replace(kept, mutant, names.v[n])) {
                json_object_set(object, names.v[n], mutant);
                refuse(document, names.v[n], values[i]);
                tried++;
            }
            json_decref(mutant);
        }
        json_object_del(object, names.v[n]);
        refuse(document, names.v[n], "its absence");
        json_object_set_new(object, names.v[n], kept);
        tried++;
    }
    return tried;
}

START_TEST(snapshots_are_typed)
{
    json_t *document = full_document();
    struct err err;
    ck_assert_msg(read_back(document, &err), "%s", err.why);
    size_t tried = try_mutants(document, document);
    static const char *const nested[] = {"driver", "cpu", "memory"};
    static const char *const lists[] = {"gpus", "nics", "infiniband", "toolkits"};
    for (size_t i = 0; i < 3; i++)
        tried += try_mutants(document, json_object_get(document, nested[i]));
    for (size_t i = 0; i < 4; i++)
        tried += try_mutants(document, json_array_get(json_object_get(document, lists[i]), 0));
    ck_assert_uint_gt(tried, 200);
    ck_assert_msg(read_back(document, &err), "%s", err.why);
    json_object_set_new(document, "later", json_true());
    ck_assert_msg(read_back(document, &err), "a later program's member was refused");
    json_decref(document);
}
END_TEST

START_TEST(snapshot_errors_name_their_place)
{
    static const struct {
        const char *text, *why;
        unsigned line;
    } bad[] = {
        {"{\n\"schema\": \"condagpu.probe/1\",\n}", "string or '}' expected", 3},
        {"", "'[' or '{' expected", 1},
        {"[]", "schema is not \"condagpu.probe/1\"", 0},
        {"{\"schema\": \"condagpu.probe/2\"}", "schema is not \"condagpu.probe/1\"", 0},
        {"{\"schema\": \"condagpu.probe/1\"}", "host is missing", 0},
        {"{\"a\": 1, \"a\": 2}", "duplicate object key", 1},
    };
    const char *path = path_join(arena, scratch, "bad.json");
    struct machine machine;
    struct err err, written;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert(file_write_atomic(path, str_of(bad[i].text), 0600, &written));
        ck_assert(!machine_from_json(arena, path, &machine, &err));
        ck_assert_int_eq(err.kind, ERR_INPUT);
        ck_assert_str_eq(err.file, path);
        ck_assert_msg(strstr(err.why, bad[i].why) != NULL, "%s: %s", bad[i].text, err.why);
        ck_assert_uint_eq(err.line, bad[i].line);
    }
    ck_assert(!machine_from_json(arena, "/nonexistent/x.json", &machine, &err));
    ck_assert_int_eq(err.kind, ERR_INPUT);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        machines_are_read_as_expected,    cpu_lists_are_parsed_strictly,
        next_cpu_crosses_words,           real_machine_agrees_with_the_system,
        links_stay_below_the_root,        snapshots_are_typed,
        snapshot_errors_name_their_place, NULL,
    };
    if (!mkdtemp(scratch))
        return 99;
    arena = arena_new();
    int status = unit_run(unit_suite("probe", tests));
    arena_free(arena);
    remove_tree(scratch);
    return status;
}
