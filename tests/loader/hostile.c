/* Files that lie: each is read by every reader, and the directory of them all is walked. Nothing may crash, hang or
 * read beyond a buffer (run it under sanitizers), and what is refused is refused for the right reason. */
#include <errno.h>
#include <ftw.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "loader/loader.h"
#include "makeelf.h"
#include "util/path.h"
#include "util/text.h"

static struct arena *arena;
static const char *dir;
static int tests, failures;

static void ok(bool passed, const char *name, const char *detail)
{
    printf("%sok %d - %s\n", passed ? "" : "not ", ++tests, text_printable(arena, str_of(name)));
    if (!passed)
        printf("# %s\n", text_printable(arena, str_of(detail)));
    failures += !passed;
}

static const char *place(const char *name)
{
    return path_join(arena, dir, name);
}

/* Everything that is read of a file. The answer of elf_read is compared: "" for a file that can be loaded. */
static void read_all(const char *path, const char *wanted)
{
    _cleanup_arena_ struct arena *scratch = arena_new();
    struct elf elf;
    const char *how = NULL;
    bool loadable = elf_read(scratch, path, &elf);
    const char *problem = elf.problem ? elf.problem : "";
    cudart_decode(scratch, path, &how);
    cudart_decode_static(scratch, path, &how);
    ok(loadable == !elf.problem && how && (wanted[0] ? strstr(problem, wanted) != NULL : problem[0] == '\0'),
       path_basename(path), arena_printf(arena, "got \"%s\", wanted \"%s\"", problem, wanted));
}

/* Where a patch goes: into the header, a program header, the dynamic section by tag, or the string table. */
enum base { HEADER, SEGMENT, DYNAMIC };

static const struct patch {
    const char *name, *wanted;
    enum base base;
    int64_t which; /* number of the program header, or tag */
    size_t offset, size;
    uint64_t value;
} patches[] = {
    {"class-0.so", "unknown ELF class", HEADER, 0, EI_CLASS, 1, 0},
    {"class-32.so", "32-bit", HEADER, 0, EI_CLASS, 1, ELFCLASS32},
    {"big-endian.so", "byte order", HEADER, 0, EI_DATA, 1, ELFDATA2MSB},
    {"ident-version.so", "version ident", HEADER, 0, EI_VERSION, 1, 0},
    {"osabi.so", "OS ABI", HEADER, 0, EI_OSABI, 1, 255},
    {"abiversion.so", "ABI version", HEADER, 0, EI_ABIVERSION, 1, 9},
    {"padding.so", "padding", HEADER, 0, EI_PAD + 1, 1, 1},
    {"version.so", "version is not the current", HEADER, 0, offsetof(Elf64_Ehdr, e_version), 4, 7},
    {"machine.so", "another machine", HEADER, 0, offsetof(Elf64_Ehdr, e_machine), 2, EM_S390},
    {"rel.so", "neither a shared object", HEADER, 0, offsetof(Elf64_Ehdr, e_type), 2, ET_REL},
    {"core.so", "neither a shared object", HEADER, 0, offsetof(Elf64_Ehdr, e_type), 2, ET_CORE},
    {"phentsize-0.so", "size of a program header", HEADER, 0, offsetof(Elf64_Ehdr, e_phentsize), 2, 0},
    {"phentsize-1.so", "size of a program header", HEADER, 0, offsetof(Elf64_Ehdr, e_phentsize), 2, 1},
    {"phnum-0.so", "no loadable segment", HEADER, 0, offsetof(Elf64_Ehdr, e_phnum), 2, 0},
    {"phnum-many.so", "more than 1024", HEADER, 0, offsetof(Elf64_Ehdr, e_phnum), 2, 0xffff},
    {"phnum-1000.so", "beyond the end", HEADER, 0, offsetof(Elf64_Ehdr, e_phnum), 2, 1000},
    {"phoff-far.so", "beyond the end", HEADER, 0, offsetof(Elf64_Ehdr, e_phoff), 8, 1 << 30},
    {"phoff-max.so", "beyond the end", HEADER, 0, offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX},
    {"phoff-wraps.so", "beyond the end", HEADER, 0, offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX - 100},
    {"shoff.so", "", HEADER, 0, offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_MAX},
    {"shstrndx.so", "", HEADER, 0, offsetof(Elf64_Ehdr, e_shstrndx), 2, 0xffff},
    {"load-offset.so", "cut short", SEGMENT, 0, offsetof(Elf64_Phdr, p_offset), 8, UINT64_C(1) << 50},
    {"load-filesz.so", "cut short", SEGMENT, 1, offsetof(Elf64_Phdr, p_filesz), 8, UINT64_C(1) << 63},
    {"load-filesz-max.so", "cut short", SEGMENT, 1, offsetof(Elf64_Phdr, p_filesz), 8, UINT64_MAX},
    {"load-memsz.so", "", SEGMENT, 1, offsetof(Elf64_Phdr, p_memsz), 8, UINT64_C(1) << 62},
    {"load-address.so", "aligned", SEGMENT, 1, offsetof(Elf64_Phdr, p_vaddr), 8, UINT64_MAX - 7},
    {"dynamic-filesz-0.so", "", SEGMENT, 2, offsetof(Elf64_Phdr, p_filesz), 8, 0},
    {"dynamic-address.so", "not in the file", SEGMENT, 2, offsetof(Elf64_Phdr, p_vaddr), 8, UINT64_MAX},
    {"dynamic-none.so", "no dynamic section", SEGMENT, 2, offsetof(Elf64_Phdr, p_type), 4, PT_NULL},
    {"interp.so", "PT_INTERP", SEGMENT, 3, offsetof(Elf64_Phdr, p_type), 4, PT_INTERP},
    {"note.so", "", SEGMENT, 3, offsetof(Elf64_Phdr, p_type), 4, PT_NOTE},
    {"strtab-0.so", "", DYNAMIC, DT_STRTAB, 8, 8, 0},
    {"strtab-outside.so", "DT_STRTAB", DYNAMIC, DT_STRTAB, 8, 8, 1 << 20},
    {"strtab-max.so", "DT_STRTAB", DYNAMIC, DT_STRTAB, 8, 8, UINT64_MAX},
    {"strsz-0.so", "", DYNAMIC, DT_STRSZ, 8, 8, 0},
    {"strsz-max.so", "", DYNAMIC, DT_STRSZ, 8, 8, UINT64_C(1) << 63},
    {"needed-outside.so", "DT_NEEDED", DYNAMIC, DT_NEEDED, 8, 8, 1 << 20},
    {"needed-max.so", "DT_NEEDED", DYNAMIC, DT_NEEDED, 8, 8, UINT64_MAX},
    {"soname-max.so", "DT_SONAME", DYNAMIC, DT_SONAME, 8, 8, UINT64_MAX - 1},
    {"runpath-max.so", "DT_RUNPATH", DYNAMIC, DT_RUNPATH, 8, 8, UINT64_MAX / 2},
    {"no-end.so", "DT_NULL", DYNAMIC, DT_NULL, 0, 8, DT_DEBUG},
    {"hash-outside.so", "", DYNAMIC, DT_HASH, 8, 8, UINT64_MAX - 3},
    {"symtab-outside.so", "", DYNAMIC, DT_SYMTAB, 8, 8, UINT64_MAX - 3},
    {"gnu-hash.so", "", DYNAMIC, DT_HASH, 0, 8, DT_GNU_HASH},
    {"filter.so", "", DYNAMIC, DT_SYMENT, 0, 8, DT_FILTER},
};

static const struct make sample = {
    .soname = "libsample.so.1", .needed = {"libcudart.so.12", "libother.so"}, .runpath = "$ORIGIN", .version = 12040};

static size_t find_entry(const struct made *made, int64_t tag)
{
    for (size_t i = 0; i < made->dynamic_count; i++) {
        Elf64_Dyn entry;
        memcpy(&entry, made->bytes + made->dynamic + i * sizeof entry, sizeof entry);
        if (entry.d_tag == tag)
            return made->dynamic + i * sizeof entry;
    }
    abort();
}

static void make_patched(void)
{
    static struct made made;
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        const struct patch *patch = &patches[i];
        make_bytes(&sample, &made);
        size_t at = patch->base == HEADER    ? 0
                    : patch->base == SEGMENT ? made.segments + (size_t)patch->which * sizeof(Elf64_Phdr)
                                             : find_entry(&made, patch->which);
        memcpy(made.bytes + at + patch->offset, &patch->value, patch->size);
        write_bytes(place(patch->name), made.bytes, made.size);
        read_all(place(patch->name), patch->wanted);
    }
}

static void make_cut(void)
{
    static struct made made;
    make_bytes(&sample, &made);
    for (size_t size = 0; size < made.size; size += size < 80 ? 1 : 37) {
        const char *path = place(arena_printf(arena, "cut-%zu.so", size));
        struct elf elf;
        const char *how;
        write_bytes(path, made.bytes, size);
        cudart_decode(arena, path, &how);
        cudart_decode_static(arena, path, &how);
        if (elf_read(arena, path, &elf)) {
            ok(false, path, "a file that is cut short was taken");
            return;
        }
    }
    ok(true, "files that are cut short are refused", "");
}

/* A bit turned over, anywhere: no more is asked than to come back. */
static void make_random(void)
{
    static struct made made;
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 3000; i++) {
        const char *path = place("random.so"), *how;
        struct elf elf;
        make_bytes(&sample, &made);
        for (int j = 0; j <= i % 6; j++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            made.bytes[state % made.size] = (unsigned char)(state >> 40);
        }
        write_bytes(path, made.bytes, made.size);
        elf_read(arena, path, &elf);
        cudart_decode(arena, path, &how);
        cudart_decode_static(arena, path, &how);
    }
    ok(true, "3000 files with random bytes are survived", "");
}

/* Long and strange strings. The table of `made` is small, so the lists are made to measure. */
static void make_strings(void)
{
    struct text dollars = {.arena = arena}, many = {.arena = arena};
    for (int i = 0; i < 2000; i++)
        text_add(&dollars, "$%s", i % 3 ? "{" : "ORIGIN");
    for (int i = 0; i < 9000; i++)
        text_add(&many, "%s/d", i ? ":" : "");
    char *name = arena_alloc(arena, 5001);
    memset(name, 'n', 5000);
    const struct {
        const char *name;
        struct make make;
    } rows[] = {
        {"rpath-dollars.so", {.rpath = dollars.s, .needed = {"libcudart.so.12"}}},
        {"rpath-many.so", {.rpath = many.s, .needed = {"libcudart.so.12"}}},
        {"rpath-escapes.so", {.rpath = "/\033[31m\n\"'\\:\302", .needed = {"libcudart.so.12\033]0;x\007"}}},
        {"needed-long.so", {.needed = {name, "libcudart.so.12"}}},
        {"needed-empty.so", {.needed = {"", "libcudart.so.12"}}},
        {"needed-itself.so",
         {.soname = "needed-itself.so", .needed = {"needed-itself.so", "libcudart.so.12"}, .rpath = "$ORIGIN"}},
        {"cycle-a.so", {.needed = {"cycle-b.so"}, .rpath = "$ORIGIN"}},
        {"cycle-b.so", {.needed = {"cycle-a.so", "libcudart.so.12"}, .rpath = "$ORIGIN"}},
        {"origin-deep.so", {.needed = {"$ORIGIN/$ORIGIN/$ORIGIN/$ORIGIN/x.so", "${ORIGIN}", "$", "${"}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_file(place(rows[i].name), &rows[i].make);
        read_all(place(rows[i].name), "");
    }
    for (int i = 0; i < 60; i++)
        make_file(place(arena_printf(arena, "chain-%d.so", i)),
                  &(struct make){.rpath = "$ORIGIN",
                                 .needed = {i == 59 ? "libcudart.so.12" : arena_printf(arena, "chain-%d.so", i + 1)}});
}

static void make_text(void)
{
    static const char lfs[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    static const unsigned char zeros[64 * 1024];
    write_bytes(place("empty.so"), "", 0);
    read_all(place("empty.so"), "too short");
    write_bytes(place("script.so"), "GROUP ( /lib/libc.so.6 )\n", 25);
    read_all(place("script.so"), "too short");
    write_bytes(place("lfs.so"), lfs, sizeof lfs);
    read_all(place("lfs.so"), "not an ELF file");
    write_bytes(place("zeros.so"), zeros, sizeof zeros);
    read_all(place("zeros.so"), "not an ELF file");
    make_file(place("new\nline\377.so"), &sample);
    read_all(place("new\nline\377.so"), "");
}

static void make_special(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    static struct made made;
    int fd;
    bool made_all = mkfifo(place("fifo.so"), 0600) == 0 && symlink("loop.so", place("loop.so")) == 0
                    && symlink("/nonexistent", place("dangling.so")) == 0 && symlink("/dev/zero", place("zero.so")) == 0
                    && symlink("/dev/tty", place("tty.so")) == 0 && mkdir(place("directory.so"), 0700) == 0
                    && symlink(".", place("again")) == 0;
    ok(made_all, "the special files are there", strerror(errno));
    read_all(place("fifo.so"), "not a regular file");
    read_all(place("loop.so"), "symbolic links");
    read_all(place("dangling.so"), "No such file");
    read_all(place("zero.so"), "not a regular file");
    read_all(place("tty.so"), "not a regular file");
    read_all(place("directory.so"), "a directory");
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", place("socket.so"));
    if (fd >= 0 && strlen(place("socket.so")) < sizeof address.sun_path
        && bind(fd, (struct sockaddr *)(void *)&address, sizeof address) == 0)
        read_all(place("socket.so"), "not a regular file");
    if (fd >= 0)
        close(fd);
    make_bytes(&sample, &made);
    write_bytes(place("sparse.so"), made.bytes, made.size);
    if (truncate(place("sparse.so"), (off_t)1 << 40) == 0)
        read_all(place("sparse.so"), "");
    make_file(place("locked.so"), &sample);
    if (chmod(place("locked.so"), 0) == 0 && geteuid() != 0)
        read_all(place("locked.so"), "Permission denied");
}

/* The walk over all of it, with what is in it in the way of others. */
static void walk_all(void)
{
    struct consumers consumers;
    struct err err;
    struct loader_options options = {.ld_library_path = dir, .root = ""};
    bool walked = loader_consumers(arena, dir, &options, &consumers, &err);
    size_t chained = 0, unprintable = 0;
    ok(walked, "the directory is walked", walked ? "" : err.why);
    for (size_t i = 0; walked && i < consumers.n; i++)
        chained += strstr(consumers.v[i].path, "/chain-") != NULL;
    ok(chained == 60, "a chain of 60 objects is followed from each of them", arena_printf(arena, "%zu of 60", chained));
    for (size_t i = 0; walked && i < consumers.problems.n; i++)
        unprintable += !cstr_eq(consumers.problems.v[i], text_printable(arena, str_of(consumers.problems.v[i])));
    ok(unprintable == 0 && consumers.problems.n > 20, "broken files are told in printable lines",
       arena_printf(arena, "%zu of %zu are not", unprintable, consumers.problems.n));
    struct loader *loader = loader_new(arena, &options);
    struct resolution resolution;
    loader_dlopen(loader, NULL, "fifo.so", &resolution);
    ok(resolution.via == VIA_FATAL, "a FIFO in the way stops the loader", loader_via_text(resolution.via));
    loader_dlopen(loader, NULL, "class-32.so", &resolution);
    ok(resolution.via == VIA_NONE, "a 32-bit file is passed over", loader_via_text(resolution.via));
    loader_dlopen(loader, NULL, "lfs.so", &resolution);
    ok(resolution.via == VIA_FATAL && strstr(resolution.detail, "not an ELF file"), "a text file stops the loader",
       resolution.detail);
}

/* What nobody reads to the end: entries and names without number. */
static void make_many(void)
{
    static Elf64_Dyn entries[70000];
    static struct made made;
    struct elf elf;
    make_bytes(&sample, &made);
    size_t at = find_entry(&made, DT_NEEDED);
    memcpy(&entries[0], made.bytes + at, sizeof *entries);
    for (size_t i = 1; i < 70000; i++)
        entries[i] = entries[0];
    Elf64_Phdr segment;
    for (int i = 1; i < 3; i++) {
        size_t header = made.segments + (size_t)i * sizeof segment;
        memcpy(&segment, made.bytes + header, sizeof segment);
        segment.p_filesz = segment.p_memsz = sizeof entries;
        memcpy(made.bytes + header, &segment, sizeof segment);
    }
    const struct {
        size_t count;
        const char *name, *wanted;
    } rows[] = {{69999, "entries-many.so", "more than 65536"}, {60000, "needed-many.so", "more than 4096"}};
    for (size_t i = 0; i < 2; i++) {
        struct text file = {.arena = arena};
        memset(&entries[rows[i].count], 0, (70000 - rows[i].count) * sizeof *entries);
        Elf64_Dyn table = {.d_tag = DT_STRTAB, .d_un.d_ptr = made.strings};
        entries[1] = table;
        text_bytes(&file, made.bytes, made.dynamic);
        text_bytes(&file, entries, sizeof entries);
        write_bytes(place(rows[i].name), file.s, file.n);
        read_all(place(rows[i].name), rows[i].wanted);
        elf_read(arena, place(rows[i].name), &elf);
        ok(elf.needed.n <= 4096, "the list stays short", "");
    }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)walk;
    return type == FTW_DP ? rmdir(path) : unlink(path);
}

int main(void)
{
    const char *temporary = getenv("TMPDIR");
    arena = arena_new();
    char *scratch = arena_printf(arena, "%s/condagpu-hostile-XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
    if (!mkdtemp(scratch)) {
        perror(scratch);
        return 99;
    }
    dir = scratch;
    alarm(300); /* a hang is a failure, not a wait */
    make_patched();
    make_cut();
    make_random();
    make_strings();
    make_text();
    make_special();
    make_many();
    walk_all();
    printf("1..%d\n", tests);
    nftw(dir, remove_one, 32, FTW_DEPTH | FTW_PHYS);
    arena_free(arena);
    return failures != 0;
}
