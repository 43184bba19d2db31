#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "loader/code.h"
#include "loader/image.h"
#include "loader/loader.h"
#include "loader/scan.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum {
    MOST_SYMBOLS = 1024 * 1024, /* looked at in a chain of the hash table */
    MOST_FUNCTION = 16 * 1024,  /* bytes of cudaRuntimeGetVersion */
    LONGEST_NAME = 64,
};

/* Where the dynamic section says that the symbols are. */
struct symbols {
    const struct image *image;
    uint64_t table, strings, gnu_hash, hash; /* addresses; 0 for none */
};

static void find_symbols(const struct image *image, const Elf64_Dyn *entries, size_t count, struct symbols *symbols)
{
    *symbols = (struct symbols){.image = image};
    for (size_t i = 0; i < count; i++) {
        uint64_t address = entries[i].d_un.d_ptr;
        switch (entries[i].d_tag) {
        case DT_SYMTAB:
            symbols->table = address;
            break;
        case DT_STRTAB:
            symbols->strings = address;
            break;
        case DT_GNU_HASH:
            symbols->gnu_hash = address;
            break;
        case DT_HASH:
            symbols->hash = address;
            break;
        }
    }
}

static bool is_named(const struct symbols *symbols, uint64_t index, const char *name, Elf64_Sym *symbol)
{
    char text[LONGEST_NAME];
    size_t size = strlen(name) + 1;
    return size <= sizeof text && index <= UINT32_MAX
           && image_read_at(symbols->image, symbols->table + index * sizeof *symbol, symbol, sizeof *symbol)
           && symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC
           && image_read_at(symbols->image, symbols->strings + symbol->st_name, text, size)
           && memcmp(text, name, size) == 0;
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static bool find_by_gnu_hash(const struct symbols *symbols, const char *name, Elf64_Sym *symbol)
{
    const struct image *image = symbols->image;
    uint32_t header[4], index, link, hash = gnu_hash(name); /* buckets, first symbol, Bloom words, shift */
    if (!image_read_at(image, symbols->gnu_hash, header, sizeof header) || header[0] == 0)
        return false;
    uint64_t buckets = symbols->gnu_hash + sizeof header + (uint64_t)header[2] * 8;
    uint64_t chains = buckets + (uint64_t)header[0] * 4;
    if (!image_read_at(image, buckets + (uint64_t)(hash % header[0]) * 4, &index, sizeof index) || index < header[1])
        return false;
    for (size_t i = 0; i < MOST_SYMBOLS; i++, index++) {
        if (!image_read_at(image, chains + (uint64_t)(index - header[1]) * 4, &link, sizeof link))
            return false;
        if ((link | 1) == (hash | 1) && is_named(symbols, index, name, symbol))
            return true;
        if (link & 1)
            return false;
    }
    return false;
}

static uint32_t sysv_hash(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    return hash;
}

static bool find_by_hash(const struct symbols *symbols, const char *name, Elf64_Sym *symbol)
{
    const struct image *image = symbols->image;
    uint32_t header[2], index; /* buckets, chains */
    if (!image_read_at(image, symbols->hash, header, sizeof header) || header[0] == 0)
        return false;
    uint64_t buckets = symbols->hash + sizeof header, chains = buckets + (uint64_t)header[0] * 4;
    uint64_t next = buckets + (uint64_t)(sysv_hash(name) % header[0]) * 4;
    for (size_t i = 0; i < MOST_SYMBOLS; i++) {
        if (!image_read_at(image, next, &index, sizeof index) || index == 0)
            return false;
        if (is_named(symbols, index, name, symbol))
            return true;
        next = chains + (uint64_t)index * 4;
    }
    return false;
}

/* A release as CUDA writes it: 1000 * major + 10 * minor. */
static bool is_release(uint32_t constant)
{
    return constant >= 5000 && constant < 100000 && constant % 10 == 0 && constant % 1000 < 500;
}

static bool constant_of_callee(const struct image *image, const struct code *code, uint64_t address, uint32_t *constant)
{
    unsigned char callee[CODE_LONGEST];
    uint64_t offset, left;
    if (!image_offset(image, address, &offset, &left))
        return false;
    size_t size = left < sizeof callee ? (size_t)left : sizeof callee;
    return image_read(image, offset, callee, size) && code->stores_constant(callee, size, constant)
           && is_release(*constant);
}

static bool disagree(const char **how)
{
    *how = "cudaRuntimeGetVersion leads to several constants";
    return false;
}

/* The function itself may hold the constant, or call the one that does. */
static bool constant_of(struct arena *arena, const struct image *image, const struct code *code,
                        const Elf64_Sym *symbol, uint32_t *constant, const char **how)
{
    size_t size = symbol->st_size < MOST_FUNCTION ? (size_t)symbol->st_size : MOST_FUNCTION;
    unsigned char *body = arena_alloc(arena, size + 1);
    uint32_t value;
    *constant = 0;
    if (size == 0 || !image_read_at(image, symbol->st_value, body, size)) {
        *how = "the code of cudaRuntimeGetVersion is not in the file";
        return false;
    }
    if (code->stores_constant(body, size, &value) && is_release(value))
        *constant = value;
    for (size_t at = 0; at < size; at += code->step) {
        int64_t target;
        if (!code->calls(body + at, size - at, &target)
            || !constant_of_callee(image, code, symbol->st_value + at + (uint64_t)target, &value))
            continue;
        if (*constant && *constant != value)
            return disagree(how);
        *constant = value;
    }
    if (*constant)
        return true;
    *how = "cudaRuntimeGetVersion does not look as in any known release";
    return false;
}

/* "libcudart.so.12", "libcudart-8774224f.so.12": the major number behind ".so.", or -1. */
static int soname_major(const char *soname)
{
    const char *end = soname ? strstr(soname, ".so.") : NULL;
    return end && end[4] >= '0' && end[4] <= '9' ? atoi(end + 4) : -1;
}

static struct release decode(struct arena *arena, struct image *image, const char *soname, const char **how)
{
    const struct code *code = code_for(image->header.e_machine);
    struct symbols symbols;
    Elf64_Sym symbol;
    uint32_t constant;
    size_t count;
    if (!code) {
        *how = "the code of this machine cannot be read";
        return RELEASE_NONE;
    }
    const Elf64_Dyn *entries = image_dynamic(arena, image, &count);
    find_symbols(image, entries, count, &symbols);
    if (!(symbols.gnu_hash && find_by_gnu_hash(&symbols, "cudaRuntimeGetVersion", &symbol))
        && !(symbols.hash && find_by_hash(&symbols, "cudaRuntimeGetVersion", &symbol))) {
        *how = "it does not export cudaRuntimeGetVersion";
        return RELEASE_NONE;
    }
    if (!constant_of(arena, image, code, &symbol, &constant, how))
        return RELEASE_NONE;
    struct release release = release_from_int((int)constant);
    int major = soname_major(soname);
    if (major >= 0 && major != release.major) {
        *how = arena_printf(arena, "cudaRuntimeGetVersion says %s, and the soname %s", release_text(arena, release),
                            text_printable(arena, str_of(soname)));
        return RELEASE_NONE;
    }
    *how = "decoded from cudaRuntimeGetVersion";
    return release;
}

/* A libcudart of another machine can be decoded as well, so each is tried. */
static bool load_any_machine(struct arena *arena, int fd, struct image *image)
{
    if (image_load(arena, fd, image_host_machine(), image))
        return true;
    uint16_t machine = image->header.e_machine;
    return image->is_foreign && image->header.e_ident[EI_CLASS] == ELFCLASS64 && code_for(machine)
           && image_load(arena, fd, machine, image);
}

static bool open_runtime(struct arena *arena, const char *path, int *fd, struct image *image, const char **how)
{
    *fd = image_open(AT_FDCWD, path, true);
    if (*fd < 0) {
        *how = "the file cannot be read";
        return false;
    }
    if (load_any_machine(arena, *fd, image))
        return true;
    *how = image->problem;
    return false;
}

struct release cudart_decode(struct arena *arena, const char *path, const char **how)
{
    _cleanup_fd_ int fd = -1;
    struct image image;
    struct elf elf;
    if (!open_runtime(arena, path, &fd, &image, how))
        return RELEASE_NONE;
    if (!elf_read_fd(arena, fd, path, image.header.e_machine, &elf)) {
        *how = elf.problem;
        return RELEASE_NONE;
    }
    return decode(arena, &image, elf.soname, how);
}

/* The constants found in the code of a file with a static runtime. */
struct constants {
    const struct code *code;
    uint32_t constant;
    bool several;
};

static bool note_constant(void *context, const unsigned char *bytes, size_t size)
{
    struct constants *constants = context;
    uint32_t value;
    if (!constants->code->stores_constant(bytes, size, &value) || !is_release(value))
        return true;
    constants->several |= constants->constant && constants->constant != value;
    constants->constant = value;
    return true;
}

static bool note_message(void *context, const unsigned char *bytes, size_t size)
{
    static const char message[] = "CUDA driver version is insufficient for CUDA runtime version";
    bool *found = context;
    *found = size >= sizeof message && memcmp(bytes, message, sizeof message) == 0;
    return !*found;
}

bool cudart_has_messages(struct arena *arena, const struct image *image)
{
    bool found = false;
    scan_bytes(arena, image, SCAN_CONSTANTS, "CUDA driver ", 1, note_message, &found);
    return found;
}

struct release cudart_static_release(struct arena *arena, const struct image *image, const char **how)
{
    struct constants constants = {.code = code_for(image->header.e_machine)};
    *how = "there is no CUDA runtime in it";
    if (!cudart_has_messages(arena, image))
        return RELEASE_NONE;
    *how = "the code of this machine cannot be read";
    if (!constants.code)
        return RELEASE_NONE;
    scan_bytes(arena, image, SCAN_CODE, constants.code->start, constants.code->step, note_constant, &constants);
    if (constants.several) {
        *how = "the code holds several constants that could be the release";
        return RELEASE_NONE;
    }
    *how = constants.constant ? "decoded from the static runtime inside"
                              : "the static runtime inside does not look as in any known release";
    return constants.constant ? release_from_int((int)constants.constant) : RELEASE_NONE;
}

struct release cudart_decode_static(struct arena *arena, const char *path, const char **how)
{
    _cleanup_fd_ int fd = -1;
    struct image image;
    if (!open_runtime(arena, path, &fd, &image, how))
        return RELEASE_NONE;
    return cudart_static_release(arena, &image, how);
}
