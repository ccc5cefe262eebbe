# SPDX-License-Identifier: GPL-2.0-or-later
"""Recursion 200,000 deep and deeper, by one function or by three in turn.

The recursion goes down, back up for a part of the way and down again, with a leaf called
here and there, either on main's stack, which an option of the core makes large enough, or
on that of a thread.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds.writing import PRINTF

HEAD = """\
#include <pthread.h>
#include <stdio.h>
#include "truth.h"

static long deepest, bounces;

OPAQUE long leaf(long a)
{
   ENTER(leaf);
   return a & 0xff;
}
"""

# Down to `deepest`; on the way up, at a multiple of 50,000, down again, a few times.
LEVEL = """\
OPAQUE long {name}(long depth)
{{
   ENTER({name});
   long sum = 0;
   if (depth % {every} == 0) {{
      CALL({name}, leaf);
      sum += leaf(depth);
   }}
   if (depth < deepest) {{
      CALL({name}, {next});
      sum += {next}(depth + 1);
      NO_TAIL_CALL;
   }}
   if (bounces > 0 && depth % 50000 == 0) {{
      bounces--;
      CALL({name}, {next});
      sum += {next}(depth + 1);
      NO_TAIL_CALL;
   }}
   return sum & 0xffff;
}}
"""

MAIN_ALONE = """\
OPAQUE int main(void)
{{
   ENTER(main);
   deepest = {deepest};
   bounces = {bounces};
   CALL(main, {first});
   long sum = {first}(0);
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

MAIN_THREAD = """\
OPAQUE void* run(void* unused)
{{
   ENTER(run);
   CALL(run, {first});
   long sum = {first}(0);
   NO_TAIL_CALL;
   return (char*)unused + sum;
}}

OPAQUE int main(void)
{{
   ENTER(main);
   pthread_attr_t attributes;
   pthread_t thread;
   void* result;
   deepest = {deepest};
   bounces = {bounces};
   CALL_OUT(main, pthread);
   pthread_attr_init(&attributes);
   CALL_OUT(main, pthread);
   pthread_attr_setstacksize(&attributes, {stack}UL);
   CALL_OUT(main, pthread);
   if (pthread_create(&thread, &attributes, run, NULL) != 0)
      return 1;
   CALL_OUT(main, pthread);
   pthread_join(thread, &result);
   CALL_OUT(main, printf);
   printf("%ld\\n", (long)result);
   return 0;
}}
"""

STACK = 400_000_000
# Of the core, the program and its deep stack; a shadow stack of a hundred bytes a frame
# has room in it, one that is not given back on the way up has not.
PEAK_MEMORY = 128_000


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    in_thread = random_.random() < 0.4
    names = [f"level{at}" for at in range(random_.choice((1, 1, 2, 3)))]
    values = {
        "deepest": random_.choice((200_000, 250_000)),
        "bounces": random_.randint(0, 2),
        "first": names[0],
        "stack": STACK,
    }
    levels = [
        LEVEL.format(
            name=name,
            next=names[(at + 1) % len(names)],
            every=random_.choice((1, 7, 1000)),
        )
        for at, name in enumerate(names)
    ]
    prototypes = "".join(f"OPAQUE long {name}(long depth);\n" for name in names)
    main = (MAIN_THREAD if in_thread else MAIN_ALONE).format(**values)
    functions = ["main", "leaf", *names] + (["run"] if in_thread else [])
    place = "in a thread" if in_thread else "on main's stack"
    return Case(
        kind="deep",
        seed=seed,
        sources={"main.c": "\n".join([HEAD, prototypes, *levels, main])},
        functions=functions,
        compiler=variant.compiler,
        flags=[*variant.flags, "-pthread"],
        link_flags=variant.link_flags,
        outside={**PRINTF, "pthread": ["*pthread_*"]},
        options=[] if in_thread else [f"--main-stacksize={STACK}"],
        may_be_checked=False,
        rules=Rules(
            peak_memory=PEAK_MEMORY,
            uncounted_flat_paths="the program's own stack would be twice as large",
            roots=["clone", "__clone*", "clone3", "start_thread", "thread_start"],
        ),
        description=f"{variant.description}; {values['deepest']} deep {place}",
    )
