/* SPDX-License-Identifier: GPL-2.0-or-later

   The assembler of recorded.c for x86-64.  */

#define REGISTERS 17
#define STACK_POINTER 7
#define TRAP __asm__ volatile("ud2" ::: "memory")

static inline void take_registers(const mcontext_t* context, uint64_t* registers)
{
   static const int order[REGISTERS] = {
      REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
      REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
   for (unsigned i = 0; i < REGISTERS; i++)
      registers[i] = (uint64_t)context->gregs[order[i]];
}

static inline void skip_trap(mcontext_t* context) { context->gregs[REG_RIP] += 2; }

static inline __attribute__((always_inline)) long
call_kernel(long number, long a, long b, long c, long d)
{
   long result;
   register long fourth __asm__("r10") = d;
   __asm__ volatile("syscall"
                    : "=a"(result)
                    : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                    : "rcx", "r11", "memory");
   return result;
}

#define FUNCTION(name, ...)                                                              \
   __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name     \
           ":\n" __VA_ARGS__ "\n.size " #name ", . - " #name "\n")
#define WITH_RULES(...) ".cfi_startproc\n" __VA_ARGS__ "\n.cfi_endproc"
#define TRAPS "ud2\n"

FUNCTION(_start, WITH_RULES(".cfi_undefined rip\n"
                            "xor %ebp, %ebp\nmov %rsp, stack_begin(%rip)\n"
                            "and $-16, %rsp\ncall first\nud2"));

FUNCTION(with_frame,
         WITH_RULES(TRAPS "push %rbp\n"
                          ".cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n" TRAPS
                          "mov %rsp, %rbp\n" TRAPS "pop %rbp\n"
                          ".cfi_restore rbp\n.cfi_def_cfa_offset 8\n" TRAPS "ret"));

FUNCTION(link_elsewhere,
         WITH_RULES("pop %r8\n.cfi_def_cfa_offset 0\n.cfi_register rip, r8\n" TRAPS
                    "jmp *%r8"));

/* It has a frame of the usual form, as code has that is made at run time.  */
FUNCTION(without_rules, "push %rbp\nmov %rsp, %rbp\n"
                        "mov %rdi, %rax\nmov $3, %edi\ncall *%rax\n"
                        "pop %rbp\nret");

#define RAISE "mov $10, %esi\nmov $62, %eax\nsyscall\nret"
FUNCTION(raise_in_leaf, WITH_RULES(RAISE));
FUNCTION(raise_in_signed, WITH_RULES(RAISE)); /* nothing is signed here */

FUNCTION(entered_handler, WITH_RULES(TRAPS "ret"));

FUNCTION(returning, "mov $15, %rax\nsyscall");
