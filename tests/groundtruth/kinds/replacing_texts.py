# SPDX-License-Identifier: GPL-2.0-or-later
#
# The text of programs that replace frames on their stack.
#
# Owns: the templates that replacing.py fills in, and the assembler by which frames are
# kept, copied, thrown away and put back.

"""Templates for programs that replace frames."""

from __future__ import annotations

import random

from tests.groundtruth.architecture import ARM64, target
from tests.groundtruth.kinds import replacing_arm64
from tests.groundtruth.kinds.switching import assembler

# What is kept of frames; replace() and snapshot() know where the members lie.
HEAD = """\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
{head}
#include "truth.h"

enum {{ LEVELS = {levels} }};
struct kept {{
   void *anchor, *sp, *rip, *saved[{saved}];
   long count, words[4096];
   unsigned long path;
   struct kept *outer;
   int is_replaced, is_live, height;
}};
static struct kept *volatile newest;
static volatile long fuel = {fuel};
static const int written[] = {{0{names}}};

long keep(long (*call)(long, long), long a, long depth, struct kept *kept);
long snapshot(struct kept *kept);
void replace(struct kept *kept) __attribute__((noreturn));
void hop(void);

#ifdef SWITCHES
#undef ENTER
#define ENTER(SELF) TRUTH_ADD(truth_entered[fn_##SELF]); under_way[height++] = fn_##SELF
#undef ENTER_CALLED
#define ENTER_CALLED ENTER
#define LEAVE() (maybe_switch(), (void)height--)
#define UNDER_WAY(NUMBER) ((void)(under_way[height++] = (NUMBER)))
#define HEIGHT height
static inline __attribute__((always_inline)) void start(void)
{{
   for (int at = 0; at < height; at++)
      LIVE(under_way[at]);
   for (struct kept *kept = newest; kept != NULL; kept = kept->outer)
      kept->is_live = 1;
   is_on = 1;
   CALLGRIND_START_INSTRUMENTATION;
}}
static inline __attribute__((always_inline)) void maybe_switch(void)
{{
   if (!draws_switch())
      return;
   if (is_on) {{
      CALLGRIND_STOP_INSTRUMENTATION;
      is_on = 0;
   }} else
      start();
}}
#else
static int height;
#define LEAVE() ((void)0)
#define UNDER_WAY(NUMBER) ((void)0)
#define HEIGHT height
#endif

/* The next statement is the first of a written frame: `keep` has called it.  What lay on
   the stack when measurement was switched on, has not been called.  */
#define AGAIN(G, LEVEL)                                                                 \\
   if (!newest->is_live) {{                                                             \\
      TRUTH_ADD(truth_arcs[fn_keep][fn_##G]);                                           \\
      TRUTH_ADD(truth_entered[fn_##G]);                                                 \\
   }}                                                                                   \\
   WRITTEN_HEIGHT(LEVEL)                                                                \\
   FROM_KEEP();                                                                         \\
   const unsigned long truth_path __attribute__((unused)) = WRITTEN_PATH(G)
#ifdef TRUTH_WITHOUT_PATHS
#define FROM_KEEP() ((void)0)
#define KEEP_PATH() 0
#define WRITTEN_PATH(G) 0
#else
#define FROM_KEEP() ((void)(truth_calling = newest->path))
#define KEEP_PATH() truth_calling
#define WRITTEN_PATH(G) truth_enter(fn_##G, TRUTH_UNIT, 0)
#endif
#ifdef SWITCHES
#define WRITTEN_HEIGHT(LEVEL)                                                           \\
   height = newest->height + 1;                                                         \\
   for (int level_ = 1; level_ <= (LEVEL); level_++)                                    \\
      UNDER_WAY(written[level_]);
#else
#define WRITTEN_HEIGHT(LEVEL)
#endif

/* `keep` is the caller of what the way to the frames leads over.  */
#define GOES_BY_HOP(F)                                                                  \\
   TRUTH_ADD(truth_arcs[fn_keep][fn_hop]);                                              \\
   TRUTH_ADD(truth_entered[fn_hop]);                                                    \\
   FROM_KEEP();                                                                         \\
   TRUTH_PASS_PATH(fn_hop)
"""

SWITCHES = """\
#include "callgrind.h"
#define SWITCHES
static unsigned long is_on = {is_on};
#define TRUTH_UNIT is_on
static int under_way[4000], height;
static unsigned long random_state = {seed};
static inline __attribute__((always_inline)) int draws_switch(void)
{{
   random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
   return (random_state >> 33) % {one_in} == 0;
}}
"""

FINISH = """\
OPAQUE void finish(struct kept *kept)
{
   ENTER(finish);
   kept->count = *(volatile long *)&kept->count;
}
"""

F_OUTER = """\
OPAQUE long {name}(long a, long depth)
{{
   ENTER({name});
   volatile long sum = a & 0xfff;
   volatile char room[{size}];
   room[0] = 1;
   {work} NO_TAIL_CALL;
   {call}
   NO_TAIL_CALL;
   return sum + room[0];
}}
"""

F_LAST = """\
OPAQUE long {name}(long a, long depth)
{{
   ENTER({name});
   volatile long sum = a & 0xfff;
   volatile char room[{size}];
   room[0] = 1;
   {work} NO_TAIL_CALL;
   if (depth > 0 && (sum & {again}) != 0) {{
      CALL({name}, {name});
      sum += {name}(sum ^ {again}, depth - 1);
      NO_TAIL_CALL;
   }}
   newest->is_replaced = 1;
   newest->is_live = 0;
   {hop}
   CALL({name}, replace);
   {{
      {replace}
      replace(newest);
   }}
}}
"""

SORT = """\
static volatile long sort_sum, sort_depth;
OPAQUE int compare(const void *left, const void *right)
{{
   (void)left, (void)right;
   ENTER(compare);
   CALL(compare, {callee});
   sort_sum += {callee}(sort_sum, sort_depth);
   NO_TAIL_CALL;
   return 0;
}}
static inline __attribute__((always_inline)) void sort_by(long sum, long depth)
{{
   int numbers[3] = {{1, 2, 3}};
   sort_sum = sum;
   sort_depth = depth;
   qsort(numbers, 3, sizeof(int), compare);
}}
"""

G_OUTER = """\
OPAQUE long {name}(long a, long depth)
{{
   ENTER({name});
   volatile long sum = (a & 0xff) + 1;
   volatile char room[{size}];
   room[0] = 1;
   CALL({name}, {callee});
   sum += {callee}(sum, depth);
   NO_TAIL_CALL;
   if (newest->is_replaced) {{
      AGAIN({name}, {level});
      {work}
      LEAVE();
   }} else
      LEAVE();
   return (sum + room[0]) & 0xffff;
}}
"""

G_INNER = """\
OPAQUE long {name}(long a, long depth)
{{
   ENTER({name});
   volatile long sum = (a & 0xff) + 1;
   volatile char room[{size}];
   room[0] = 1;
   CALL({name}, snapshot);
   TRUTH_ADD(truth_entered[fn_snapshot]);
   TRUTH_PASS_PATH(fn_snapshot);
   if (snapshot(newest)) {{
      AGAIN({name}, {level});
      {work}
      LEAVE();
   }} else
      LEAVE();
   return (sum + room[0]) & 0xffff;
}}
"""

# Called twice from one place, so that its frame lies at the same address.
HOLDER = """\
OPAQUE long holder(long a, long depth)
{{
   ENTER(holder);
   volatile long sum = a & 0xfff;
   struct kept here;
   here.outer = newest;
   here.is_live = 0;
   here.height = HEIGHT;
   for (volatile int round = 0; round < {rounds}; round++)
      for (volatile int turn = 0; turn < 2; turn++) {{
         int writes = turn == 0;
         newest = &here;
         if (writes)
            here.is_replaced = 0;
         CALL(holder, keep);
         PASS_NUMBER(fn_keep, writes ? fn_{written} : fn_{left});
         here.path = KEEP_PATH();
         UNDER_WAY(fn_keep);
         sum += keep(writes ? {written} : {left}, sum, depth - 1, &here);
         NO_TAIL_CALL;
         height = here.height;
         newest = here.outer;
      }}
   LEAVE();
   return sum & 0xffff;
}}
"""

DRIVER = """\
OPAQUE void *driver(void *argument)
{{
   ENTER(driver);
   volatile long sum = (long)argument;
   fuel = {fuel};
   {call}
   return (void *)sum;
}}
#define DRIVE()                                                                         \\
   do {{                                                                                \\
      pthread_t thread;                                                                 \\
      void *result;                                                                     \\
      CALL_OUT(main, pthread_create);                                                   \\
      if (pthread_create(&thread, NULL, driver, (void *)sum) != 0)                      \\
         return 1;                                                                      \\
      CALL_OUT(main, pthread_join);                                                     \\
      pthread_join(thread, &result);                                                    \\
      sum += (long)result;                                                              \\
   }} while (0)
"""

MAIN = """\
OPAQUE int main(void)
{{
   ENTER(main);
   volatile long sum = {seed};
   for (volatile int round = 0; round < {rounds}; round++) {{
      fuel = {fuel};
      {call}
      {drive}
   }}
#ifdef SWITCHES
   if (!is_on)
      start();
#endif
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

# struct kept
ANCHOR, SP, RIP, SAVED, COUNT, WORDS = 0, 8, 16, 24, 72, 80
REGISTERS = ("rbx", "rbp", "r12", "r13", "r14", "r15")


def saved_words() -> int:
    """How many `saved` has: the registers, and one more to have a multiple of 16."""
    return len(replacing_arm64.REGISTERS) + 1 if target() == ARM64 else len(REGISTERS)


def keep_text(random_: random.Random, must_have_frames: bool) -> str:
    """Calls a function on a frame whose address it keeps."""
    if target() == ARM64:
        return replacing_arm64.keep_text(random_, must_have_frames)
    has_frames = must_have_frames or random_.random() < 0.5
    grow = [".cfi_adjust_cfa_offset 8"] if has_frames else []
    shrink = [".cfi_adjust_cfa_offset -8"] if has_frames else []
    room = 8 + 16 * random_.choice((0, 0, 1, 5))
    lines: list[str] = []
    for register in REGISTERS:
        lines += [f"push %{register}", *grow]
        if has_frames:
            lines.append(f".cfi_rel_offset {register}, 0")
    lines += [f"sub ${room},%rsp"]
    lines += [f".cfi_adjust_cfa_offset {room}"] if has_frames else []
    lines += [f"mov %rsp,{ANCHOR}(%rcx)", "mov %rdi,%rax", "mov %rsi,%rdi"]
    lines += ["mov %rdx,%rsi", "call *%rax", f"add ${room},%rsp"]
    lines += [f".cfi_adjust_cfa_offset -{room}"] if has_frames else []
    for register in reversed(REGISTERS):
        lines += [f"pop %{register}", *shrink]
        if has_frames:
            lines.append(f".cfi_restore {register}")
    return assembler("keep", [*lines, "ret"], cfi=has_frames)


def snapshot_text() -> str:
    """Copies all frames up to the kept one; it returns again when they are put back."""
    if target() == ARM64:
        return replacing_arm64.snapshot_text()
    lines = ["mov (%rsp),%rax", f"mov %rax,{RIP}(%rdi)"]
    lines += ["lea 8(%rsp),%rsi", f"mov %rsi,{SP}(%rdi)"]
    for at, register in enumerate(REGISTERS):
        lines.append(f"mov %{register},{SAVED + 8 * at}(%rdi)")
    lines += [f"mov {ANCHOR}(%rdi),%rcx", "sub %rsi,%rcx", "shr $3,%rcx"]
    lines += ["cmp $4096,%rcx", "jbe 1f", "ud2", "1:", f"mov %rcx,{COUNT}(%rdi)"]
    lines += [f"add ${WORDS},%rdi", "rep movsq", "xor %eax,%eax", "ret"]
    return assembler("snapshot", lines)


LOADS = (
    [f"mov {ANCHOR}(%rdi),%rsp"],
    [f"mov {ANCHOR}(%rdi),%rdx", "mov %rdx,%rsp"],
    [f"mov {ANCHOR}(%rdi),%rdx", "xchg %rdx,%rsp"],
)
TAKE_OFF = (
    f"mov {ANCHOR}(%rdi),%rcx",
    "jmp 5f",
    "4:",
    "pop %rax",
    "5:",
    "cmp %rsp,%rcx",
    "jne 4b",
)
CALL_FINISH = (
    "push %rdi",
    "mov %rsp,%rax",
    "sub $8,%rsp",
    "and $-16,%rsp",
    "mov %rax,(%rsp)",
    "call finish",
    "mov (%rsp),%rsp",
    "pop %rdi",
)
FILLS = (
    [
        f"mov {COUNT}(%rdi),%rcx",
        "jmp 2f",
        "1:",
        "dec %rcx",
        f"push {WORDS}(%rdi,%rcx,8)",
        "2:",
        "test %rcx,%rcx",
        "jne 1b",
    ],
    [
        f"mov {COUNT}(%rdi),%rcx",
        "lea (,%rcx,8),%rdx",
        "sub %rdx,%rsp",
        "mov %rdi,%rdx",
        f"lea {WORDS}(%rdx),%rsi",
        "mov %rsp,%rdi",
        "rep movsq",
        "mov %rdx,%rdi",
    ],
)
ENDS = (
    ["ret"],
    ["pop %rdx", "jmp *%rdx"],
    ["mov (%rsp),%rdx", "lea 8(%rsp),%rsp", "jmp *%rdx"],
)


def replace_text(random_: random.Random, finishes: bool, hops: bool) -> str:
    """Throws frames away, puts the copied ones there, and goes on in the innermost."""
    if target() == ARM64:
        return replacing_arm64.replace_text(random_, finishes, hops)
    lines: list[str] = []
    if finishes:
        lines += [*TAKE_OFF, *CALL_FINISH]
    lines += random_.choice(LOADS)
    lines += random_.choice(FILLS)
    for at, register in enumerate(REGISTERS):
        lines.append(f"mov {SAVED + 8 * at}(%rdi),%{register}")
    lines += [f"push {RIP}(%rdi)", "mov $1,%eax"]
    if hops:
        lines += ["lea hop(%rip),%rdx", "push %rdx"]
    lines += random_.choice(ENDS)
    text = assembler("replace", lines)
    if hops:
        hop = random_.choice((["nop", "ret"], ["ret"], ["pop %rdx", "jmp *%rdx"]))
        text += assembler("hop", hop)
    return text
