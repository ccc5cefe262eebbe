# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurement switched on and off at random places and depths.

Functions call each other in any order, some of them through the C library (qsort), and
switch measurement by client requests wherever they are.  The program counts only while it
is on.  Functions that are under way when it is switched on are callers of what comes, but
have not been called.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import web
from tests.groundtruth.kinds.writing import PRINTF

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include "callgrind.h"

/* What an event counts.  */
static unsigned long is_on = {is_on};
#define TRUTH_UNIT is_on
#include "truth.h"

static long fuel = {fuel};
static unsigned long random_state = {seed};

/* The program's functions that are under way, as it knows them itself.  */
static int under_way[2000], height;
#undef ENTER
#define ENTER(SELF) TRUTH_ADD(truth_entered[fn_##SELF]); under_way[height++] = fn_##SELF

#define INLINE static inline __attribute__((always_inline))

INLINE int draw(int n)
{{
   random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
   return (int)((random_state >> 33) % (unsigned)n);
}}

INLINE void start(void)
{{
   for (int i = 0; i < height; i++)
      LIVE(under_way[i]);
   is_on = 1;
   CALLGRIND_START_INSTRUMENTATION;
}}

INLINE void stop(void)
{{
   CALLGRIND_STOP_INSTRUMENTATION;
   is_on = 0;
}}

INLINE void maybe_switch(int one_in)
{{
   if (draw(one_in) != 0)
      return;
   if (is_on)
      stop();
   else
      start();
}}
"""

# Reached through the library, whose functions are then under way as well.
SORT = """\
static long below_sort;

OPAQUE int compare(const void* left, const void* right)
{{
   ENTER(compare);
   long sum = *(const int*)left;
   if (below_sort > 0 && fuel > 0) {{
      long depth = below_sort;
      fuel--;
      CALL(compare, {callee});
      sum += {callee}(sum, depth - 1);
      below_sort = depth;
   }}
   maybe_switch({one_in});
   height--;
   __asm__ volatile("" : : "r"(sum));
   return *(const int*)left - *(const int*)right;
}}

OPAQUE long sort(long a, long depth)
{{
   ENTER(sort);
   int numbers[4] = {{draw(9), draw(9), draw(9), draw(9)}};
   long before = below_sort;
   below_sort = depth;
   CALL_OUT(sort, qsort);
   qsort(numbers, 4, sizeof(int), compare);
   below_sort = before;
   maybe_switch({one_in});
   height--;
   return numbers[1] + a;
}}
"""

MAIN = """\
OPAQUE int main(void)
{{
   ENTER(main);
   long sum = 1;
   for (int round = 0; round < {rounds}; round++) {{
      fuel = {fuel};
      CALL(main, {first});
      sum += {first}(sum + round, {depth});
      NO_TAIL_CALL;
      maybe_switch(3);
   }}
   if (!is_on)
      start();
   fuel = {fuel} / 4;
   CALL(main, {first});
   sum += {first}(sum, {depth});
   if (!is_on)
      start();
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

# The library's own functions between sort and compare.
SORTING = ["*qsort*", "*msort*"]


def function_text(
    random_: random.Random, name: str, names: list[str], one_in: int
) -> str:
    def switch(caller: str) -> str:
        del caller
        return f"maybe_switch({one_in});"

    direct = web.direct_call(random_, names)
    by_table = web.table_call(random_, "table", len(names))
    writers = [direct, by_table, direct, switch]
    text = web.function(random_, name, writers)
    return text.replace("   return sum &", "   height--;\n   return sum &")


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    names = [f"f{at}" for at in range(random_.randint(2, 7))]
    callable_names = [*names, "sort"]
    fuel = random_.randint(200, 1000)
    one_in = random_.choice((2, 5, 20, 60))
    is_on = random_.randint(0, 1)
    parts = [HEAD.format(is_on=is_on, fuel=fuel, seed=seed)]
    parts.append(web.prototypes(callable_names))
    parts.append(web.table("table", callable_names))
    parts.append(SORT.format(callee=random_.choice(names), one_in=one_in))
    parts += [function_text(random_, name, callable_names, one_in) for name in names]
    parts.append(
        MAIN.format(
            rounds=random_.randint(2, 6),
            fuel=fuel,
            first=names[0],
            depth=random_.choice((5, 12, 60)),
        )
    )
    option = "yes" if is_on else "no"
    return Case(
        kind="start_stop",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=["main", *callable_names, "compare"],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={**PRINTF, "qsort": ["*qsort*"]},
        options=[f"--instr-atstart={option}"],
        rules=Rules(
            roots=SORTING,
            uncounted_paths="it counts by macros of its own",
        ),
        description=f"{variant.description}; switched one time in {one_in}, "
        f"--instr-atstart={option}",
    )
