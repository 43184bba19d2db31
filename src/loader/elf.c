#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "loader/image.h"
#include "loader/loader.h"
#include "util/file.h"
#include "util/path.h"
#include "util/text.h"

enum {
    WINDOW = 8 * 1024,         /* of the string table, read at once */
    MOST_STRING = 1024 * 1024, /* a longer name or path list is refused */
    MOST_NEEDED = 4096,
    MOST_NOTES = 64 * 1024,
};

/* The string table, of which the part that was read last is kept. glibc ignores DT_STRSZ, so only the segment's end
 * counts. */
struct strings {
    struct arena *arena;
    struct image *image;
    uint64_t offset, size; /* in the file */
    char window[WINDOW];
    uint64_t at;
    size_t length;
};

static bool fill_window(struct strings *strings, uint64_t at)
{
    uint64_t left = strings->size - at;
    strings->at = at;
    strings->length = left < WINDOW ? (size_t)left : WINDOW;
    if (image_read(strings->image, strings->offset + at, strings->window, strings->length))
        return true;
    strings->length = 0;
    return false;
}

/* A string that ends outside the window, read in growing pieces. */
static const char *read_long(struct strings *strings, uint64_t at)
{
    uint64_t left = strings->size - at;
    size_t most = left < MOST_STRING ? (size_t)left : MOST_STRING;
    for (size_t length = WINDOW;; length *= 2) {
        if (length > most)
            length = most;
        char *string = arena_alloc(strings->arena, length + 1);
        if (!image_read(strings->image, strings->offset + at, string, length))
            return NULL;
        if (memchr(string, '\0', length))
            return string;
        if (length == most)
            return NULL;
    }
}

static const char *read_string(struct strings *strings, uint64_t at)
{
    if (at >= strings->size)
        return NULL;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (at >= strings->at && at - strings->at < strings->length) {
            const char *start = strings->window + (at - strings->at);
            const char *end = memchr(start, '\0', strings->length - (size_t)(at - strings->at));
            if (end)
                return arena_memdup(strings->arena, start, (size_t)(end - start));
        }
        if (attempt == 0 && !fill_window(strings, at))
            return NULL;
    }
    return read_long(strings, at);
}

/* The tags that hold a string, with what they are called. */
enum { STRING_TAGS = 4 };
static const struct string_tag {
    Elf64_Sxword tag;
    const char *problem;
} string_tags[STRING_TAGS] = {
    {DT_SONAME, "DT_SONAME lies outside the string table or has no end"},
    {DT_RPATH, "DT_RPATH lies outside the string table or has no end"},
    {DT_RUNPATH, "DT_RUNPATH lies outside the string table or has no end"},
    {DT_NEEDED, "a DT_NEEDED lies outside the string table or has no end"},
};

static void store_string(struct arena *arena, struct elf *elf, size_t which, const char *string)
{
    const char **single[] = {&elf->soname, &elf->rpath, &elf->runpath};
    if (!string)
        elf->problem = string_tags[which].problem;
    else if (which < sizeof single / sizeof *single)
        *single[which] = string; /* the last one of its kind counts */
    else if (elf->needed.n < MOST_NEEDED)
        strv_add(arena, &elf->needed, string);
    else
        elf->problem = "more than 4096 DT_NEEDED entries, which is beyond what is read here";
}

static uint64_t lowest_string(const Elf64_Dyn *entries, size_t count)
{
    uint64_t lowest = UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < STRING_TAGS; j++)
            if (entries[i].d_tag == string_tags[j].tag && entries[i].d_un.d_val < lowest)
                lowest = entries[i].d_un.d_val;
    return lowest;
}

static void read_strings(struct arena *arena, struct image *image, const Elf64_Dyn *entries, size_t count,
                         struct elf *elf)
{
    struct strings strings;
    uint64_t table = 0, lowest = lowest_string(entries, count);
    strings.arena = arena;
    strings.image = image;
    strings.at = strings.length = 0;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].d_tag == DT_STRTAB)
            table = entries[i].d_un.d_ptr;
        else if (entries[i].d_tag == DT_FLAGS_1)
            elf->flags_1 = entries[i].d_un.d_val;
        else if (entries[i].d_tag == DT_FILTER || entries[i].d_tag == DT_AUXILIARY)
            elf->is_filter = true;
    }
    if (lowest == UINT64_MAX)
        return;
    if (!image_offset(image, table, &strings.offset, &strings.size)) {
        elf->problem = "the string table (DT_STRTAB) is not in the file";
        return;
    }
    /* They stand close together as a rule: one read that begins with the first. */
    if (lowest < strings.size)
        fill_window(&strings, lowest);
    for (size_t i = 0; i < count && !elf->problem; i++)
        for (size_t j = 0; j < STRING_TAGS; j++)
            if (entries[i].d_tag == string_tags[j].tag)
                store_string(arena, elf, j, read_string(&strings, entries[i].d_un.d_val));
}

static char *hex(struct arena *arena, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(arena, 2 * size + 1);
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return text;
}

static size_t pad4(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* The GNU build-id among the notes of one segment; NULL for none. */
static const char *find_build_id(struct arena *arena, const unsigned char *notes, size_t size)
{
    for (size_t at = 0; size - at >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        if (note.n_namesz > size || note.n_descsz > size)
            return NULL;
        size_t name = pad4(note.n_namesz), descriptor = pad4(note.n_descsz);
        if (name > size - at || note.n_descsz > size - at - name)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0
            && note.n_descsz >= 4 && note.n_descsz <= 64)
            return hex(arena, notes + at + name, note.n_descsz);
        if (descriptor > size - at - name)
            return NULL;
        at += name + descriptor;
    }
    return NULL;
}

static void read_notes(struct arena *arena, const struct image *image, struct elf *elf)
{
    for (size_t i = 0; i < image->segment_count && !elf->build_id; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type != PT_NOTE || segment->p_filesz > MOST_NOTES)
            continue;
        size_t size = (size_t)segment->p_filesz;
        unsigned char *notes = arena_alloc(arena, size + 1);
        if (image_read(image, segment->p_offset, notes, size))
            elf->build_id = find_build_id(arena, notes, size);
    }
}

static void read_interpreter(struct arena *arena, const struct image *image, struct elf *elf)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type != PT_INTERP)
            continue;
        size_t size = segment->p_filesz < 4096 ? (size_t)segment->p_filesz : 0;
        char *path = arena_alloc(arena, size + 1);
        if (size && image_read(image, segment->p_offset, path, size))
            elf->interpreter = path;
        else
            elf->problem = "PT_INTERP is not a path in the file";
    }
}

bool elf_read_fd(struct arena *arena, int fd, const char *path, uint16_t machine, struct elf *elf)
{
    struct image image;
    bool loaded = image_load(arena, fd, machine ? machine : image_host_machine(), &image);
    *elf = (struct elf){.path = path};
    elf->is_elf = image.is_elf;
    elf->size = image.size;
    elf->device = image.device;
    elf->inode = image.inode;
    elf->is_foreign = image.is_foreign;
    elf->problem = image.problem;
    if (image.is_elf && image.head_size >= sizeof image.header) {
        elf->is_64 = image.header.e_ident[EI_CLASS] == ELFCLASS64;
        elf->machine = image.header.e_machine; /* at the same place in both classes */
    }
    if (!loaded)
        return false;
    size_t count;
    const Elf64_Dyn *entries = image_dynamic(arena, &image, &count);
    elf->is_dynamic = entries != NULL;
    elf->problem = image.problem;
    read_interpreter(arena, &image, elf);
    elf->is_executable = image.header.e_type == ET_EXEC || elf->interpreter;
    elf->is_fixed = image.header.e_type == ET_EXEC;
    read_notes(arena, &image, elf);
    if (entries)
        read_strings(arena, &image, entries, count, elf);
    if (!entries && !elf->problem && !elf->is_executable)
        elf->problem = "no dynamic section";
    return !elf->problem;
}

bool elf_read(struct arena *arena, const char *path, struct elf *elf)
{
    _cleanup_fd_ int fd = image_open(AT_FDCWD, path, true);
    if (fd >= 0)
        return elf_read_fd(arena, fd, path, 0, elf);
    *elf = (struct elf){.path = path};
    elf->problem = errno == EISDIR   ? "a directory"
                   : errno == EINVAL ? "not a regular file"
                                     : arena_strdup(arena, strerror(errno));
    return false;
}
