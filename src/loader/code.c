#include "loader/code.h"

#include <elf.h>
#include <string.h>

static uint32_t load32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* The bytes at *code, taken if they are `wanted`. */
static bool take(const unsigned char **code, const unsigned char *end, const char *wanted, size_t size)
{
    if ((size_t)(end - *code) < size || memcmp(*code, wanted, size) != 0)
        return false;
    *code += size;
    return true;
}

static bool skip(const unsigned char **code, const unsigned char *end, size_t size)
{
    if ((size_t)(end - *code) < size)
        return false;
    *code += size;
    return true;
}

#define TAKE(bytes) take(&code, end, bytes, sizeof(bytes) - 1)

/* [endbr64] [push rbp; mov rbp,rsp] test rdi,rdi; je near or far; mov dword [rdi],imm32; xor eax,eax or mov eax,0;
 * [pop rbp] ret */
static bool x86_64_stores_constant(const unsigned char *code, size_t size, uint32_t *constant)
{
    const unsigned char *end = code + size;
    TAKE("\xf3\x0f\x1e\xfa");
    TAKE("\x55\x48\x89\xe5");
    if (!TAKE("\x48\x85\xff"))
        return false;
    if (!(TAKE("\x74") && skip(&code, end, 1)) && !(TAKE("\x0f\x84") && skip(&code, end, 4)))
        return false;
    if (!TAKE("\xc7\x07") || end - code < 4)
        return false;
    *constant = load32(code);
    code += 4;
    if (!TAKE("\x31\xc0") && !TAKE("\xb8\0\0\0\0"))
        return false;
    TAKE("\x5d");
    TAKE("\xf3"); /* rep ret */
    return TAKE("\xc3");
}

static bool x86_64_calls(const unsigned char *code, size_t size, int64_t *target)
{
    if (size < 5 || code[0] != 0xe8)
        return false;
    *target = (int64_t)(int32_t)load32(code + 1) + 5;
    return true;
}

/* What is known of the registers on the way through a function. */
struct registers {
    bool known[32], is_argument[32];
    uint32_t value[32];
    bool tested, stored;
    uint32_t constant;
};

/* One instruction; false for one that has no place in such a function. */
static bool aarch64_step(struct registers *registers, uint32_t word)
{
    unsigned target = word & 31, base = word >> 5 & 31;
    uint32_t immediate = word >> 5 & 0xffff;
    if (word == 0xd503245f || word == 0xd503233f || word == 0xd503201f) /* bti c, paciasp, nop */
        return true;
    if ((word & 0xff000000) == 0xb4000000 && registers->is_argument[target]) /* cbz x */
        return registers->tested = true;
    if ((word & 0xffffffe0) == 0xaa0003e0 && target != 31) { /* mov xT, x0 */
        registers->is_argument[target] = registers->is_argument[0];
        registers->known[target] = false;
        return true;
    }
    if ((word & 0xffc00000) == 0x52800000 || (word & 0xffc00000) == 0x72800000) { /* movz, movk wT */
        bool keeps = word >> 29 & 1;
        unsigned shift = (word >> 21 & 1) * 16;
        if (target == 31 || (keeps && !registers->known[target]))
            return false;
        uint32_t kept = keeps ? registers->value[target] & ~(UINT32_C(0xffff) << shift) : 0;
        registers->value[target] = kept | immediate << shift;
        registers->known[target] = true;
        registers->is_argument[target] = false;
        return true;
    }
    if ((word & 0xfffffc00) == 0xb9000000 && registers->is_argument[base] && registers->known[target]
        && !registers->stored) { /* str wT, [xB] */
        registers->constant = registers->value[target];
        return registers->stored = true;
    }
    return false;
}

static bool aarch64_stores_constant(const unsigned char *code, size_t size, uint32_t *constant)
{
    struct registers registers = {.is_argument = {true}};
    for (size_t at = 0; at + 4 <= size; at += 4) {
        uint32_t word = load32(code + at);
        if (word == 0xd65f03c0) { /* ret */
            *constant = registers.constant;
            return registers.tested && registers.stored && registers.known[0] && registers.value[0] == 0;
        }
        if (!aarch64_step(&registers, word))
            return false;
    }
    return false;
}

static bool aarch64_calls(const unsigned char *code, size_t size, int64_t *target)
{
    uint32_t word = size < 4 ? 0 : load32(code);
    if ((word & 0xfc000000) != 0x94000000) /* bl */
        return false;
    int64_t words = word & 0x03ffffff;
    *target = (words >= 0x02000000 ? words - 0x04000000 : words) * 4;
    return true;
}

static const struct code codes[] = {
    {EM_X86_64, 1, "\x48\x85\xff", x86_64_stores_constant, x86_64_calls},
    {EM_AARCH64, 4, NULL, aarch64_stores_constant, aarch64_calls},
};

const struct code *code_for(uint16_t machine)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].machine == machine)
            return &codes[i];
    return NULL;
}
