/* An ELF file open for reading: every read is checked against the file's end, nothing is mapped. */
#ifndef CONDAGPU_LOADER_IMAGE_H
#define CONDAGPU_LOADER_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

enum {
    IMAGE_HEAD = 4096,          /* read at once: it holds the program headers of nearly every file */
    IMAGE_MOST_SEGMENTS = 1024, /* a file with more is refused, and the problem says so */
};

struct image {
    int fd; /* the caller's */
    uint64_t size, device, inode;
    unsigned char head[IMAGE_HEAD];
    size_t head_size;
    bool is_elf;
    bool is_foreign; /* of another class or machine: ld.so passes over such a file and searches on */
    Elf64_Ehdr header;
    Elf64_Phdr *segments;
    size_t segment_count;
    const char *problem; /* why the file cannot be loaded; NULL */
};

/* The e_machine of this program. */
uint16_t image_host_machine(void);

/* Opens a regular file below `dir_fd` (AT_FDCWD) without blocking and without taking a terminal; -1 with errno, EISDIR
 * for a directory and EINVAL for what is neither file nor directory. `follow` is false in a walk. */
int image_open(int dir_fd, const char *path, bool follow);
/* Reads headers and program headers and checks them as open_verify() of glibc's elf/dl-load.c does, for `machine`.
 * False with `problem`. */
bool image_load(struct arena *arena, int fd, uint16_t machine, struct image *image);

/* Exactly `size` bytes at a file offset. */
bool image_read(const struct image *image, uint64_t offset, void *buffer, size_t size);
/* Exactly `size` bytes at a virtual address, which must lie in the file part of one PT_LOAD. */
bool image_read_at(const struct image *image, uint64_t address, void *buffer, size_t size);
/* The file offset of an address and how many bytes of the segment follow; false when no PT_LOAD holds it in the file.
 */
bool image_offset(const struct image *image, uint64_t address, uint64_t *offset, uint64_t *left);

/* The entries of the dynamic section; NULL with count 0 when there is none. Sets image->problem when there should be.
 */
const Elf64_Dyn *image_dynamic(struct arena *arena, struct image *image, size_t *count);

#endif
