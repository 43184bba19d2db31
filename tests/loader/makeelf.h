/* Writes small shared objects without a compiler: headers, a string table, a symbol or none, a dynamic section. The
 * loader accepts them. */
#ifndef CONDAGPU_TESTS_MAKEELF_H
#define CONDAGPU_TESTS_MAKEELF_H

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAKE_NEEDED = 8, MAKE_SIZE = 64 * 1024, MAKE_PAGE = 64 * 1024 };

#if defined __aarch64__
enum { MAKE_MACHINE = EM_AARCH64 };
#else
enum { MAKE_MACHINE = EM_X86_64 };
#endif

struct make {
    const char *soname, *rpath, *runpath;
    const char *needed[MAKE_NEEDED]; /* NULL behind the last */
    uint64_t flags_1;
    int version;      /* of cudaRuntimeGetVersion; 0: it is not exported */
    uint16_t machine; /* 0: this one */
    bool class_32;    /* only the class byte */
};

/* The file in memory, and where its parts are, so that a test can spoil one. */
struct made {
    unsigned char bytes[MAKE_SIZE];
    size_t size, dynamic, dynamic_count, strings, strings_size, segments;
};

static inline size_t made_add(struct made *made, const void *bytes, size_t size)
{
    size_t at = made->size;
    if (size > sizeof made->bytes - at)
        abort();
    memcpy(made->bytes + at, bytes, size);
    made->size += size;
    return at;
}

static inline void made_align(struct made *made, size_t align)
{
    made->size = (made->size + align - 1) / align * align;
}

static inline size_t made_string(struct made *made, const char *string)
{
    return made_add(made, string, strlen(string) + 1) - made->strings;
}

/* cudaRuntimeGetVersion as NVIDIA's compilers make it: a function that calls the one with the constant. */
static inline size_t made_code(struct made *made, uint16_t machine, int version)
{
    if (machine == EM_AARCH64) {
        const uint32_t code[] = {
            0xb40000c0, 0xaa0003e1, 0x52800002 | (uint32_t)version << 5,
            0x52800000, 0xb9000022, 0xd65f03c0,
            0xd65f03c0, 0xa9bf7bfd, 0x97fffff8,
            0xa8c17bfd, 0xd65f03c0, /* stp; bl; ldp; ret */
        };
        return made_add(made, code, sizeof code) + 28;
    }
    unsigned char code[] = {
        0x48, 0x85, 0xff, 0x74, 0x09, 0xc7, 0x07, 0,    0,    0,    0,    0x31, 0xc0, 0xc3,
        0xb8, 1,    0,    0,    0,    0xc3, 0x90, 0x90, 0xe8, 0xe5, 0xff, 0xff, 0xff, 0xc3, /* call; ret */
    };
    memcpy(code + 7, &version, sizeof version);
    return made_add(made, code, sizeof code) + 22;
}

static inline void made_dynamic(struct made *made, int64_t tag, uint64_t value)
{
    Elf64_Dyn entry = {.d_tag = tag, .d_un.d_val = value};
    made_add(made, &entry, sizeof entry);
    made->dynamic_count++;
}

static inline void make_bytes(const struct make *make, struct made *made)
{
    uint16_t machine = make->machine ? make->machine : MAKE_MACHINE;
    memset(made, 0, sizeof *made);
    made->segments = sizeof(Elf64_Ehdr);
    made->size = sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr);
    made_align(made, 16);
    size_t code = make->version ? made_code(made, machine, make->version) : 0;
    size_t code_size = machine == EM_AARCH64 ? 16 : 6;
    made_align(made, 16);
    const uint32_t hash[] = {1, 2, make->version ? 1 : 0, 0, 0}; /* one bucket, two chain entries */
    size_t hash_at = made_add(made, hash, sizeof hash);
    made_align(made, 16);
    made->strings = made->size;
    made_add(made, "", 1);
    Elf64_Sym symbols[2] = {{0}, {.st_info = STB_GLOBAL << 4 | STT_FUNC, .st_shndx = 1}};
    symbols[1].st_name = (Elf64_Word)made_string(made, "cudaRuntimeGetVersion");
    symbols[1].st_value = code;
    symbols[1].st_size = code_size;
    size_t soname = make->soname ? made_string(made, make->soname) : 0;
    size_t rpath = make->rpath ? made_string(made, make->rpath) : 0;
    size_t runpath = make->runpath ? made_string(made, make->runpath) : 0;
    size_t needed[MAKE_NEEDED], needed_count = 0;
    for (; needed_count < MAKE_NEEDED && make->needed[needed_count]; needed_count++)
        needed[needed_count] = made_string(made, make->needed[needed_count]);
    made->strings_size = made->size - made->strings;
    made_align(made, 16);
    size_t symbols_at = made_add(made, symbols, make->version ? sizeof symbols : sizeof symbols[0]);
    if (!make->version)
        made_add(made, &symbols[0], sizeof symbols[0]);
    size_t text_end = made->size;
    made_align(made, 16);
    made->dynamic = made->size;
    for (size_t i = 0; i < needed_count; i++)
        made_dynamic(made, DT_NEEDED, needed[i]);
    if (make->soname)
        made_dynamic(made, DT_SONAME, soname);
    if (make->rpath)
        made_dynamic(made, DT_RPATH, rpath);
    if (make->runpath)
        made_dynamic(made, DT_RUNPATH, runpath);
    if (make->flags_1)
        made_dynamic(made, DT_FLAGS_1, make->flags_1);
    made_dynamic(made, DT_HASH, hash_at);
    made_dynamic(made, DT_STRTAB, made->strings);
    made_dynamic(made, DT_STRSZ, made->strings_size);
    made_dynamic(made, DT_SYMTAB, symbols_at);
    made_dynamic(made, DT_SYMENT, sizeof(Elf64_Sym));
    made_dynamic(made, DT_NULL, 0);
    size_t dynamic_size = made->size - made->dynamic;
    const Elf64_Phdr segments[] = {
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = text_end, .p_memsz = text_end, .p_align = MAKE_PAGE},
        {.p_type = PT_LOAD,
         .p_flags = PF_R | PF_W,
         .p_offset = made->dynamic,
         .p_vaddr = made->dynamic + MAKE_PAGE,
         .p_paddr = made->dynamic + MAKE_PAGE,
         .p_filesz = dynamic_size,
         .p_memsz = dynamic_size,
         .p_align = MAKE_PAGE},
        {.p_type = PT_DYNAMIC,
         .p_flags = PF_R | PF_W,
         .p_offset = made->dynamic,
         .p_vaddr = made->dynamic + MAKE_PAGE,
         .p_paddr = made->dynamic + MAKE_PAGE,
         .p_filesz = dynamic_size,
         .p_memsz = dynamic_size,
         .p_align = 8},
        {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16},
    };
    const Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', make->class_32 ? ELFCLASS32 : ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = machine,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof header,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 4,
    };
    memcpy(made->bytes, &header, sizeof header);
    memcpy(made->bytes + sizeof header, segments, sizeof segments);
}

static inline void write_bytes(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) {
        perror(path);
        exit(99);
    }
    close(fd);
}

static inline void make_file(const char *path, const struct make *make)
{
    static struct made made;
    make_bytes(make, &made);
    write_bytes(path, made.bytes, made.size);
}

#endif
