# SPDX-License-Identifier: GPL-2.0-or-later
#
# The C text of programs with fibers, and the assembler by which one goes to another.
#
# Owns: the templates that fibers.py fills in.

"""Templates for programs with fibers."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.groundtruth.architecture import ARM64, target
from tests.groundtruth.kinds import scheduler_arm64
from tests.groundtruth.kinds.switching import SAVED, assembler

IS_ARM64 = target() == ARM64
# From the stack pointer of a fiber that waits to where the frame of the function begins
# that it has called to wait.
FRAME = 8 * (len(scheduler_arm64.SAVED) if IS_ARM64 else len(SAVED) + 1)

HEAD = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
{unit}
#include "truth.h"
#ifdef TRUTH_WITHOUT_PATHS
#define truth_path 0UL
#endif

enum {{ FIBERS = {count}, SIZE = {size} }};
struct fiber {{
   void *sp;
   struct fiber *parent;          /* goes on when this one ends or performs */
   char *stack, *other;
   int is_used;
   int waits_in;                  /* the function that it has called to wait */
   unsigned long waits_by;        /* by this path */
}};
static struct fiber outermost, all[FIBERS];
static struct fiber *volatile now = &outermost;
/* Continuations: the fiber that performed, and the last of its parents that waits with
   it.  */
static struct {{
   struct fiber *first, *last;
}} kept[FIBERS];
static volatile int n_kept, nesting;
static volatile long fuel;
static unsigned long switches;

/* Each saves where it is in `*from`, and goes to `to`, where another was called.  */
void run_fiber(void **from, void *top, void *(*entry)(void)); /* to where that one says */
void perform(void **from, void *to);
void resume(void **from, void *to);
void fail(void *to, void *top); /* the frames of the running fiber are gone */
OPAQUE void handle(void);
OPAQUE void awake(void);
OPAQUE void ended(void);
OPAQUE void failed(void);

#define TOP(FIBER) ((void *)(((uintptr_t)(FIBER)->stack + SIZE) & ~(uintptr_t)15))
"""

# Counted inside by nobody: run_fiber and the others are assembler.
MACROS = """\
#define WAITS(FIBER, F) ((FIBER)->waits_in = fn_##F, (FIBER)->waits_by = truth_path)
/* What the function that a fiber waits in has called jumps to another.  */
#define JUMPS(FIBER, TO)                                                              \\
   (TRUTH_ADD(truth_arcs[(FIBER)->waits_in][fn_##TO]),                                \\
    truth_calling = (FIBER)->waits_by,                                                \\
    (void)(truth_calling_frame = (char *)(FIBER)->sp + {frame}))
#define RUN_FIBER(F)                                                                  \\
   do {{                                                                               \\
      struct fiber *from_ = now, *to_ = find_unused();                                \\
      if (to_ == NULL)                                                                \\
         break;                                                                       \\
      {start}                                                                         \\
      int entry_ = (int)(++switches % {entries});                                     \\
      to_->is_used = 1;                                                               \\
      to_->parent = from_;                                                            \\
      CALL(F, run_fiber);                                                             \\
      ENTER_CALLED(run_fiber);                                                        \\
      WAITS(from_, run_fiber);                                                        \\
      now = to_;                                                                      \\
      CALL_NUMBER(fn_run_fiber, numbers[entry_]);                                     \\
      run_fiber(&from_->sp, TOP(to_), entries[entry_]);                               \\
   }} while (0)
#define PERFORM(F, LEVELS)                                                            \\
   do {{                                                                               \\
      struct fiber *from_ = now, *last_ = from_;                                      \\
      if (from_ == &outermost)                                                        \\
         break;                                                                       \\
      {start}                                                                         \\
      switches++;                                                                     \\
      for (int at_ = 1; at_ < (LEVELS) && last_->parent != &outermost; at_++)         \\
         last_ = last_->parent;                                                       \\
      kept[n_kept].first = from_;                                                     \\
      kept[n_kept++].last = last_;                                                    \\
      CALL(F, perform);                                                               \\
      ENTER_CALLED(perform);                                                          \\
      WAITS(from_, perform);                                                          \\
      now = last_->parent;                                                            \\
      {perform_jumps}                                                                 \\
      perform(&from_->sp, now->sp);                                                   \\
   }} while (0)
#define RESUME(F)                                                                     \\
   do {{                                                                               \\
      struct fiber *from_ = now;                                                      \\
      if (n_kept == 0)                                                                \\
         break;                                                                       \\
      {start}                                                                         \\
      int at_ = (int)(++switches * 7 % (unsigned long)n_kept);                        \\
      kept[at_].last->parent = from_;                                                 \\
      now = kept[at_].first;                                                          \\
      kept[at_] = kept[--n_kept];                                                     \\
      CALL(F, resume);                                                                \\
      ENTER_CALLED(resume);                                                           \\
      WAITS(from_, resume);                                                           \\
      {resume_jumps}                                                                  \\
      resume(&from_->sp, now->sp);                                                    \\
   }} while (0)
#define FAIL(F)                                                                       \\
   do {{                                                                               \\
      struct fiber *from_ = now;                                                      \\
      if (from_ == &outermost || sum % 3 != 0)                                        \\
         break;                                                                       \\
      {start}                                                                         \\
      switches++;                                                                     \\
      from_->is_used = 0;                                                             \\
      now = from_->parent;                                                            \\
      CALL(F, fail);                                                                  \\
      {{ ENTER_CALLED(fail); }}                                                         \\
      {fail_jumps}                                                                    \\
      fail(now->sp, TOP(from_));                                                      \\
      __builtin_trap();                                                               \\
   }} while (0)
/* A continuation that nobody resumes: its fibers are used for others.  */
#define DROP()                                                                        \\
   do {{                                                                               \\
      struct fiber *fiber_ = kept[--n_kept].first;                                    \\
      while (fiber_->is_used = 0, fiber_ != kept[n_kept].last)                        \\
         fiber_ = fiber_->parent;                                                     \\
   }} while (0)

static inline __attribute__((always_inline)) struct fiber *find_unused(void)
{{
   for (int at = 0; at < FIBERS; at++) {{
      struct fiber *found = &all[(at + (int)({first_looked_at})) % FIBERS];
      if (!found->is_used)
         return found;
   }}
   return NULL;
}}
"""

# What is jumped to when a fiber goes on, and the arcs of that.
ARRIVALS = """\
OPAQUE int look(unsigned long number, int more)
{{
   ENTER(look);
   if (more > 0) {{
      CALL(look, look);
      int found = look(number / 3, more - 1);
      NO_TAIL_CALL;
      return found;
   }}
   return (int)(number & 7);
}}

OPAQUE void handle(void)
{{
   ENTER(handle);
   CALL(handle, look);
   look(switches, (int)(switches % {more}));
   NO_TAIL_CALL;
   if (nesting < {nesting} && fuel > 0) {{
      nesting++;
      CALL(handle, {name});
      {name}((long)switches & 0xff, 2);
      NO_TAIL_CALL;
   }}
}}

OPAQUE void awake(void)
{{
   ENTER(awake);
   CALL(awake, look);
   look(switches, 0);
   NO_TAIL_CALL;
}}

OPAQUE void ended(void)
{{
   ENTER(ended);
}}

OPAQUE void failed(void)
{{
   ENTER(failed);
   CALL(failed, look);
   look(switches, 1);
   NO_TAIL_CALL;
}}
"""

ENTRY = """\
OPAQUE void *{name}(void)
{{
   ENTER({name});
   volatile long sum = {start}, a = 1, depth = {depth};
   {call}
   (void)a;
   /* Here it has a single frame.  */
   if (sum & 1)
      PERFORM({name}, 1);
   struct fiber *self = now;
   self->is_used = 0;
   now = self->parent;
   {jumps}
   return now->sp;
}}
"""

# As OCaml does it when a fiber needs more room.
GROW = """\
OPAQUE uintptr_t moved_word(uintptr_t word, uintptr_t low, uintptr_t top, uintptr_t by)
{
   ENTER(moved_word);
   return word >= low && word <= top ? word + by : word;
}

OPAQUE void move(struct fiber *self)
{
   ENTER(move);
   char *from = self->stack;
   uintptr_t low = (uintptr_t)self->sp, top = (uintptr_t)TOP(self);
   self->stack = self->other;
   self->other = from;
   uintptr_t by = (uintptr_t)TOP(self) - top;
   for (uintptr_t at = low; at < top; at += sizeof at) {
      CALL(move, moved_word);
      *(uintptr_t *)(at + by) = moved_word(*(uintptr_t *)at, low, top, by);
   }
   self->sp = (char *)self->sp + by;
}

void grow(struct fiber *self);
#define GROW(F)                                                                       \\
   do {                                                                               \\
      if (now == &outermost)                                                          \\
         break;                                                                       \\
      CALL(F, grow);                                                                  \\
      ENTER_CALLED(grow);                                                             \\
      CALL(grow, move);                                                               \\
      grow(now);                                                                      \\
   } while (0)
"""

MAIN = """\
int OPAQUE main(void)
{{
   ENTER(main);
   volatile long sum = {seed}, a = 3, depth = {depth};
   {place}
   for (int round = 0; round < {rounds}; round++) {{
      fuel = {fuel};
      nesting = 0;
      {call}
      while (n_kept > {left})
         DROP();
   }}
   (void)a, (void)depth;
   {start}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

_EACH = (
    "for (int at = 0; at < FIBERS; at++) "
    "{ all[at].stack = block[at][0]; all[at].other = block[at][1]; }"
)
_BLOCK = "char block[FIBERS][2][SIZE] __attribute__((aligned(16))); "
# Where stacks lie, two for each fiber.
PLACES = {
    "static": "static " + _BLOCK + _EACH,
    "main's frame": _BLOCK + _EACH,
    "heap": "for (int at = 0; at < FIBERS; at++) { CALL_OUT(main, malloc); "
    "all[at].stack = (char *)malloc(SIZE); CALL_OUT(main, malloc); "
    "all[at].other = (char *)malloc(SIZE); }",
}

# To what may be jumped, by the function that has the jump.
JUMPED_TO = {
    "run_fiber": "ended",
    "perform": "handle",
    "resume": "awake",
    "fail": "failed",
}


@dataclass
class Ways:
    """How fibers go to one another."""

    name: str
    text: str
    # The functions behind which the fiber that goes on is in another, which they have
    # jumped to; it returns to where the one was called that the fiber waited in.
    jumping: set[str]
    fails_by_end: bool  # the running fiber's end, as if its first function had returned

    def jumps(self, function: str) -> str:
        """What is counted when `function` goes to the fiber that is now running."""
        if function == "fail" and self.fails_by_end:
            function = "run_fiber"
        if function not in self.jumping:
            return ""
        return f"JUMPS(now, {JUMPED_TO[function]});"


def _save(random_: random.Random) -> list[str]:
    """All registers, on the stack; `*from` is where."""
    if IS_ARM64:
        return [*scheduler_arm64.SAVE, "mov x9,sp", "str x9,[x0]"]
    size = 8 * len(SAVED)
    pushes = [f"push %{name}" for name in SAVED]
    moves = [f"lea -{size}(%rsp),%rsp"]
    moves += [f"mov %{name},{size - 8 - 8 * at}(%rsp)" for at, name in enumerate(SAVED)]
    return [*random_.choice((pushes, moves)), "mov %rsp,(%rdi)"]


def _go(random_: random.Random, register: str, jumps_to: str) -> list[str]:
    """To where the register says, and from there to the caller or another function."""
    if IS_ARM64:
        end = random_.choice((["ret"], ["br x30"], ["mov x9,x30", "ret x9"]))
        end = [f"b {jumps_to}"] if jumps_to else end
        return [f"mov sp,{register}", *scheduler_arm64.LOAD, *end]
    pops = [f"pop %{name}" for name in reversed(SAVED)]
    load = random_.choice(([f"mov %{register},%rsp"], [f"xchg %{register},%rsp"]))
    end = random_.choice((["ret"], ["pop %rcx", "jmp *%rcx"]))
    end = [f"jmp {jumps_to}"] if jumps_to else end
    return [*load, *pops, *end]


def _grow(random_: random.Random) -> str:
    if IS_ARM64:
        return GROW + assembler("grow", scheduler_arm64.grow(random_))
    text = [f"push %{name}" for name in SAVED]
    text += ["mov %rsp,(%rdi)", "mov %rdi,%rbx", "sub $8,%rsp", "call move"]
    text += ["mov (%rbx),%rax"]
    return GROW + assembler("grow", text + _go(random_, "rax", ""))


def draw_ways(random_: random.Random, may_jump: bool) -> Ways:
    jumping = {name for name in JUMPED_TO if random_.random() < 0.5}
    if not may_jump:
        jumping = set()

    def go(function: str, register: str) -> list[str]:
        target_ = JUMPED_TO[function] if function in jumping else ""
        return _go(random_, register, target_)

    first, second, result = ("x0", "x1", "x0") if IS_ARM64 else ("rdi", "rsi", "rax")
    call = ["mov sp,x1", "blr x2"] if IS_ARM64 else ["mov %rsi,%rsp", "call *%rdx"]
    fails_by_end = random_.random() < 0.4 and not IS_ARM64
    # At the slot of the first function's return address.
    end = ["mov %rdi,%rax", "lea -8(%rsi),%rsp", "ret"]
    bodies = {
        "run_fiber": [*_save(random_), *call, *go("run_fiber", result)],
        "perform": [*_save(random_), *go("perform", second)],
        "resume": [*_save(random_), *go("resume", second)],
        "fail": end if fails_by_end else go("fail", first),
    }
    text = "".join(assembler(name, body) for name, body in bodies.items())
    words = [f"{name} jumps" for name in JUMPED_TO if name in jumping]
    words += ["fails by end"] if fails_by_end else []
    return Ways(
        name=", ".join(words) or "all return",
        text=text + _grow(random_),
        jumping=jumping,
        fails_by_end=fails_by_end,
    )
