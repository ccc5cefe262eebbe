# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes the ways in which a program goes from one of its stacks to another.
#
# Owns: the text of switches between coroutines (libc's contexts, assembler of several
# shapes, and assembler inside the function that switches), of how a new coroutine begins
# and ends, and of functions that call another on other memory.  All are macros or
# functions for `struct coroutine`, which is declared here.

"""Switches between stacks, for generated programs."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.groundtruth.architecture import ARM64, target
from tests.groundtruth.kinds import switching_arm64

CHOOSE = """\
/* One that can be switched to: inline, as it is nobody's business.  */
static inline __attribute__((always_inline)) int choose(unsigned long number)
{
   int at = (int)(number % (COROUTINES + 1));
   while (!all[at].alive)
      at = (at + 1) % (COROUTINES + 1);
   return at;
}
"""

DECLARATIONS = """\
struct landing;
struct coroutine {
   void *sp;
   ucontext_t context;
   char *stack;
   unsigned long size;
   struct landing *volatile landings;
   volatile int alive, tries;
};
enum { HOME = COROUTINES };
static struct coroutine all[COROUTINES + 1];
static volatile int now = HOME;
"""

# Registers as they lie on the stack of one that is not running, lowest address first.
SAVED = ("rbp", "rbx", "r12", "r13", "r14", "r15")


@dataclass
class Switching:
    """The chosen way: texts, and what they mean for the truth."""

    name: str
    text: str  # declarations and functions
    functions: list[str] = field(default_factory=list)  # of the program
    outside: dict[str, list[str]] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    # How an entry function may end: by its return, or never.
    returns: bool = False


# --- libc's contexts ---

_CONTEXT_MAKE = """\
OPAQUE void coroutine_make(struct coroutine *self, void (*entry)(void))
{{
   ENTER(coroutine_make);
   CALL_OUT(coroutine_make, getcontext);
   getcontext(&self->context);
   self->context.uc_stack.ss_sp = self->stack;
   self->context.uc_stack.ss_size = self->size;
   self->context.uc_link = {link};
   CALL_OUT(coroutine_make, makecontext);
   makecontext(&self->context, entry, {arguments});
}}
#define ENTRY(F) (ENTER(F), ROOT(F))
"""

# On arm64 the first function of a stack jumps to setcontext, which takes its place with
# flat tail calls.
_CONTEXT_ROOTS = ["__start_context"]
if target() == ARM64:
    _CONTEXT_ROOTS = ["__startcontext", "setcontext"]

_SWAP = """\
#define SWITCH(F, FROM, TO)                                                           \\
   do {                                                                               \\
      CALL_OUT(F, swapcontext);                                                       \\
      swapcontext(&(FROM)->context, &(TO)->context);                                  \\
   } while (0)
"""

_GET_AND_SET = """\
#define SWITCH(F, FROM, TO)                                                           \\
   do {                                                                               \\
      volatile int is_back = 0;                                                       \\
      CALL_OUT(F, getcontext);                                                        \\
      getcontext(&(FROM)->context);                                                   \\
      if (!is_back) {                                                                 \\
         is_back = 1;                                                                 \\
         CALL_OUT(F, setcontext);                                                     \\
         setcontext(&(TO)->context);                                                  \\
      }                                                                               \\
   } while (0)
"""


def _contexts(random_: random.Random) -> Switching:
    swaps = random_.random() < 0.6
    links = random_.random() < 0.5
    text = _CONTEXT_MAKE.format(
        link="&all[HOME].context" if links else "NULL",
        # The entry functions take none: what is given lies on the stack unread.
        arguments=random_.choice(("0", "2, 1, 2", "8, 1, 2, 3, 4, 5, 6, 7, 8")),
    )
    return Switching(
        name=("swapcontext" if swaps else "getcontext, setcontext")
        + (", uc_link" if links else ""),
        text=text + (_SWAP if swaps else _GET_AND_SET),
        outside={
            "swapcontext": ["swapcontext"],
            "getcontext": ["getcontext", "__getcontext"],
            "setcontext": ["setcontext", "__setcontext"],
            "makecontext": ["makecontext", "__makecontext"],
        },
        roots=_CONTEXT_ROOTS,
        returns=links,
    )


# --- Assembler ---

_ASSEMBLER_MAKE = """\
{declarations}
OPAQUE void coroutine_make(struct coroutine *self, void (*entry)(void))
{{
   ENTER(coroutine_make);
   uintptr_t *top = (uintptr_t *)(((uintptr_t)self->stack + self->size) & ~(uintptr_t)15);
   *--top = 0;
   *--top = 0;
{words}
   self->sp = top;
}}
#define ENTRY(F) {entry}
"""

_DIRECT_ENTRY = "(ENTER(F), ROOT(F))"
_THUNK_ENTRY = (
    "(ENTER(F), CALL(entry_thunk, F), ENTER(entry_thunk), ROOT(entry_thunk))"
)

_FUNCTION = """\
__asm__(".text\\n.p2align 4\\n.globl {name}\\n.type {name},@function\\n"
        "{name}:\\n{start}"
{lines}
        "{end}.size {name},.-{name}\\n");
"""

_SWITCH_MACRO = """\
void switch_a(void **save, void *load), switch_b(void **save, void *load);
#define SWITCH(F, FROM, TO)                                                           \\
   do {                                                                               \\
      if ((TO) == &all[HOME] || {only_a}) {                                           \\
         CALL(F, switch_a);                                                           \\
         ENTER(switch_a);                                                             \\
         switch_a(&(FROM)->sp, (TO)->sp);                                             \\
      } else {                                                                        \\
         CALL(F, switch_b);                                                           \\
         ENTER(switch_b);                                                             \\
         switch_b(&(FROM)->sp, (TO)->sp);                                             \\
      }                                                                               \\
   } while (0)
"""

_INLINE_MACRO = """\
#define SWITCH(F, FROM, TO) switch_inline(&(FROM)->sp, (TO)->sp)
static inline __attribute__((always_inline)) void switch_inline(void **save, void *load)
{
   /* Below the red zone, the address behind is pushed for whoever comes back.  */
   __asm__ volatile("lea -128(%%rsp),%%rsp\\n\\t"
                    "lea 1f(%%rip),%%rcx\\n\\t"
                    "push %%rcx\\n\\t"
                    "push %%rbp\\n\\tpush %%rbx\\n\\tpush %%r12\\n\\t"
                    "push %%r13\\n\\tpush %%r14\\n\\tpush %%r15\\n\\t"
                    "mov %%rsp,(%%rdi)\\n\\t"
                    "mov %%rsi,%%rsp\\n\\t"
                    "pop %%r15\\n\\tpop %%r14\\n\\tpop %%r13\\n\\t"
                    "pop %%r12\\n\\tpop %%rbx\\n\\tpop %%rbp\\n\\t"
                    "<leave>"
                    "1:\\n\\t"
                    "lea 128(%%rsp),%%rsp\\n\\t"
                    : "+D"(save), "+S"(load)
                    :
                    : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc",
                      "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                      "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                      "xmm15");
}
"""


def _lines(instructions: list[str]) -> str:
    return "\n".join(f'        "\\t{one}\\n"' for one in instructions)


def assembler(name: str, instructions: list[str], cfi: bool = False) -> str:
    """A function of assembler; with call frame information, it may be unwound."""
    start, end = (".cfi_startproc\\n", ".cfi_endproc\\n") if cfi else ("", "")
    return _FUNCTION.format(name=name, start=start, lines=_lines(instructions), end=end)


def _switch_instructions(random_: random.Random) -> tuple[list[str], str]:
    """A switch, and a word on it; all leave the same picture on the stack they leave."""
    if target() == ARM64:
        return switching_arm64.switch_instructions(random_)
    size = 8 * len(SAVED)
    if random_.random() < 0.5:
        save = [f"push %{register}" for register in SAVED]
    else:
        save = [f"lea -{size}(%rsp),%rsp"]
        save += [
            f"mov %{register},{size - 8 - 8 * at}(%rsp)"
            for at, register in enumerate(SAVED)
        ]
    exchange = random_.choice(
        (
            ["mov %rsp,(%rdi)", "mov %rsi,%rsp"],
            ["mov %rsp,%rax", "mov %rsi,%rsp", "mov %rax,(%rdi)"],
            ["mov %rsp,(%rdi)", "xchg %rsi,%rsp"],
        )
    )
    if random_.random() < 0.5:
        load = [f"pop %{register}" for register in reversed(SAVED)]
    else:
        load = [
            f"mov {size - 8 - 8 * at}(%rsp),%{register}"
            for at, register in enumerate(SAVED)
        ]
        load.append(f"add ${size},%rsp")
    ending = random_.choice(("ret", "ret", "pop", "lea"))
    end = {
        "ret": ["ret"],
        "pop": ["pop %r8", "jmp *%r8"],
        "lea": ["mov (%rsp),%rcx", "lea 8(%rsp),%rsp", "jmp *%rcx"],
    }[ending]
    return [*save, *exchange, *load, *end], ending


def _make_words(beginning: str) -> str:
    """What a new stack holds: return address for the first switch, and six registers."""
    if target() == ARM64:
        return switching_arm64.make_words(beginning)
    first = {"thunk": "entry_thunk", "returns": "entry", "direct": "entry"}[beginning]
    words = []
    if beginning == "returns":
        words.append("(uintptr_t)ended_here")
    elif beginning == "direct":
        words.append("0")
    words.append(f"(uintptr_t){first}")
    words += ["(uintptr_t)entry" if name == "rbx" else "0" for name in SAVED]
    return "\n".join(f"   *--top = {word};" for word in words)


def _beginning(random_: random.Random) -> str:
    drawn = random_.choice(("direct", "thunk", "returns"))
    # There an address to return to would be put into a register on the way.
    return "thunk" if target() == ARM64 and drawn == "returns" else drawn


def _entry_texts(beginning: str) -> tuple[str, list[str], str]:
    """Declarations, functions of the program, and ENTRY's text."""
    if target() == ARM64 and beginning != "direct":
        text = "void entry_thunk(void);\n"
        text += assembler("entry_thunk", switching_arm64.ENTRY_THUNK)
        return text, ["entry_thunk"], _THUNK_ENTRY
    if beginning == "thunk":
        text = "void entry_thunk(void);\n"
        text += assembler("entry_thunk", ["call *%rbx", "ud2"])
        return text, ["entry_thunk"], _THUNK_ENTRY
    if beginning == "returns":
        # What the entry functions return to: nobody has called it.
        text = "void ended_here(void);\nvoid ended(void);\n"
        text += assembler("ended_here", ["call ended", "ud2"])
        return text, ["ended_here", "ended"], _DIRECT_ENTRY
    return "", [], _DIRECT_ENTRY


def _assembler(random_: random.Random) -> Switching:
    beginning = _beginning(random_)
    declarations, functions, entry = _entry_texts(beginning)
    make = _ASSEMBLER_MAKE.format(
        declarations=declarations, words=_make_words(beginning), entry=entry
    )
    first, first_ending = _switch_instructions(random_)
    second, second_ending = _switch_instructions(random_)
    mixed = random_.random() < 0.4
    text = _SWITCH_MACRO.replace("{only_a}", "0" if mixed else "1")
    text += assembler("switch_a", first) + assembler("switch_b", second)
    endings = f"{first_ending}/{second_ending}" if mixed else first_ending
    return Switching(
        name=f"assembler, {endings}, {beginning}",
        text=make + text,
        functions=[*functions, "switch_a", "switch_b"],
        returns=beginning == "returns",
    )


def _inlined(random_: random.Random) -> Switching:
    beginning = _beginning(random_)
    declarations, functions, entry = _entry_texts(beginning)
    make = _ASSEMBLER_MAKE.format(
        declarations=declarations, words=_make_words(beginning), entry=entry
    )
    leave, word = random_.choice(
        (("ret\\n", "ret"), ("pop %%r8\\n\\tjmp *%%r8\\n", "pop"))
    )
    macro = _INLINE_MACRO.replace("<leave>", leave)
    if target() == ARM64:
        macro = switching_arm64.INLINE_MACRO[word]
    return Switching(
        name=f"inline assembler, {word}, {beginning}",
        text=make + macro,
        functions=functions,
        returns=beginning == "returns",
    )


def draw(random_: random.Random) -> Switching:
    """Choose a way to switch."""
    way = random_.choice((_contexts, _assembler, _assembler, _assembler, _inlined))
    return way(random_)


# --- Calls on other memory ---

RUN_ON_DECLARATIONS = """\
long run_on_rbx(long (*function)(long, long), long a, long depth, void *top);
long run_on_rbp(long (*function)(long, long), long a, long depth, void *top);
"""

_MOVES = ["mov %rdi,%rax", "mov %rsi,%rdi", "mov %rdx,%rsi", "mov %rcx,%rsp"]
_MOVES += ["call *%rax"]


def run_on_texts() -> str:
    """Functions that call another with the stack pointer elsewhere; unwindable."""
    if target() == ARM64:
        bodies = switching_arm64.RUN_ON.items()
        return RUN_ON_DECLARATIONS + "".join(
            assembler(name, body, cfi=True) for name, body in bodies
        )
    rbx = ["push %rbx", ".cfi_def_cfa_offset 16", ".cfi_offset %rbx,-16"]
    rbx += ["mov %rsp,%rbx", ".cfi_def_cfa_register %rbx", *_MOVES]
    rbx += ["mov %rbx,%rsp", ".cfi_def_cfa_register %rsp"]
    rbx += ["pop %rbx", ".cfi_def_cfa_offset 8", "ret"]
    rbp = ["push %rbp", ".cfi_def_cfa_offset 16", ".cfi_offset %rbp,-16"]
    rbp += ["mov %rsp,%rbp", ".cfi_def_cfa_register %rbp", *_MOVES]
    rbp += ["leave", ".cfi_def_cfa %rsp,8", "ret"]
    return (
        RUN_ON_DECLARATIONS
        + assembler("run_on_rbx", rbx, cfi=True)
        + assembler("run_on_rbp", rbp, cfi=True)
    )
