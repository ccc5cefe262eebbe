/* SPDX-License-Identifier: GPL-2.0-or-later

   The assembler of recorded.c for AArch64.  Return addresses are signed where the
   processor can do that: elsewhere these instructions do nothing.  */

#define REGISTERS 33
#define STACK_POINTER 31
#define TRAP __asm__ volatile(".inst 0" ::: "memory")

static inline void take_registers(const mcontext_t* context, uint64_t* registers)
{
   for (unsigned i = 0; i < 31; i++)
      registers[i] = context->regs[i];
   registers[31] = context->sp;
   registers[32] = context->pc;
}

static inline void skip_trap(mcontext_t* context) { context->pc += 4; }

static inline __attribute__((always_inline)) long
call_kernel(long number, long a_, long b_, long c_, long d_)
{
   register long call __asm__("x8") = number;
   register long a __asm__("x0") = a_;
   register long b __asm__("x1") = b_;
   register long c __asm__("x2") = c_;
   register long d __asm__("x3") = d_;
   __asm__ volatile("svc #0"
                    : "+r"(a)
                    : "r"(call), "r"(b), "r"(c), "r"(d)
                    : "memory", "cc");
   return a;
}

#define FUNCTION(name, ...)                                                              \
   __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", %function\n" #name     \
           ":\n" __VA_ARGS__ "\n.size " #name ", . - " #name "\n")
#define WITH_RULES(...) ".cfi_startproc\n" __VA_ARGS__ "\n.cfi_endproc"
#define SIGN "hint #25\n.cfi_negate_ra_state\n"
#define AUTHENTICATE "hint #29\n.cfi_negate_ra_state\n"
#define TRAPS ".inst 0\n"

FUNCTION(_start, WITH_RULES(".cfi_undefined x30\n"
                            "mov x29, xzr\nmov x30, xzr\n"
                            "mov x0, sp\nadrp x1, stack_begin\n"
                            "str x0, [x1, :lo12:stack_begin]\n"
                            "bl first\n.inst 0"));

FUNCTION(with_frame,
         WITH_RULES(TRAPS SIGN TRAPS "stp x29, x30, [sp, -32]!\n"
                                     ".cfi_def_cfa_offset 32\n"
                                     ".cfi_offset x29, -32\n.cfi_offset x30, -24\n" TRAPS
                                     "mov x29, sp\n" TRAPS "ldp x29, x30, [sp], 32\n"
                                     ".cfi_restore x30\n.cfi_restore x29\n"
                                     ".cfi_def_cfa_offset 0\n" TRAPS AUTHENTICATE TRAPS
                                     "ret"));

FUNCTION(link_elsewhere,
         WITH_RULES("mov x9, x30\n.cfi_register x30, x9\nmov x30, xzr\n" TRAPS "ret x9"));

/* It has a frame of the usual form, as code has that is made at run time.  */
FUNCTION(without_rules, "stp x29, x30, [sp, -32]!\nmov x29, sp\n"
                        "mov x1, x0\nmov w0, 3\nblr x1\n"
                        "ldp x29, x30, [sp], 32\nret");

FUNCTION(raise_in_leaf, WITH_RULES("mov x1, 10\nmov x8, 129\nsvc #0\nret"));

FUNCTION(raise_in_signed,
         WITH_RULES(SIGN "mov x1, 10\nmov x8, 129\nsvc #0\n" AUTHENTICATE "ret"));

/* The kernel jumps here: with branch protection BTI has to be first.  */
FUNCTION(entered_handler, WITH_RULES("hint #34\n" TRAPS "ret"));

FUNCTION(returning, "mov x8, 139\nsvc #0");
