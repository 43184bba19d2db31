#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include "../loader/makeelf.h"
#include "loader/cache.h"
#include "loader/code.h"
#include "loader/emulate.h"
#include "loader/image.h"
#include "loader/intern.h"
#include "loader/loader.h"
#include "loader/system.h"
#include "unit.h"
#include "util/file.h"
#include "util/path.h"

static struct arena *arena;
static const char *root;

static const char *at(const char *name)
{
    return path_join(arena, root, name);
}

static const char *put(const char *name, const struct make *make)
{
    const char *path = at(name);
    struct err err;
    ck_assert(dir_make(path_dirname(arena, path), &err));
    make_file(path, make);
    return path;
}

static void setup(void)
{
    arena = arena_new();
    char *scratch = arena_printf(arena, "%s/condagpu-loader-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    root = path_real(arena, scratch);
}

static void remove_tree(const char *path)
{
    struct strv names = {0};
    if (unlink(path) == 0 || !dir_list(arena, path, &names))
        return;
    for (size_t i = 0; i < names.n; i++)
        remove_tree(path_join(arena, path, names.v[i]));
    rmdir(path);
}

static void teardown(void)
{
    remove_tree(root);
    arena_free(arena);
}

START_TEST(equal_keys_are_one_entry)
{
    struct intern table = {.arena = arena};
    struct intern_entry *first = intern(&table, "a", 1);
    for (int i = 0; i < 5000; i++)
        intern(&table, &i, sizeof i)->value = &table;
    ck_assert_ptr_eq(intern(&table, "a", 1), first);
    ck_assert_ptr_null(intern_find(&table, "ab", 2));
    ck_assert_uint_eq(table.n, 5001);
}
END_TEST

START_TEST(elf_fields_are_read)
{
    struct elf elf;
    const char *path = put("lib.so", &(struct make){.soname = "liba.so.1",
                                                    .rpath = "/r",
                                                    .runpath = "/u",
                                                    .needed = {"libb.so", "libc.so.6"},
                                                    .flags_1 = DF_1_NODEFLIB});
    ck_assert(elf_read(arena, path, &elf));
    ck_assert(elf.is_elf && elf.is_64 && elf.is_dynamic && !elf.is_executable && !elf.is_foreign);
    ck_assert_str_eq(elf.soname, "liba.so.1");
    ck_assert_str_eq(elf.rpath, "/r");
    ck_assert_str_eq(elf.runpath, "/u");
    ck_assert_uint_eq(elf.needed.n, 2);
    ck_assert_str_eq(elf.needed.v[1], "libc.so.6");
    ck_assert_uint_eq(elf.flags_1, DF_1_NODEFLIB);
    ck_assert(elf_read(arena, "/proc/self/exe", &elf));
    ck_assert(elf.is_executable);
    ck_assert_ptr_nonnull(elf.interpreter);
}
END_TEST

/* The bytes of compilers, checked one pattern at a time. */
static bool stores(uint16_t machine, const void *bytes, size_t size, uint32_t *constant)
{
    return code_for(machine)->stores_constant(bytes, size, constant);
}

START_TEST(constants_are_found_in_known_code_only)
{
    uint32_t constant;
    static const unsigned char nvidia[] = "\x48\x85\xff\x74\x0b\xc7\x07\x3a\x2f\0\0\x31\xc0\xc3";
    static const unsigned char framed[] =
        "\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\x48\x85\xff\x0f\x84\x11\0\0\0\xc7\x07\x08\x2f\0\0\x31\xc0\x5d\xc3";
    static const unsigned char untested[] = "\xc7\x07\x3a\x2f\0\0\x31\xc0\xc3";
    static const unsigned char failing[] = "\x48\x85\xff\x74\x0b\xc7\x07\x3a\x2f\0\0\xb8\x01\0\0\0\xc3";
    ck_assert(stores(EM_X86_64, nvidia, sizeof nvidia - 1, &constant));
    ck_assert_uint_eq(constant, 12090);
    ck_assert(stores(EM_X86_64, framed, sizeof framed - 1, &constant));
    ck_assert_uint_eq(constant, 12040);
    ck_assert(!stores(EM_X86_64, untested, sizeof untested - 1, &constant));
    ck_assert(!stores(EM_X86_64, failing, sizeof failing - 1, &constant));
    for (size_t size = 0; size < sizeof nvidia - 1; size++)
        ck_assert(!stores(EM_X86_64, nvidia, size, &constant));
    static const uint32_t arm[] = {0xb40000c0, 0xaa0003e1, 0x52856902, 0x52800000, 0xb9000022, 0xd65f03c0};
    static const uint32_t arm_late[] = {0xaa0003e1, 0xb40000a0, 0x5285e742, 0x52800000, 0xb9000022, 0xd65f03c0};
    static const uint32_t arm_other[] = {0xb40000c0, 0xaa0003e1, 0x52856902, 0x52800000, 0xb9000042, 0xd65f03c0};
    ck_assert(stores(EM_AARCH64, arm, sizeof arm, &constant));
    ck_assert_uint_eq(constant, 11080);
    ck_assert(stores(EM_AARCH64, arm_late, sizeof arm_late, &constant));
    ck_assert_uint_eq(constant, 12090);
    ck_assert(!stores(EM_AARCH64, arm_other, sizeof arm_other, &constant));
    ck_assert_ptr_null(code_for(EM_S390));
}
END_TEST

START_TEST(release_is_decoded_or_refused)
{
    const char *how;
    const char *path = put("libcudart.so.12", &(struct make){.soname = "libcudart.so.12", .version = 12040});
    ck_assert_str_eq(release_text(arena, cudart_decode(arena, path, &how)), "12.4");
    path = put("other.so", &(struct make){.soname = "libcudart.so.12",
                                          .version = 12040,
                                          .machine = MAKE_MACHINE == EM_AARCH64 ? EM_X86_64 : EM_AARCH64});
    ck_assert_str_eq(release_text(arena, cudart_decode(arena, path, &how)), "12.4");
    path = put("lies.so", &(struct make){.soname = "libcudart.so.13", .version = 12040});
    ck_assert_int_eq(cudart_decode(arena, path, &how).major, -1);
    ck_assert_ptr_nonnull(strstr(how, "soname"));
    path = put("odd.so", &(struct make){.soname = "libcudart.so.12", .version = 12345});
    ck_assert_int_eq(cudart_decode(arena, path, &how).major, -1);
    path = put("without.so", &(struct make){.soname = "libcudart.so.12"});
    ck_assert_int_eq(cudart_decode(arena, path, &how).major, -1);
    ck_assert_ptr_nonnull(strstr(how, "export"));
    ck_assert_int_eq(cudart_decode(arena, at("none"), &how).major, -1);
}
END_TEST

START_TEST(static_runtime_needs_its_messages)
{
    static struct made made;
    static const char message[] = "CUDA driver version is insufficient for CUDA runtime version";
    const char *how;
    make_bytes(&(struct make){.soname = message, .version = 13000}, &made);
    write_bytes(at("static.so"), made.bytes, made.size);
    ck_assert_str_eq(release_text(arena, cudart_decode_static(arena, at("static.so"), &how)), "13.0");
    put("plain.so", &(struct make){.version = 13000});
    ck_assert_int_eq(cudart_decode_static(arena, at("plain.so"), &how).major, -1);
    ck_assert_ptr_nonnull(strstr(how, "no CUDA runtime"));
}
END_TEST

START_TEST(tokens_are_expanded_by_the_longest_name)
{
    struct loader *loader = loader_new(arena, &(struct loader_options){.root = root});
    loader->system.lib = "lib64";
    loader->system.platform = NULL;
    ck_assert_str_eq(emulate_expand(arena, loader, "$ORIGIN/../lib", "/a", false), "/a/../lib");
    ck_assert_str_eq(emulate_expand(arena, loader, "x${ORIGIN}y$LIB", "/a", false), "x/aylib64");
    ck_assert_str_eq(emulate_expand(arena, loader, "$ORIGINAL/$LIBRARY", "/a", false), "$ORIGINAL/$LIBRARY");
    ck_assert_str_eq(emulate_expand(arena, loader, "${ORIGIN", "/a", false), "${ORIGIN");
    ck_assert_str_eq(emulate_expand(arena, loader, "$", "/a", false), "$");
    ck_assert_ptr_null(emulate_expand(arena, loader, "/usr/$PLATFORM", "/a", false));
    ck_assert_ptr_null(emulate_expand(arena, loader, "/x/$ORIGIN", "/a", true));
}
END_TEST

START_TEST(lists_keep_order_and_lose_doubles)
{
    struct loader *loader = loader_new(arena, &(struct loader_options){.root = root});
    struct dirs *dirs = emulate_list(arena, loader, "/a//:/b;/a/::/", ":;", NULL, false, true);
    ck_assert_uint_eq(dirs->n, 4);
    ck_assert_str_eq(dirs->v[0]->path, "/a/");
    ck_assert_str_eq(dirs->v[1]->path, "/b/");
    ck_assert_str_eq(dirs->v[2]->path, "");
    ck_assert_str_eq(dirs->v[3]->path, "/");
    ck_assert_ptr_null(emulate_list(arena, loader, "", ":", NULL, false, true));
    mkdir(at("real"), 0755);
    ck_assert_int_eq(symlink("real", at("link")), 0);
    const char *list = arena_printf(arena, "%s:%s:/none", at("link"), at("real"));
    dirs = emulate_list(arena, loader, list, ":", NULL, false, false);
    ck_assert_uint_eq(dirs->n, 1);
    ck_assert_ptr_eq(dirs, emulate_list(arena, loader, at("real//"), ":", NULL, false, false));
}
END_TEST

/* A cache as ldconfig writes it: header, entries from the highest name down, extension, strings. */
struct cache_row {
    const char *name, *path;
    int32_t flags;
    uint64_t hwcap;
};

static void write_cache(const char *path, bool embedded, const struct cache_row *rows, uint32_t count)
{
    struct text text = {.arena = arena}, strings = {.arena = arena};
    uint32_t extension = 48 + count * 24, names = extension + 8 + 16, base = names + 8;
    const uint32_t header[] = {count, 0, 2, extension, 0, 0, 0};
    static const char old[32] = "ld.so-1.7.0\0\1\0\0\0 an entry"; /* one entry of 12 bytes, and padding */
    if (embedded)
        text_bytes(&text, old, sizeof old);
    text_bytes(&text, "glibc-ld.so.cache1.1", 20);
    text_bytes(&text, header, sizeof header);
    const uint32_t table[] = {0xeaa42174, 1, 1, 0, names, 8};
    uint32_t hwcaps[2] = {base, base + 10};
    text_bytes(&strings, "x86-64-v2\0x86-64-v3", 20);
    for (uint32_t i = 0; i < count; i++) {
        struct {
            int32_t flags;
            uint32_t key, value, os;
            uint64_t hwcap;
        } entry = {rows[i].flags, base + (uint32_t)strings.n, 0, 0, rows[i].hwcap};
        text_bytes(&strings, rows[i].name, strlen(rows[i].name) + 1);
        entry.value = base + (uint32_t)strings.n;
        text_bytes(&strings, rows[i].path, strlen(rows[i].path) + 1);
        text_bytes(&text, &entry, 24);
    }
    text_bytes(&text, table, sizeof table);
    text_bytes(&text, hwcaps, sizeof hwcaps);
    text_bytes(&text, strings.s, strings.n);
    write_bytes(path, text.s, text.n);
}

START_TEST(cache_answers_as_the_loader_does)
{
    static const struct cache_row rows[] = {
        {"libz.so.10", "/ten", 0x303, 0},
        {"libz.so.9", "/v3", 0x303, UINT64_C(1) << 62 | 1},
        {"libz.so.9", "/v2", 0x303, UINT64_C(1) << 62},
        {"libz.so.9", "/nine", 0x303, 0},
        {"libcudart.so.12", "/foreign", 0x803, 0},
        {"libcudart.so.12", "/usr/lib/libcudart.so.12", 0x303, 0},
        {"liba.so.1", "/legacy", 0x303, 4},
        {"liba.so.1", "/a", 0x303, 0},
    };
    struct strv none = {0}, v2 = {0}, all = {0};
    struct cache cache;
    strv_add(arena, &v2, "x86-64-v2");
    strv_add(arena, &all, "x86-64-v3");
    strv_add(arena, &all, "x86-64-v2");
    for (int embedded = 0; embedded < 2; embedded++) {
        write_cache(at("cache"), embedded, rows, 8);
        ck_assert(cache_read(arena, at("cache"), EM_X86_64, &none, &cache));
        ck_assert_str_eq(cache_lookup(&cache, "libz.so.10"), "/ten");
        ck_assert_str_eq(cache_lookup(&cache, "libz.so.9"), "/nine");
        ck_assert_str_eq(cache_lookup(&cache, "libcudart.so.12"), "/usr/lib/libcudart.so.12");
        ck_assert_str_eq(cache_lookup(&cache, "liba.so.1"), "/a");
        ck_assert_ptr_null(cache_lookup(&cache, "libz.so.11"));
        ck_assert_ptr_null(cache_lookup(&cache, ""));
        cache.hwcaps = &v2;
        ck_assert_str_eq(cache_lookup(&cache, "libz.so.9"), "/v2");
        cache.hwcaps = &all;
        ck_assert_str_eq(cache_lookup(&cache, "libz.so.9"), "/v3");
    }
    struct str content;
    struct err err;
    ck_assert(file_read(arena, at("cache"), 1 << 20, "cache", &content, &err));
    for (size_t size = 0; size < content.n; size++) {
        write_bytes(at("cut"), content.s, size);
        if (cache_read(arena, at("cut"), EM_X86_64, &all, &cache))
            cache_lookup(&cache, "libz.so.9");
    }
}
END_TEST

/* This process, the system's own libraries: what dlopen finds here. */
START_TEST(system_libraries_are_found_where_dlopen_finds_them)
{
    static const char *const names[] = {"libm.so.6",   "libresolv.so.2", "librt.so.1",
                                        "libanl.so.1", "libnsl.so.1",    "libthread_db.so.1",
                                        "libz.so.1",   "libstdc++.so.6", "libgcc_s.so.1"};
    struct loader_options options = {.executable = "/proc/self/exe", .ld_library_path = getenv("LD_LIBRARY_PATH")};
    struct loader *loader = loader_new(arena, &options);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct resolution resolution;
        struct link_map *map;
        void *handle = dlopen(names[i], RTLD_LAZY);
        loader_dlopen(loader, NULL, names[i], &resolution);
        if (!handle) {
            ck_assert_ptr_null(resolution.path);
            continue;
        }
        ck_assert_int_eq(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
        ck_assert_str_eq(resolution.path, map->l_name);
    }
}
END_TEST

START_TEST(another_root_has_its_own_cache_and_directories)
{
    struct resolution resolution;
    struct loader_options options = {.root = root};
    static const struct cache_row rows[] = {{"libcudart.so.12", "/opt/libcudart.so.12", 0x303, 0}};
    static const struct cache_row rows_arm[] = {{"libcudart.so.12", "/opt/libcudart.so.12", 0xa03, 0}};
    const struct make make = {.soname = "libcudart.so.12"};
    put("usr/lib64/libcudart.so.12", &make);
    loader_dlopen(loader_new(arena, &options), NULL, "libcudart.so.12", &resolution);
    ck_assert_str_eq(resolution.path, at("usr/lib64/libcudart.so.12"));
    ck_assert_int_eq(resolution.via, VIA_DEFAULT);
    put("opt/libcudart.so.12", &make);
    mkdir(at("etc"), 0755);
    write_cache(at("etc/ld.so.cache"), false, MAKE_MACHINE == EM_AARCH64 ? rows_arm : rows, 1);
    loader_dlopen(loader_new(arena, &options), NULL, "libcudart.so.12", &resolution);
    ck_assert_str_eq(resolution.path, at("opt/libcudart.so.12"));
    ck_assert_int_eq(resolution.via, VIA_CACHE);
    const char *asker = put("asker.so", &(struct make){.needed = {"libcudart.so.12"}, .flags_1 = DF_1_NODEFLIB});
    unlink(at("etc/ld.so.cache"));
    ck_assert(loader_resolve(loader_new(arena, &options), asker, "libcudart.so", &resolution));
    ck_assert_ptr_null(resolution.path);
}
END_TEST

START_TEST(steps_tell_the_winner_and_the_losers)
{
    struct resolution resolution;
    const struct make make = {.soname = "libcudart.so.12"};
    put("one/libcudart.so.12", &make);
    put("two/libcudart.so.12", &make);
    const char *asker = put("asker.so", &(struct make){.needed = {"libcudart.so.12"}, .runpath = at("two")});
    struct loader_options options = {.root = root, .ld_library_path = at("none:one")};
    options.ld_library_path = arena_printf(arena, "%s:%s", at("none"), at("one"));
    ck_assert(loader_resolve(loader_new(arena, &options), asker, "libcudart.so", &resolution));
    ck_assert_str_eq(resolution.path, at("one/libcudart.so.12"));
    ck_assert_str_eq(resolution.detail, "LD_LIBRARY_PATH");
    ck_assert_uint_eq(resolution.steps.n, 3);
    ck_assert_str_eq(resolution.steps.v[0].outcome, "no such directory");
    ck_assert_str_eq(resolution.steps.v[1].outcome, "found");
    ck_assert_str_eq(resolution.steps.v[2].candidate, at("two/libcudart.so.12"));
    ck_assert_str_eq(resolution.steps.v[2].outcome, SEARCH_TOO_LATE);
    ck_assert_str_eq(resolution.steps.v[2].origin, asker);
}
END_TEST

START_TEST(preloads_of_packages_win_by_name)
{
    struct resolution resolution;
    struct strv preloads = {0};
    const char *wheel = put("wheel/libcudart.so.12", &(struct make){.soname = "libcudart.so.12"});
    put("lib/libcudart.so.12", &(struct make){.soname = "libcudart.so.12"});
    const char *asker = put("lib/asker.so", &(struct make){.needed = {"libcudart.so.12"}, .rpath = "$ORIGIN"});
    struct loader_options options = {.root = root};
    ck_assert(loader_resolve(loader_new(arena, &options), asker, "libcudart.so", &resolution));
    ck_assert_str_eq(resolution.path, at("lib/libcudart.so.12"));
    strv_add(arena, &preloads, wheel);
    options.preloads = &preloads;
    ck_assert(loader_resolve(loader_new(arena, &options), asker, "libcudart.so", &resolution));
    ck_assert_str_eq(resolution.path, wheel);
    ck_assert_int_eq(resolution.via, VIA_LOADED);
}
END_TEST

START_TEST(what_the_start_has_loaded_is_told_too)
{
    struct resolution resolution;
    put("libcudart.so.12", &(struct make){.soname = "libcudart.so.12"});
    const char *below = put("below.so", &(struct make){.needed = {"libcudart.so.12"}, .rpath = "$ORIGIN"});
    const char *above = put("above.so", &(struct make){.needed = {"below.so", "above.so"}, .rpath = "$ORIGIN"});
    struct loader_options options = {.root = root, .ld_preload = above};
    struct loader *loader = loader_new(arena, &options);
    ck_assert(loader_resolve(loader, above, "libcudart.so", &resolution));
    ck_assert_str_eq(resolution.path, at("libcudart.so.12"));
    ck_assert_str_eq(resolution.consumer, below);
    ck_assert(loader_resolve(loader, below, "libcudart.so", &resolution));
}
END_TEST

START_TEST(missing_library_blocks_the_load)
{
    struct resolution resolution;
    put("libcudart.so.12", &(struct make){.soname = "libcudart.so.12"});
    const char *asker =
        put("asker.so", &(struct make){.needed = {"libmissing.so.3", "libcudart.so.12"}, .rpath = "$ORIGIN"});
    struct loader_options options = {.root = root};
    ck_assert(loader_resolve(loader_new(arena, &options), asker, "libcudart.so", &resolution));
    ck_assert_str_eq(resolution.path, at("libcudart.so.12"));
    ck_assert_ptr_nonnull(strstr(resolution.blocked, "libmissing.so.3"));
    ck_assert(!loader_resolve(loader_new(arena, &options), asker, "libcufft.so", &resolution));
}
END_TEST

/* A program: the running test's file, with another PT_INTERP of the same length at most. */
static const char *program_for(const char *interpreter)
{
    struct str content;
    struct err err;
    ck_assert(file_read(arena, "/proc/self/exe", 256 << 20, "program", &content, &err));
    char *bytes = str_dup(arena, content);
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, bytes + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_INTERP && strlen(interpreter) < segment.p_filesz)
            strcpy(bytes + segment.p_offset, interpreter);
    }
    write_bytes(at("program"), bytes, content.n);
    return at("program");
}

START_TEST(musl_is_said_to_be_unsupported)
{
    struct resolution resolution;
    struct loader_options options = {.executable = program_for("/lib/ld-musl-x.so.1")};
    struct loader *loader = loader_new(arena, &options);
    ck_assert_ptr_nonnull(strstr(loader_unsupported(loader), "musl"));
    loader_dlopen(loader, NULL, "libcudart.so.12", &resolution);
    ck_assert_ptr_null(resolution.path);
    ck_assert_ptr_nonnull(strstr(resolution.detail, "musl"));
}
END_TEST

START_TEST(raised_rights_ignore_the_environment)
{
    struct resolution resolution;
    struct str content;
    struct err err;
    put("llp/libcudart.so.12", &(struct make){.soname = "libcudart.so.12"});
    ck_assert(file_read(arena, "/proc/self/exe", 256 << 20, "program", &content, &err));
    write_bytes(at("program"), content.s, content.n);
    struct loader_options options = {.executable = at("program"), .ld_library_path = at("llp")};
    loader_dlopen(loader_new(arena, &options), NULL, "libcudart.so.12", &resolution);
    ck_assert_str_eq(resolution.path, at("llp/libcudart.so.12"));
    ck_assert_int_eq(chmod(at("program"), 04755), 0);
    loader_dlopen(loader_new(arena, &options), NULL, "libcudart.so.12", &resolution);
    ck_assert(!resolution.path || !path_below(root, resolution.path));
}
END_TEST

static const struct consumer *find_consumer(const struct consumers *consumers, const char *name)
{
    for (size_t i = 0; i < consumers->n; i++)
        if (strcmp(path_basename(consumers->v[i].path), name) == 0)
            return &consumers->v[i];
    return NULL;
}

START_TEST(each_kind_of_consumer_is_found)
{
    static const char message[] = "CUDA driver version is insufficient for CUDA runtime version";
    struct consumers consumers;
    struct err err;
    struct loader_options options = {.root = root};
    const struct make runtime = {.soname = "libcudart.so.12", .version = 12040};
    put("env/lib/libcudart.so.12.4.127", &runtime);
    ck_assert_int_eq(symlink("libcudart.so.12.4.127", at("env/lib/libcudart.so.12")), 0);
    put("env/lib/libcudart-8774224f.so.12", &(struct make){.soname = "libcudart-8774224f.so.12", .version = 12080});
    put("env/lib/direct.so", &(struct make){.needed = {"libcudart.so.12"}, .rpath = "$ORIGIN"});
    put("env/lib/through.so", &(struct make){.needed = {"direct.so"}, .rpath = "$ORIGIN"});
    put("env/lib/bundled.so", &(struct make){.needed = {"libcudart-8774224f.so.12"}, .rpath = "$ORIGIN"});
    put("env/lib/cuda_static.so", &(struct make){.soname = message, .version = 13000});
    put("env/lib/xla_opener.so", &(struct make){.soname = "libcudart.so.12", .rpath = "$ORIGIN"});
    put("env/lib/quiet.so", &(struct make){.needed = {"libc.so.6"}});
    put("env/lib/data.txt", &(struct make){.needed = {"libcudart.so.12"}});
    put("env/pkgs/old.so", &(struct make){.needed = {"libcudart.so.12"}});
    put("env/envs/other/lib/ext.so", &(struct make){.needed = {"libcudart.so.12"}});
    ck_assert_int_eq(symlink("..", at("env/lib/loop")), 0);
    ck_assert(loader_consumers(arena, at("env"), &options, &consumers, &err));
    ck_assert_uint_eq(consumers.n, 5);
    ck_assert_uint_eq(consumers.cudarts.n, 2);
    const struct consumer *direct = find_consumer(&consumers, "direct.so");
    ck_assert_int_eq(direct->kind, CONSUMER_NEEDED);
    ck_assert_str_eq(direct->resolution.path, at("env/lib/libcudart.so.12"));
    ck_assert_str_eq(direct->resolution.real, at("env/lib/libcudart.so.12.4.127"));
    ck_assert_int_eq(direct->release.minor, 4);
    const struct consumer *through = find_consumer(&consumers, "through.so");
    ck_assert_str_eq(through->resolution.consumer, at("env/lib/direct.so"));
    struct resolution resolution;
    ck_assert(loader_resolve(loader_new(arena, &options), through->path, "libcudart.so", &resolution));
    ck_assert_uint_eq(resolution.chain.n, 2);
    ck_assert_str_eq(resolution.chain.v[1], at("env/lib/direct.so"));
    const struct consumer *bundled = find_consumer(&consumers, "bundled.so");
    ck_assert_int_eq(bundled->kind, CONSUMER_BUNDLED);
    ck_assert_int_eq(bundled->release.minor, 8);
    const struct consumer *inside = find_consumer(&consumers, "cuda_static.so");
    ck_assert_int_eq(inside->kind, CONSUMER_STATIC);
    ck_assert_int_eq(inside->release.major, 13);
    const struct consumer *opener = find_consumer(&consumers, "xla_opener.so");
    ck_assert_int_eq(opener->kind, CONSUMER_DLOPEN);
    ck_assert(!loader_consumers(arena, at("nowhere"), &options, &consumers, &err));
}
END_TEST

START_TEST(runtimes_are_told_once_each)
{
    struct cudart_files files = {0};
    struct strv paths = {0};
    strv_add(arena, &paths,
             put("libcudart.so.12.4.127", &(struct make){.soname = "libcudart.so.12", .version = 12040}));
    ck_assert_int_eq(symlink("libcudart.so.12.4.127", at("libcudart.so.12")), 0);
    strv_add(arena, &paths, at("libcudart.so.12"));
    strv_add(arena, &paths, at("missing"));
    strv_add(arena, &paths, put("libcudart.so.11.0", &(struct make){.soname = "libcudart.so.11.0", .version = 11080}));
    loader_cudarts(arena, &paths, &files);
    ck_assert_uint_eq(files.n, 2);
    ck_assert_str_eq(release_text(arena, files.v[0].name_release), "11");
    ck_assert_str_eq(release_text(arena, files.v[0].decoded), "11.8");
    ck_assert_str_eq(release_text(arena, files.v[1].name_release), "12.4.127");
    ck_assert_uint_eq(strlen(files.v[1].sha256), 64);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        equal_keys_are_one_entry,
        elf_fields_are_read,
        constants_are_found_in_known_code_only,
        release_is_decoded_or_refused,
        static_runtime_needs_its_messages,
        tokens_are_expanded_by_the_longest_name,
        lists_keep_order_and_lose_doubles,
        cache_answers_as_the_loader_does,
        system_libraries_are_found_where_dlopen_finds_them,
        another_root_has_its_own_cache_and_directories,
        steps_tell_the_winner_and_the_losers,
        preloads_of_packages_win_by_name,
        what_the_start_has_loaded_is_told_too,
        missing_library_blocks_the_load,
        musl_is_said_to_be_unsupported,
        raised_rights_ignore_the_environment,
        each_kind_of_consumer_is_found,
        runtimes_are_told_once_each,
        NULL,
    };
    Suite *suite = suite_create("loader");
    TCase *tcase = tcase_create("loader");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; tests[i]; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return unit_run(suite);
}
