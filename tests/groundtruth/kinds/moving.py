# SPDX-License-Identifier: GPL-2.0-or-later
"""Coroutines whose stacks are moved, as Go's are when they grow.

The programs of scheduler.py, whose scheduler moves the stack of a coroutine now and then:
of the one that it goes to, which may have been parked for long, or is the one that has
called it.  A coroutine may also move its own.  All words that point into the stack are
changed.
"""

from __future__ import annotations

import random

from tests.groundtruth.architecture import ARM64, target
from tests.groundtruth.case import Case
from tests.groundtruth.kinds import scheduler, scheduler_arm64
from tests.groundtruth.kinds.switching import SAVED, assembler

FIELDS = "   char *other;\n"

MOVE = """\
OPAQUE uintptr_t moved_word(uintptr_t word, uintptr_t low, uintptr_t top, uintptr_t by)
{
   ENTER(moved_word);
   return word >= low && word <= top ? word + by : word;
}

OPAQUE void move(struct coroutine *self)
{
   ENTER(move);
   if (self == &all[HOME])
      return;
   char *from = self->stack;
   self->stack = self->other;
   self->other = from;
   uintptr_t low = (uintptr_t)self->sp, by = (uintptr_t)self->stack - (uintptr_t)from;
   uintptr_t top = (uintptr_t)from + SIZE;
   for (uintptr_t at = low; at < top; at += sizeof at) {
      CALL(move, moved_word);
      *(uintptr_t *)(at + by) = moved_word(*(uintptr_t *)at, low, top, by);
   }
   for (int at = 0; at < (int)(sizeof self->saved / sizeof self->saved[0]); at++) {
      CALL(move, moved_word);
      self->saved[at] = (void *)moved_word((uintptr_t)self->saved[at], low, top, by);
   }
   self->sp = (char *)self->sp + by;
}
"""

GROW = """\
void grow(struct coroutine *self);
#define GROW(F)                                                                       \\
   if (now != HOME) {                                                                 \\
      CALL(F, grow);                                                                  \\
      {                                                                               \\
         ENTER_CALLED(grow);                                                          \\
         CALL(grow, move);                                                            \\
      }                                                                               \\
      grow(&all[now]);                                                                \\
   } else                                                                             \\
      (void)0
"""

SCHEDULER_MOVES = (
    "if (switches % {moves} == 0) {{ CALL(schedule, move); move(&all[to]); }}"
)

# Where stacks lie, two for each coroutine.
_EACH = (
    "for (int at = 0; at < COROUTINES; at++) "
    "{ all[at].stack = block[at][0]; all[at].other = block[at][1]; }"
)
_BLOCK = "char block[COROUTINES][2][SIZE] __attribute__((aligned(16))); "
_FREE = (
    '{{ char *old_ = all[at].{name}; __asm__ volatile("" : "+r"(old_)); '
    "CALL_OUT(main, free); free(old_); CALL_OUT(main, malloc); "
    "all[at].{name} = (char *)malloc(SIZE); }} "
)
# What is done once, and what for each new coroutine.
PLACES = {
    "static": ("static " + _BLOCK + _EACH, ""),
    "main's frame": (_BLOCK + _EACH, ""),
    "heap": ("", _FREE.format(name="stack") + _FREE.format(name="other")),
}


def grow_text(random_: random.Random) -> str:
    """A function that moves the stack that it runs on, and returns there."""
    if target() == ARM64:
        return GROW + assembler("grow", scheduler_arm64.grow(random_))
    text = [f"push %{name}" for name in SAVED]
    text += ["mov %rsp,(%rdi)", "mov %rdi,%rbx", "sub $8,%rsp", "call move"]
    pops = [f"pop %{name}" for name in reversed(SAVED)]
    ways = (
        ["mov (%rbx),%rsp", *pops, "ret"],
        ["mov (%rbx),%rsp", *pops, "pop %rcx", "jmp *%rcx"],
        ["mov (%rbx),%rax", "xchg %rax,%rsp", *pops, "ret"],
    )
    return GROW + assembler("grow", text + random_.choice(ways))


def generate(random_: random.Random, seed: int) -> Case:
    plan = scheduler.draw_plan(random_)
    place = random_.choice(list(PLACES))
    plan.fields = FIELDS
    plan.texts = MOVE + grow_text(random_)
    plan.before_going = SCHEDULER_MOVES.format(moves=random_.choice((1, 2, 5)))
    plan.extra_writer = "GROW({caller});"
    plan.functions = ["moved_word", "move", "grow"]
    return scheduler.make_case(random_, plan, "moving", seed, place, PLACES[place])
