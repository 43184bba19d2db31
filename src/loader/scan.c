#include "loader/scan.h"

#include <string.h>

#include "util/str.h"

enum { PIECE = 256 * 1024, MOST_SECTIONS = 16 * 1024, MOST_NAMES = 1024 * 1024 };

/* Section headers and their names; count 0 when the file has none that can be read. */
struct sections {
    const Elf64_Shdr *v;
    size_t n;
    const char *names;
    size_t names_size;
};

static void read_sections(struct arena *arena, const struct image *image, struct sections *sections)
{
    const Elf64_Ehdr *header = &image->header;
    *sections = (struct sections){0};
    if (header->e_shoff == 0 || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum > MOST_SECTIONS
        || header->e_shstrndx >= header->e_shnum)
        return;
    size_t size = header->e_shnum * sizeof(Elf64_Shdr);
    Elf64_Shdr *all = arena_alloc(arena, size);
    if (!image_read(image, header->e_shoff, all, size))
        return;
    const Elf64_Shdr *names = &all[header->e_shstrndx];
    if (names->sh_size == 0 || names->sh_size > MOST_NAMES)
        return;
    char *text = arena_alloc(arena, (size_t)names->sh_size + 1);
    if (!image_read(image, names->sh_offset, text, (size_t)names->sh_size))
        return;
    *sections = (struct sections){all, header->e_shnum, text, (size_t)names->sh_size};
}

static const char *section_name(const struct sections *sections, size_t index)
{
    uint32_t name = sections->v[index].sh_name;
    return name < sections->names_size ? sections->names + name : "";
}

bool scan_has_gpu_code(struct arena *arena, const struct image *image)
{
    struct sections sections;
    read_sections(arena, image, &sections);
    for (size_t i = 0; i < sections.n; i++) {
        const char *name = section_name(&sections, i);
        if (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, ".nvFatBinSegment") == 0)
            return true;
    }
    return false;
}

struct search {
    const struct image *image;
    unsigned char *piece;
    struct str start; /* n 0: any place */
    size_t step;
    bool (*found)(void *context, const unsigned char *bytes, size_t size);
    void *context;
};

/* The places in one piece before `end`; false when the search is over. */
static bool search_piece(const struct search *search, size_t end, size_t size)
{
    const unsigned char *piece = search->piece;
    for (size_t at = 0; at < end; at += search->step) {
        if (search->start.n) {
            const unsigned char *next = memmem(piece + at, size - at, search->start.s, search->start.n);
            if (!next || (size_t)(next - piece) >= end)
                return true;
            at = (size_t)(next - piece);
        }
        if (!search->found(search->context, piece + at, size - at))
            return false;
    }
    return true;
}

static bool search_range(const struct search *search, uint64_t offset, uint64_t left)
{
    const struct image *image = search->image;
    if (offset > image->size)
        return true;
    if (left > image->size - offset)
        left = image->size - offset;
    while (left) {
        size_t size = left < PIECE ? (size_t)left : PIECE;
        size_t end = size < left ? size - SCAN_BEHIND : size;
        if (!image_read(image, offset, search->piece, size))
            return true;
        if (!search_piece(search, end, size))
            return false;
        offset += end;
        left -= end;
    }
    return true;
}

static bool section_matches(const struct sections *sections, size_t index, enum scan_part part)
{
    const Elf64_Shdr *section = &sections->v[index];
    if (section->sh_type != SHT_PROGBITS || !(section->sh_flags & SHF_ALLOC))
        return false;
    if (part == SCAN_CODE)
        return section->sh_flags & SHF_EXECINSTR;
    return !(section->sh_flags & (SHF_WRITE | SHF_EXECINSTR))
           && str_starts(str_of(section_name(sections, index)), ".rodata");
}

static bool segment_matches(const Elf64_Phdr *segment, enum scan_part part)
{
    if (segment->p_type != PT_LOAD)
        return false;
    return part == SCAN_CODE ? segment->p_flags & PF_X : !(segment->p_flags & PF_W);
}

void scan_bytes(struct arena *arena, const struct image *image, enum scan_part part, const char *start, size_t step,
                bool (*found)(void *context, const unsigned char *bytes, size_t size), void *context)
{
    struct sections sections;
    struct search search = {image, arena_alloc(arena, PIECE), str_of(start), step, found, context};
    size_t matched = 0;
    read_sections(arena, image, &sections);
    for (size_t i = 0; i < sections.n; i++) {
        if (!section_matches(&sections, i, part))
            continue;
        matched++;
        if (!search_range(&search, sections.v[i].sh_offset, sections.v[i].sh_size))
            return;
    }
    for (size_t i = 0; matched == 0 && i < image->segment_count; i++)
        if (segment_matches(&image->segments[i], part)
            && !search_range(&search, image->segments[i].p_offset, image->segments[i].p_filesz))
            return;
}

struct names {
    struct arena *arena;
    struct strv *list;
};

/* "libcudart.so" with a version of digits and dots and a NUL behind it. */
static bool note_name(void *context, const unsigned char *bytes, size_t size)
{
    struct names *names = context;
    const size_t stem = sizeof "libcudart.so." - 1;
    size_t end = stem;
    while (end < size && end < stem + 16 && ((bytes[end] >= '0' && bytes[end] <= '9') || bytes[end] == '.'))
        end++;
    if (end == stem || end == size || bytes[end] != '\0')
        return true;
    const char *name = str_dup(names->arena, (struct str){(const char *)bytes, end});
    if (strv_find(names->list, name) == names->list->n)
        strv_add(names->arena, names->list, name);
    return names->list->n < 16;
}

void scan_cudart_names(struct arena *arena, const struct image *image, struct strv *names)
{
    struct names context = {arena, names};
    scan_bytes(arena, image, SCAN_CONSTANTS, "libcudart.so.", 1, note_name, &context);
    strv_sort(names);
}
