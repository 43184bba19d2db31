/* The snapshot document. One table of members a struct serves both directions, so that what is written can be read. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "probe/machine.h"
#include "util/file.h"
#include "util/text.h"

#define SCHEMA "condagpu.probe/1"

enum { LARGEST_SNAPSHOT = 16 * 1024 * 1024, MOST_ITEMS = 100000 };

enum kind {
    TEXT,       /* const char *; null for NULL */
    COUNT,      /* unsigned */
    FLAG,       /* bool */
    BYTES,      /* uint64_t; null for 0 */
    LIMIT,      /* long; null for 0 */
    SPEED,      /* long; null for -1 */
    NODE,       /* int; null for -1 */
    SWITCH,     /* int, 0 or 1; null for -1 */
    QUOTA,      /* double; null for 0 */
    RELEASE,    /* struct release; "12.4", or null */
    CAPABILITY, /* int cc_major, cc_minor; "8.0", or null */
    STRINGS,    /* struct strv */
    OBJECT,     /* a struct with members of its own */
    ARRAY,      /* a VEC of such structs */
};

struct member {
    const char *name;
    enum kind kind;
    size_t offset;
    const struct member *members; /* OBJECT, ARRAY */
    size_t size;                  /* ARRAY: of an item */
};

#define PEER(name) offsetof(struct gpu_peer, name)
static const struct member peer_members[] = {
    {"index", COUNT, PEER(index), NULL, 0},
    {"path", TEXT, PEER(path), NULL, 0},
    {"p2p", SWITCH, PEER(p2p), NULL, 0},
    {NULL, TEXT, 0, NULL, 0},
};

#define GPU(name) offsetof(struct gpu, name)
static const struct member gpu_members[] = {
    {"index", COUNT, GPU(index), NULL, 0},
    {"name", TEXT, GPU(name), NULL, 0},
    {"uuid", TEXT, GPU(uuid), NULL, 0},
    {"compute_capability", CAPABILITY, GPU(cc_major), NULL, 0},
    {"memory_total", BYTES, GPU(memory_total), NULL, 0},
    {"memory_free", BYTES, GPU(memory_free), NULL, 0},
    {"pci", TEXT, GPU(pci), NULL, 0},
    {"mig", FLAG, GPU(mig), NULL, 0},
    {"mig_uuids", STRINGS, GPU(mig_uuids), NULL, 0},
    {"numa_node", NODE, GPU(numa_node), NULL, 0},
    {"persistence", SWITCH, GPU(persistence), NULL, 0},
    {"display", SWITCH, GPU(display), NULL, 0},
    {"nvlinks", NODE, GPU(nvlinks), NULL, 0},
    {"peers", ARRAY, GPU(peers), peer_members, sizeof(struct gpu_peer)},
    {NULL, TEXT, 0, NULL, 0},
};

#define DRIVER(name) offsetof(struct driver, name)
static const struct member driver_members[] = {
    {"version", TEXT, DRIVER(version), NULL, 0},
    {"kernel_version", TEXT, DRIVER(kernel_version), NULL, 0},
    {"cuda", RELEASE, DRIVER(cuda), NULL, 0},
    {"problem", TEXT, DRIVER(problem), NULL, 0},
    {"timed_out", FLAG, DRIVER(timed_out), NULL, 0},
    {NULL, TEXT, 0, NULL, 0},
};

#define CPU(name) offsetof(struct cpu, name)
static const struct member cpu_members[] = {
    {"online", COUNT, CPU(online), NULL, 0},
    {"affinity", COUNT, CPU(affinity), NULL, 0},
    {"cores", COUNT, CPU(cores), NULL, 0},
    {"efficiency", COUNT, CPU(efficiency), NULL, 0},
    {"quota", QUOTA, CPU(quota), NULL, 0},
    {"quota_path", TEXT, CPU(quota_path), NULL, 0},
    {"pids_max", LIMIT, CPU(pids_max), NULL, 0},
    {"usable", COUNT, CPU(usable), NULL, 0},
    {"numa_nodes", COUNT, CPU(numa_nodes), NULL, 0},
    {NULL, TEXT, 0, NULL, 0},
};

#define MEMORY(name) offsetof(struct memory, name)
static const struct member memory_members[] = {
    {"total", BYTES, MEMORY(total), NULL, 0},
    {"available", BYTES, MEMORY(available), NULL, 0},
    {"limit", BYTES, MEMORY(limit), NULL, 0},
    {NULL, TEXT, 0, NULL, 0},
};

#define NIC(name) offsetof(struct nic, name)
static const struct member nic_members[] = {
    {"name", TEXT, NIC(name), NULL, 0},
    {"state", TEXT, NIC(state), NULL, 0},
    {"virtual", FLAG, NIC(is_virtual), NULL, 0},
    {"default_route", FLAG, NIC(has_default_route), NULL, 0},
    {"running", FLAG, NIC(running), NULL, 0},
    {"speed_mbit", SPEED, NIC(speed_mbit), NULL, 0},
    {"addresses", STRINGS, NIC(addresses), NULL, 0},
    {NULL, TEXT, 0, NULL, 0},
};

#define PORT(name) offsetof(struct ib_port, name)
static const struct member port_members[] = {
    {"device", TEXT, PORT(device), NULL, 0},
    {"port", COUNT, PORT(port), NULL, 0},
    {"state", TEXT, PORT(state), NULL, 0},
    {"link_layer", TEXT, PORT(link_layer), NULL, 0},
    {"active", FLAG, PORT(active), NULL, 0},
    {NULL, TEXT, 0, NULL, 0},
};

#define TOOLKIT(name) offsetof(struct toolkit, name)
static const struct member toolkit_members[] = {
    {"root", TEXT, TOOLKIT(root), NULL, 0},
    {"real", TEXT, TOOLKIT(real), NULL, 0},
    {"release", RELEASE, TOOLKIT(release), NULL, 0},
    {"release_from", TEXT, TOOLKIT(release_from), NULL, 0},
    {"nvcc", TEXT, TOOLKIT(nvcc), NULL, 0},
    {"nvcc_release", RELEASE, TOOLKIT(nvcc_release), NULL, 0},
    {"libraries", STRINGS, TOOLKIT(libraries), NULL, 0},
    {NULL, TEXT, 0, NULL, 0},
};

#define MACHINE(name) offsetof(struct machine, name)
static const struct member machine_members[] = {
    {"host", TEXT, MACHINE(host), NULL, 0},
    {"kernel", TEXT, MACHINE(kernel), NULL, 0},
    {"arch", TEXT, MACHINE(arch), NULL, 0},
    {"libc", TEXT, MACHINE(libc), NULL, 0},
    {"gpus", ARRAY, MACHINE(gpus), gpu_members, sizeof(struct gpu)},
    {"driver", OBJECT, MACHINE(driver), driver_members, 0},
    {"pci_gpus", COUNT, MACHINE(pci_gpus), NULL, 0},
    {"wsl", FLAG, MACHINE(wsl), NULL, 0},
    {"tegra", FLAG, MACHINE(tegra), NULL, 0},
    {"container", TEXT, MACHINE(container), NULL, 0},
    {"cpu", OBJECT, MACHINE(cpu), cpu_members, 0},
    {"memory", OBJECT, MACHINE(memory), memory_members, 0},
    {"nics", ARRAY, MACHINE(nics), nic_members, sizeof(struct nic)},
    {"infiniband", ARRAY, MACHINE(infiniband), port_members, sizeof(struct ib_port)},
    {"toolkits", ARRAY, MACHINE(toolkits), toolkit_members, sizeof(struct toolkit)},
    {"warnings", STRINGS, MACHINE(warnings), NULL, 0},
    {NULL, TEXT, 0, NULL, 0},
};

/* Any VEC, as far as it does not depend on its items; copied by memcpy, as its type is another. */
struct items {
    VEC(void);
};

/* jansson fails only when memory is exhausted, as the arena does. */
static json_t *checked(json_t *value)
{
    if (!value)
        abort();
    return value;
}

/* Bytes that are not UTF-8 become \xNN: JSON cannot hold them. */
static json_t *write_text(struct arena *arena, const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    return checked(value ? value : json_string(text_printable(arena, str_of(text))));
}

static json_t *write_strings(struct arena *arena, const struct strv *strings)
{
    json_t *array = checked(json_array());
    for (size_t i = 0; i < strings->n; i++)
        json_array_append_new(array, write_text(arena, strings->v[i]));
    return array;
}

static json_t *write_object(struct arena *arena, const struct member *members, const char *base);

static json_t *write_array(struct arena *arena, const struct member *member, const void *at)
{
    struct items items;
    json_t *array = checked(json_array());
    memcpy(&items, at, sizeof items);
    for (size_t i = 0; i < items.n; i++)
        json_array_append_new(array, write_object(arena, member->members, (const char *)items.v + i * member->size));
    return array;
}

static json_t *write_integer(long long number, bool known)
{
    return known ? checked(json_integer(number)) : json_null();
}

static json_t *write_capability(struct arena *arena, const int cc[2])
{
    return cc[0] < 0 ? json_null() : write_text(arena, arena_printf(arena, "%d.%d", cc[0], cc[1]));
}

static json_t *write_value(struct arena *arena, const struct member *member, const void *at)
{
    switch (member->kind) {
    case TEXT: return write_text(arena, *(const char *const *)at);
    case COUNT: return write_integer(*(const unsigned *)at, true);
    case FLAG: return json_boolean(*(const bool *)at);
    case BYTES: return write_integer((long long)*(const uint64_t *)at, *(const uint64_t *)at > 0);
    case LIMIT: return write_integer(*(const long *)at, *(const long *)at > 0);
    case SPEED: return write_integer(*(const long *)at, *(const long *)at >= 0);
    case SWITCH: return *(const int *)at < 0 ? json_null() : json_boolean(*(const int *)at);
    case NODE: return write_integer(*(const int *)at, *(const int *)at >= 0);
    case QUOTA: return *(const double *)at > 0 ? checked(json_real(*(const double *)at)) : json_null();
    case RELEASE: {
        const struct release *release = at;
        return release->major < 0 ? json_null() : write_text(arena, release_text(arena, *release));
    }
    case CAPABILITY: return write_capability(arena, at);
    case STRINGS: return write_strings(arena, at);
    case OBJECT: return write_object(arena, member->members, at);
    case ARRAY: return write_array(arena, member, at);
    }
    abort();
}

static json_t *write_object(struct arena *arena, const struct member *members, const char *base)
{
    json_t *object = checked(json_object());
    for (; members->name; members++)
        json_object_set_new(object, members->name, write_value(arena, members, base + members->offset));
    return object;
}

json_t *machine_to_json(const struct machine *machine)
{
    _cleanup_arena_ struct arena *arena = arena_new();
    json_t *document = checked(json_object());
    json_object_set_new(document, "schema", write_text(arena, SCHEMA));
    json_t *members = write_object(arena, machine_members, (const char *)machine);
    json_object_update(document, members);
    json_decref(members);
    return document;
}

/* Where the reader is: "gpus[2].name", and whom to tell. */
struct reader {
    struct arena *arena;
    const char *path;
    struct err *err;
};

static bool wrong(const struct reader *reader, const char *where, const char *wanted)
{
    return err_set(reader->err, ERR_INPUT, "machine snapshot", reader->path, 0, 0, "%s is not %s", where, wanted);
}

static bool read_text(const struct reader *reader, const json_t *value, const char *where, const char **text)
{
    if (!json_is_string(value) && !json_is_null(value))
        return wrong(reader, where, "a text or null");
    if (json_is_string(value) && strlen(json_string_value(value)) != json_string_length(value))
        return wrong(reader, where, "a text without NUL");
    *text = arena_strdup(reader->arena, json_string_value(value));
    return true;
}

/* A whole number from 0 to `most`. */
static bool read_integer(const struct reader *reader, const json_t *value, const char *where, long long most,
                         long long *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > most)
        return wrong(reader, where, "a whole number in its range");
    *number = json_integer_value(value);
    return true;
}

static bool read_optional(const struct reader *reader, const json_t *value, const char *where, long long most,
                          long long absent, long long *number)
{
    *number = absent;
    return json_is_null(value) || read_integer(reader, value, where, most, number);
}

static bool read_quota(const struct reader *reader, const json_t *value, const char *where, double *quota)
{
    *quota = 0;
    if (json_is_null(value))
        return true;
    if (!json_is_number(value) || !(json_number_value(value) > 0) || json_number_value(value) > 1e9)
        return wrong(reader, where, "a positive number or null");
    *quota = json_number_value(value);
    return true;
}

static bool read_release(const struct reader *reader, const json_t *value, const char *where, struct release *release)
{
    *release = RELEASE_NONE;
    if (json_is_null(value) || (json_is_string(value) && release_parse(str_of(json_string_value(value)), release)))
        return true;
    return wrong(reader, where, "a release such as \"12.4\" or null");
}

static bool read_capability(const struct reader *reader, const json_t *value, const char *where, int cc[2])
{
    struct release release = RELEASE_NONE;
    if (!json_is_null(value)
        && (!json_is_string(value) || !release_parse(str_of(json_string_value(value)), &release) || release.minor < 0))
        return wrong(reader, where, "a compute capability such as \"8.0\" or null");
    cc[0] = release.major;
    cc[1] = release.minor;
    return true;
}

static bool read_strings(const struct reader *reader, const json_t *value, const char *where, struct strv *strings)
{
    size_t i;
    json_t *item;
    if (!json_is_array(value))
        return wrong(reader, where, "a list of texts");
    json_array_foreach(value, i, item) {
        const char *text;
        if (!json_is_string(item))
            return wrong(reader, arena_printf(reader->arena, "%s[%zu]", where, i), "a text");
        if (!read_text(reader, item, arena_printf(reader->arena, "%s[%zu]", where, i), &text))
            return false;
        strv_add(reader->arena, strings, text);
    }
    return true;
}

static bool read_object(const struct reader *reader, const json_t *object, const char *where,
                        const struct member *members, char *base);

static bool read_array(const struct reader *reader, const json_t *value, const char *where,
                       const struct member *member, void *at)
{
    struct items items;
    if (!json_is_array(value) || json_array_size(value) > MOST_ITEMS)
        return wrong(reader, where, "a list");
    items.n = items.cap = json_array_size(value);
    items.v = arena_alloc(reader->arena, (items.n ? items.n : 1) * member->size);
    for (size_t i = 0; i < items.n; i++)
        if (!read_object(reader, json_array_get(value, i), arena_printf(reader->arena, "%s[%zu]", where, i),
                         member->members, (char *)items.v + i * member->size))
            return false;
    memcpy(at, &items, sizeof items);
    return true;
}

static bool read_flag(const struct reader *reader, const json_t *value, const char *where, bool *flag)
{
    *flag = json_is_true(value);
    return json_is_boolean(value) || wrong(reader, where, "true or false");
}

static bool read_switch(const struct reader *reader, const json_t *value, const char *where, int *number)
{
    *number = json_is_null(value) ? -1 : json_is_true(value);
    return json_is_null(value) || json_is_boolean(value) || wrong(reader, where, "true, false or null");
}

static bool read_number(const struct reader *reader, const struct member *member, const json_t *value,
                        const char *where, void *at)
{
    long long number;
    switch (member->kind) {
    case COUNT:
        if (!read_integer(reader, value, where, UINT32_MAX, &number))
            return false;
        *(unsigned *)at = (unsigned)number;
        return true;
    case BYTES:
        if (!read_optional(reader, value, where, INT64_MAX, 0, &number))
            return false;
        *(uint64_t *)at = (uint64_t)number;
        return true;
    case NODE:
        if (!read_optional(reader, value, where, INT32_MAX, -1, &number))
            return false;
        *(int *)at = (int)number;
        return true;
    default:
        if (!read_optional(reader, value, where, INT32_MAX, member->kind == SPEED ? -1 : 0, &number))
            return false;
        *(long *)at = (long)number;
        return true;
    }
}

static bool read_value(const struct reader *reader, const struct member *member, const json_t *value,
                       const char *where, void *at)
{
    switch (member->kind) {
    case TEXT: return read_text(reader, value, where, at);
    case FLAG: return read_flag(reader, value, where, at);
    case SWITCH: return read_switch(reader, value, where, at);
    case QUOTA: return read_quota(reader, value, where, at);
    case RELEASE: return read_release(reader, value, where, at);
    case CAPABILITY: return read_capability(reader, value, where, at);
    case STRINGS: return read_strings(reader, value, where, at);
    case OBJECT: return read_object(reader, value, where, member->members, at);
    case ARRAY: return read_array(reader, value, where, member, at);
    case COUNT: case BYTES: case LIMIT: case SPEED: case NODE: return read_number(reader, member, value, where, at);
    }
    abort();
}

static bool read_object(const struct reader *reader, const json_t *object, const char *where,
                        const struct member *members, char *base)
{
    if (!json_is_object(object))
        return wrong(reader, where, "an object");
    for (; members->name; members++) {
        const json_t *value = json_object_get(object, members->name);
        const char *name =
            where[0] ? arena_printf(reader->arena, "%s.%s", where, members->name) : members->name;
        if (!value)
            return err_set(reader->err, ERR_INPUT, "machine snapshot", reader->path, 0, 0, "%s is missing", name);
        if (!read_value(reader, members, value, name, base + members->offset))
            return false;
    }
    return true;
}

/* What no type says but every reader of a machine relies on. */
static bool check_machine(const struct reader *reader, const struct machine *machine)
{
    for (size_t i = 0; i < machine->nics.n; i++)
        if (!machine->nics.v[i].name)
            return wrong(reader, arena_printf(reader->arena, "nics[%zu].name", i), "a text");
    for (size_t i = 0; i < machine->infiniband.n; i++)
        if (!machine->infiniband.v[i].device)
            return wrong(reader, arena_printf(reader->arena, "infiniband[%zu].device", i), "a text");
    for (size_t i = 0; i < machine->toolkits.n; i++)
        if (!machine->toolkits.v[i].root || !machine->toolkits.v[i].real)
            return wrong(reader, arena_printf(reader->arena, "toolkits[%zu].root and .real", i), "a text");
    if (machine->cpu.usable == 0)
        return wrong(reader, "cpu.usable", "1 or more");
    return true;
}

static bool read_document(const struct reader *reader, const json_t *document, struct machine *machine)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (!schema || strcmp(schema, SCHEMA) != 0) {
        err_set(reader->err, ERR_INPUT, "machine snapshot", reader->path, 0, 0, "schema is not \"" SCHEMA "\"");
        return err_mend(reader->err, "make one on the machine with condagpu probe --format json");
    }
    return read_object(reader, document, "", machine_members, (char *)machine) && check_machine(reader, machine);
}

bool machine_from_json(struct arena *arena, const char *path, struct machine *machine, struct err *err)
{
    struct str content;
    json_error_t problem;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct reader reader = {.arena = arena, .path = name, .err = err};
    *machine = (struct machine){.root = "", .source = arena_strdup(arena, name)};
    if (!file_read(arena, path, LARGEST_SNAPSHOT, "machine snapshot", &content, err))
        return false;
    json_t *document = json_loadb(content.s, content.n, JSON_REJECT_DUPLICATES, &problem);
    if (!document)
        return err_set(err, ERR_INPUT, "machine snapshot", name, problem.line > 0 ? (unsigned)problem.line : 0,
                       problem.column > 0 ? (unsigned)problem.column : 0, "%s", problem.text);
    bool read = read_document(&reader, document, machine);
    json_decref(document);
    return read;
}
