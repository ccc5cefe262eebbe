# SPDX-License-Identifier: GPL-2.0-or-later
"""Machine code that is written, run and written anew in its place.

In one form the code is made at run time, in a mapping of its own or on the stack, and has
no name; it calls functions of the program, and one of these may rewrite it while it is
under way.  In the other, functions of the executable itself have a call or a jump whose
target is changed while the program runs.  Each runs with an option of the core that makes
it notice such changes.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.architecture import ARM64, target
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import assembler, rewritten_amd64, rewritten_arm64, web
from tests.groundtruth.kinds.writing import PRINTF, Tree

TEXTS = rewritten_arm64 if target() == ARM64 else rewritten_amd64

INLINE = "static inline __attribute__((always_inline))"

GENERATED_HEAD = """\
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include "truth.h"

struct wide {{
   long v[3];
}};

typedef long (*Code)(long a);

static unsigned char* place;

/* Byte by byte, so that no function of the library is called.  */
{inline} unsigned char* put(unsigned char* at, uint64_t bytes, int count)
{{
   for (int i = 0; i < count; i++)
      ((volatile unsigned char*)at)[i] = (unsigned char)(bytes >> 8 * i);
   return at + count;
}}
"""

REWRITE = """\
static const Code rewritten[] = {{{callees}}};
static int rewrites;

/* Called by the code that it rewrites: the call that is under way stays as it is.  */
OPAQUE long rewrite(long a)
{{
   ENTER(rewrite);
   if (rewrites > 0) {{
      rewrites--;
      write_code(place, rewritten, {count});
   }}
   return a;
}}
"""

RUN = """\
OPAQUE long run_code(long a)
{{
   ENTER(run_code);
   CALL_OUT(run_code, code);
   long sum = ((Code)place)(a);
   NO_TAIL_CALL;
   return sum & 0xff;
}}
"""

GENERATED_MAIN = """\
{rounds_data}
OPAQUE int main(void)
{{
   ENTER(main);
   long sum = 0;
{make_place}
   for (int round = 0; round < {rounds}; round++) {{
      rewrites = round & 1;
      write_code(place, calls[round].callees, calls[round].count);
      for (int i = 0; i < {repeats}; i++) {{
         CALL(main, run_code);
         sum += run_code(i);
         NO_TAIL_CALL;
      }}
   }}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

PLACES = {
    "mapped": """\
   CALL_OUT(main, mmap);
   place = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   place += {offset};
""",
    "stack": """\
   unsigned char buffer[3 * 4096];
   place = (unsigned char*)(((uintptr_t)buffer + 4095) & ~4095UL);
   CALL_OUT(main, mprotect);
   if (mprotect(place, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
      return 1;
""",
}

OUTSIDE = {
    # Code without an object is called by the address where it was entered.
    "code": ["0x*", "[?][?][?]*"],
    "mmap": ["*mmap*"],
    "mprotect": ["*mprotect"],
}


def generated_code(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    tree = Tree(random_, random_.randint(3, 6), 60)
    tree.write()
    names = tree.names
    most = random_.randint(1, 6)
    rounds = random_.randint(2, 8)
    rows = ""
    for _ in range(rounds):
        callees = [random_.choice([*names, "rewrite"]) for _ in range(most)]
        count = random_.randint(1, most)
        rows += f"   {{{{{', '.join(callees)}}}, {count}}},\n"
    data = (
        f"static const struct {{\n   Code callees[{most}];\n   int count;\n"
        f"}} calls[] = {{\n{rows}}};\n"
    )
    later = ", ".join(random_.choice(names) for _ in range(most))
    where = random_.choice(list(PLACES))
    make_place = PLACES[where].format(offset=random_.choice(TEXTS.OFFSETS))
    checks = [*TEXTS.CHECKS] + (["stack"] if where == "stack" else [])
    check = f"--smc-check={random_.choice(checks)}"
    main = GENERATED_MAIN.format(
        rounds_data=data,
        make_place=make_place,
        rounds=rounds,
        repeats=random_.randint(1, 5),
    )
    parts = [GENERATED_HEAD.format(inline=INLINE), TEXTS.MADE_CODE]
    parts += [TEXTS.WRITE_CODE.format(inline=INLINE), tree.prototypes, tree.text]
    parts += [REWRITE.format(callees=later, count=most), RUN.format(), main]
    return Case(
        kind="rewritten",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=["main", "rewrite", "run_code", *names],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={**PRINTF, **OUTSIDE},
        options=[check],
        rules=Rules(
            callers={"run_code": [], "rewrite": OUTSIDE["code"]},
            uncounted_paths="code that is made at run time says who calls, not by what",
        ),
        description=f"{variant.description}; {where}, {check}",
    )


PATCHED_C = """\
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include "truth.h"

static long fuel = 1000000;
extern unsigned char pages[];

{prototypes}
{variables}
struct target {{
   long (*call)(long, long);
   int number;
}};

{table}
static const struct {{
   unsigned char* site;
   unsigned long** counter;
   int number;
}} sites[] = {{
{sites}}};

{write_target}
{inline} void direct(int which, int at)
{{
   write_target(sites[which].site, (unsigned char*)targets[at].call);
   *sites[which].counter = &truth_arcs[sites[which].number][targets[at].number];
}}
"""

PATCHED_MAIN = """\
OPAQUE int main(void)
{{
   ENTER(main);
   long sum = 0;
   CALL_OUT(main, mprotect);
   if (mprotect(pages, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
      return 1;
   for (int round = 0; round < {rounds}; round++) {{
      for (int which = 0; which < {count}; which++)
         direct(which, (round * {stride} + which) % {targets});
      for (int i = 0; i < {repeats}; i++) {{
{calls}      }}
   }}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""


def patched_code(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    names = [f"f{at}" for at in range(random_.randint(3, 6))]
    patched = [f"patched{at}" for at in range(random_.randint(1, 4))]
    # On pages of their own, which are made writable at run time.
    texts = [assembler.head(), "   .p2align 12\n   .globl pages\npages:\n"]
    texts += [
        TEXTS.PATCHED[random_.choice(list(TEXTS.PATCHED))].format(
            name=name, callee=random_.choice(names)
        )
        for name in patched
    ]
    texts.append("   .p2align 12\n")
    writers = [web.direct_call(random_, [*names, *patched])]
    functions = [web.function(random_, name, writers, 2) for name in names]
    sites = "".join(
        f"   {{site_{name}, &counter_{name}, fn_{name}}},\n" for name in patched
    )
    rows = "".join(f"   {{{name}, fn_{name}}},\n" for name in names)
    head = PATCHED_C.format(
        prototypes=web.prototypes(names)
        + "".join(f"extern long {name}(long a, long depth);\n" for name in patched),
        variables="".join(
            f"extern unsigned char site_{name}[];\nunsigned long* counter_{name};\n"
            for name in patched
        ),
        table=f"static const struct target targets[] = {{\n{rows}}};\n",
        sites=sites,
        inline=INLINE,
        write_target=TEXTS.MADE_CODE + TEXTS.DIRECT.format(inline=INLINE),
    )
    calls = "".join(
        f"         fuel = 60;\n         CALL(main, {name});\n"
        f"         sum += {name}(i, 5);\n         NO_TAIL_CALL;\n"
        for name in patched
    )
    main = PATCHED_MAIN.format(
        rounds=random_.randint(2, 8),
        count=len(patched),
        stride=random_.randint(1, 3),
        targets=len(names),
        repeats=random_.randint(1, 4),
        calls=calls,
    )
    return Case(
        kind="rewritten",
        seed=seed,
        sources={
            "main.c": "\n".join([head, *functions, main]),
            "patched.S": "\n".join(texts),
        },
        functions=["main", *names, *patched],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={**PRINTF, "mprotect": OUTSIDE["mprotect"]},
        options=["--smc-check=all"],
        rules=Rules(uncounted_paths="assembler counts no paths"),
        description=f"{variant.description}; in the executable, --smc-check=all",
    )


def generate(random_: random.Random, seed: int) -> Case:
    if random_.random() < 0.5:
        return generated_code(random_, seed)
    return patched_code(random_, seed)
