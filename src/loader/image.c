#include "loader/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DYNAMIC = 64 * 1024, DYNAMIC_AT_ONCE = 64 };

#if defined __aarch64__
enum { HOST_MACHINE = EM_AARCH64 };
#elif defined __x86_64__
enum { HOST_MACHINE = EM_X86_64 };
#elif defined __powerpc64__
enum { HOST_MACHINE = EM_PPC64 };
#else
enum { HOST_MACHINE = EM_NONE };
#endif

uint16_t image_host_machine(void)
{
    return HOST_MACHINE;
}

int image_open(int dir_fd, const char *path, bool follow)
{
    struct stat status;
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW);
    /* Looked at first: to open a device can have effects of its own. */
    if (fstatat(dir_fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return -1;
    }
    return openat(dir_fd, path, flags);
}

bool image_read(const struct image *image, uint64_t offset, void *buffer, size_t size)
{
    if (offset > image->size || size > image->size - offset)
        return false;
    if (offset <= image->head_size && size <= image->head_size - offset) {
        memcpy(buffer, image->head + offset, size);
        return true;
    }
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(image->fd, (char *)buffer + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool image_offset(const struct image *image, uint64_t address, uint64_t *offset, uint64_t *left)
{
    /* A later PT_LOAD is mapped over an earlier one. */
    for (size_t i = image->segment_count; i-- > 0;) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type != PT_LOAD || address < segment->p_vaddr || address - segment->p_vaddr >= segment->p_filesz)
            continue;
        uint64_t into = address - segment->p_vaddr;
        if (segment->p_offset > image->size || into >= image->size - segment->p_offset)
            return false;
        *offset = segment->p_offset + into;
        *left = segment->p_filesz - into;
        if (*left > image->size - *offset)
            *left = image->size - *offset;
        return true;
    }
    return false;
}

bool image_read_at(const struct image *image, uint64_t address, void *buffer, size_t size)
{
    uint64_t offset, left;
    return image_offset(image, address, &offset, &left) && size <= left && image_read(image, offset, buffer, size);
}

static bool refuse(struct image *image, const char *problem)
{
    image->problem = problem;
    return false;
}

static bool pass_over(struct image *image, const char *problem)
{
    image->is_foreign = true;
    return refuse(image, problem);
}

static bool padding_is_zero(const unsigned char *ident)
{
    for (int i = EI_PAD; i < EI_NIDENT; i++)
        if (ident[i])
            return false;
    return true;
}

/* In the order of glibc, because a foreign file is passed over before its later bytes are looked at. */
static bool check_ident(struct image *image)
{
    const unsigned char *ident = image->header.e_ident;
    const unsigned char host_data = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (ident[EI_CLASS] != ELFCLASS64)
        return pass_over(image, ident[EI_CLASS] == ELFCLASS32 ? "32-bit ELF" : "unknown ELF class");
    if (ident[EI_DATA] != host_data)
        return refuse(image, "the byte order is not this machine's");
    if (ident[EI_VERSION] != EV_CURRENT)
        return refuse(image, "ELF file version ident does not match");
    if (ident[EI_OSABI] != ELFOSABI_SYSV && ident[EI_OSABI] != ELFOSABI_GNU)
        return refuse(image, "the ELF file's OS ABI is not valid");
    /* The loader's own limit for GNU files grows with glibc: LIBC_ABI_MAX is 4 or more. */
    if (ident[EI_ABIVERSION] != 0 && (ident[EI_OSABI] != ELFOSABI_GNU || ident[EI_ABIVERSION] > 5))
        return refuse(image, "the ELF file's ABI version is not valid");
    if (!padding_is_zero(ident))
        return refuse(image, "nonzero padding in e_ident");
    return true;
}

static bool check_header(struct image *image, uint16_t machine)
{
    const Elf64_Ehdr *header = &image->header;
    if (!check_ident(image))
        return false;
    if (header->e_version != EV_CURRENT)
        return refuse(image, "the ELF file's version is not the current one");
    if (header->e_machine != machine)
        return pass_over(image, "for another machine");
    if (header->e_type != ET_DYN && header->e_type != ET_EXEC)
        return refuse(image, "neither a shared object nor a program (ET_DYN, ET_EXEC)");
    if (header->e_phentsize != sizeof(Elf64_Phdr))
        return refuse(image, "the size of a program header is not valid");
    return true;
}

/* The loader maps PT_LOAD segments blindly: one beyond the file's end is a SIGBUS later on. */
static bool check_segments(struct image *image)
{
    bool loadable = false;
    for (size_t i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type != PT_LOAD)
            continue;
        loadable = true;
        if (segment->p_filesz > image->size || segment->p_offset > image->size - segment->p_filesz)
            return refuse(image, "a segment lies beyond the end of the file (it is cut short)");
        if (segment->p_align > 1 && ((segment->p_vaddr - segment->p_offset) & (segment->p_align - 1)) != 0)
            return refuse(image, "a segment's address and offset are not aligned alike");
    }
    return loadable || refuse(image, "no loadable segment");
}

bool image_load(struct arena *arena, int fd, uint16_t machine, struct image *image)
{
    struct stat status;
    image->fd = fd;
    image->size = image->head_size = image->segment_count = 0;
    image->segments = NULL;
    image->problem = NULL;
    image->is_elf = image->is_foreign = false;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return refuse(image, "not a regular file");
    image->size = (uint64_t)status.st_size;
    image->device = status.st_dev;
    image->inode = status.st_ino;
    ssize_t got;
    while ((got = pread(fd, image->head, IMAGE_HEAD, 0)) < 0 && errno == EINTR)
        continue;
    if (got < 0)
        return refuse(image, "cannot be read");
    image->head_size = (size_t)got;
    image->is_elf = image->head_size >= SELFMAG && memcmp(image->head, ELFMAG, SELFMAG) == 0;
    if (image->head_size < sizeof image->header)
        return refuse(image, "file too short");
    if (!image->is_elf)
        return refuse(image, "not an ELF file");
    memcpy(&image->header, image->head, sizeof image->header);
    if (!check_header(image, machine))
        return false;
    if (image->header.e_phnum > IMAGE_MOST_SEGMENTS)
        return refuse(image, "more than 1024 program headers, which is beyond what is read here");
    image->segment_count = image->header.e_phnum;
    size_t size = image->segment_count * sizeof(Elf64_Phdr);
    image->segments = arena_alloc(arena, size);
    if (!image_read(image, image->header.e_phoff, image->segments, size)) {
        image->segment_count = 0;
        return refuse(image, "the program headers lie beyond the end of the file");
    }
    return check_segments(image);
}

/* The loader takes the last PT_DYNAMIC, by its address. */
static const Elf64_Phdr *dynamic_segment(const struct image *image)
{
    const Elf64_Phdr *found = NULL;
    for (size_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].p_type == PT_DYNAMIC)
            found = &image->segments[i];
    return found;
}

/* Reads up to DT_NULL, a piece at a time: p_filesz may promise anything. */
static const Elf64_Dyn *read_entries(struct arena *arena, struct image *image, uint64_t offset, size_t most,
                                     size_t *count)
{
    size_t room = most < DYNAMIC_AT_ONCE ? most : DYNAMIC_AT_ONCE, done = 0;
    Elf64_Dyn *entries = arena_alloc(arena, room * sizeof *entries);
    for (;;) {
        if (!image_read(image, offset + done * sizeof *entries, entries + done, (room - done) * sizeof *entries))
            return NULL;
        for (; done < room; done++)
            if (entries[done].d_tag == DT_NULL) {
                *count = done;
                return entries;
            }
        if (done == most)
            return NULL;
        size_t more = room * 2 < most ? room * 2 : most;
        Elf64_Dyn *larger = arena_alloc(arena, more * sizeof *larger);
        memcpy(larger, entries, room * sizeof *larger);
        entries = larger;
        room = more;
    }
}

const Elf64_Dyn *image_dynamic(struct arena *arena, struct image *image, size_t *count)
{
    const Elf64_Phdr *segment = dynamic_segment(image);
    uint64_t offset, left;
    *count = 0;
    if (!segment)
        return NULL;
    if (!image_offset(image, segment->p_vaddr, &offset, &left)) {
        image->problem = "the dynamic section is not in the file";
        return NULL;
    }
    uint64_t most = left / sizeof(Elf64_Dyn);
    bool capped = most > MOST_DYNAMIC;
    const Elf64_Dyn *entries = read_entries(arena, image, offset, capped ? MOST_DYNAMIC : (size_t)most, count);
    if (!entries)
        image->problem = capped ? "more than 65536 entries in the dynamic section, which is beyond what is read here"
                                : "the dynamic section has no end (DT_NULL)";
    return entries;
}
