# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes functions in which an instruction traps or faults, and the handler that lets the
# program go on elsewhere, by the registers that sigreturn restores.
#
# Owns: the ways on, which handler and trapping functions agree upon by `way`.  The
# functions that trap are assembler, so their callers count them.  What the handler makes
# of a trap has arcs as if an instruction had done it: a pushed return address and another
# instruction pointer are a call, another instruction pointer alone is a jump, and one
# that goes with a stack pointer further up is a longjmp.

"""Functions that trap, and the handler that redirects them."""

from __future__ import annotations

WAITING = """\
struct waiting {
   struct waiting *before;
   int nesting;
   void *buffer[5];
};
static struct waiting *volatile waiting;
static volatile int way;
enum { BEHIND_FAULT = 1, BEHIND_BREAK, CALLED, JUMPED, INSIDE, UNWOUND };
"""

TRAP_FUNCTIONS = [
    "on_trap",
    "noted",
    "injected",
    "fault",
    "breakpoint",
    "trap_deep",
    "other",
]

_ASSEMBLER = """\
long fault(long a), breakpoint(long a), other(long a);
extern char fault_behind[], other_inside[];
__asm__(".text\\n"
        ".p2align 4\\n.type fault,@function\\n"
        "fault:\\n\\tpush %rbx\\n\\tmov %rdi,%rbx\\n\\txor %eax,%eax\\n"
        "\\tmov (%rax),%rdx\\n"
        "fault_behind:\\n\\tlea 1(%rbx),%rax\\n\\tpop %rbx\\n\\tret\\n"
        ".size fault,.-fault\\n"
        ".p2align 4\\n.type breakpoint,@function\\n"
        "breakpoint:\\n\\tlea 2(%rdi),%rax\\n\\tint3\\n\\tnop\\n\\tret\\n"
        ".size breakpoint,.-breakpoint\\n"
        ".p2align 4\\n.type other,@function\\n"
        "other:\\n\\tadd $1,%rdi\\n\\tadd $2,%rdi\\n"
        "other_inside:\\n\\tlea 4(%rdi),%rax\\n\\tret\\n"
        ".size other,.-other\\n");
"""

_INJECTED = """\
OPAQUE long injected(long a)
{
   ENTER(injected);
   CALL(injected, noted);
   noted((int)a & 7);
   NO_TAIL_CALL;
   return a;
}

OPAQUE long trap_deep(long a, long depth)
{
   ENTER(trap_deep);
   long sum = a;
   if (depth > 0) {
      CALL(trap_deep, trap_deep);
      sum += trap_deep(a, depth - 1);
   } else if (a & 1) {
      way = UNWOUND;
      CALL(trap_deep, breakpoint);
      ENTER(breakpoint);
      sum += breakpoint(a);
   } else {
      way = UNWOUND;
      CALL(trap_deep, fault);
      ENTER(fault);
      sum += fault(a);
   }
   NO_TAIL_CALL;
   return sum;
}
"""

TRAP_HANDLER = """\
static volatile long notes;
OPAQUE void noted(int number)
{
   ENTER(noted);
   notes += number;
}

OPAQUE long injected(long a);
extern char fault_behind[], other_inside[];

OPAQUE void on_trap(int signal, siginfo_t *info, void *context)
{
   ENTER(on_trap);
   ROOT(on_trap);
   greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
   struct waiting *target = waiting;
   CALL(on_trap, noted);
   noted(way);
   switch (way) {
   case BEHIND_FAULT: registers[REG_RIP] = (greg_t)(uintptr_t)fault_behind; break;
   case CALLED:
      registers[REG_RSP] -= (greg_t)sizeof(greg_t);
      *(greg_t *)(uintptr_t)registers[REG_RSP] = registers[REG_RIP];
      registers[REG_RIP] = (greg_t)(uintptr_t)injected;
      break;
   case JUMPED: registers[REG_RIP] = (greg_t)(uintptr_t)injected; break;
   case INSIDE: registers[REG_RIP] = (greg_t)(uintptr_t)other_inside; break;
   case UNWOUND:
      waiting = target->before;
      nesting = target->nesting;
      registers[REG_RBP] = (greg_t)(uintptr_t)target->buffer[0];
      registers[REG_RIP] = (greg_t)(uintptr_t)target->buffer[1];
      registers[REG_RSP] = (greg_t)(uintptr_t)target->buffer[2];
      *(unsigned long *)(void *)&((ucontext_t *)context)->uc_sigmask = 0;
      break;
   default: break;
   }
   (void)signal, (void)info;
}

static inline __attribute__((always_inline)) void install_traps(int flags)
{
   static struct sigaction action;
   action.sa_sigaction = on_trap;
   action.sa_flags = SA_SIGINFO | flags;
   CALL_OUT(main, sigaction);
   sigaction(SIGSEGV, &action, NULL);
   CALL_OUT(main, sigaction);
   sigaction(SIGTRAP, &action, NULL);
}
"""

TRAP_TEXTS = [_ASSEMBLER, _INJECTED]

# What a function of the web does to trap.  The breakpoint's registers are not those of a
# call, so `injected` gets what %rdi still holds, the breakpoint's argument.
TRAPS = {
    "behind a fault": (
        "{{ way = BEHIND_FAULT; CALL({caller}, fault); ENTER(fault); sum += fault(a); }}"
    ),
    "behind a trap": (
        "{{ way = BEHIND_BREAK; CALL({caller}, breakpoint); ENTER(breakpoint); "
        "sum += breakpoint(a); }}"
    ),
    "as if called": (
        "{{ way = CALLED; CALL({caller}, breakpoint); ENTER(breakpoint); "
        "CALL(breakpoint, injected); sum += breakpoint(a); }}"
    ),
    "as if jumped": (
        "{{ way = JUMPED; CALL({caller}, breakpoint); ENTER(breakpoint); "
        "CALL(breakpoint, injected); sum += breakpoint(a); }}"
    ),
    "inside another": (
        "{{ way = INSIDE; CALL({caller}, breakpoint); ENTER(breakpoint); "
        "CALL(breakpoint, other); ENTER(other); sum += breakpoint(a); }}"
    ),
    "to a caller": (
        "{{ struct waiting here; here.before = waiting; here.nesting = nesting; "
        "waiting = &here; if (__builtin_setjmp(here.buffer) == 0) "
        "{{ CALL({caller}, trap_deep); sum += trap_deep(sum, fuel % 7); }} "
        "else sum++; }}"
    ),
}
