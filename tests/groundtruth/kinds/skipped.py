# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions and whole libraries that are folded into their callers.

A program of an executable and some libraries, with calls, sibling calls and callbacks
through the C library, of which some functions, libraries, the C library or the executable
are skipped by options.  A call from skipped code counts for the nearest function under
way that is shown, which the program keeps in mind; a call of skipped code counts for
nobody.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Sequence

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Library, Rules
from tests.groundtruth.kinds import web
from tests.groundtruth.kinds.writing import PRINTF

# NO_TAIL_CALL stands behind each call that is not the last thing.  Back from it, the
# nearest function that is shown is the same as before.
COMMON = """\
#ifndef COMMON_H
#define COMMON_H
#include <stdio.h>
#include <stdlib.h>
#include "truth.h"

extern long fuel;
extern int shown;                 /* the nearest function that is shown, -1: none */
extern const char is_folded[];
extern const char is_libc_folded;

#undef CALL_NUMBER
#define CALL_NUMBER(FROM, TO)                                                           \\
   do {{                                                                                \\
      if (shown >= 0 && !is_folded[TO])                                                 \\
         TRUTH_ADD(truth_arcs[shown][TO]);                                              \\
   }} while (0)
#undef CALL
#define CALL(FROM, TO) CALL_NUMBER(fn_##FROM, fn_##TO)

#undef CALL_OUT
#define CALL_OUT(FROM, TO)                                                              \\
   do {{                                                                                \\
      if (shown >= 0 && !is_libc_folded)                                                \\
         TRUTH_ADD(truth_arcs[shown][out_##TO]);                                        \\
   }} while (0)

#define ENTER_NUMBER(SELF)                                                              \\
   if (!is_folded[SELF]) {{                                                             \\
      TRUTH_ADD(truth_entered[SELF]);                                                   \\
      shown = SELF;                                                                     \\
   }}                                                                                   \\
   const int mine = shown;                                                              \\
   (void)mine
#undef ENTER
#define ENTER(SELF) ENTER_NUMBER(fn_##SELF)

/* Entered by the C library.  Folded away it is no caller; otherwise it is the nearest
   function that is shown.  The library does not restore `shown`: the function must.  */
#define ENTER_FROM_LIBC(SELF)                                                           \\
   const int before = shown;                                                            \\
   if (is_libc_folded)                                                                  \\
      CALL_NUMBER(-1, fn_##SELF);                                                       \\
   else                                                                                 \\
      shown = -1;                                                                       \\
   ENTER_NUMBER(fn_##SELF)

#undef NO_TAIL_CALL
#define NO_TAIL_CALL                                                                    \\
   do {{                                                                                \\
      __asm__ volatile("" : : : "memory");                                              \\
      shown = mine;                                                                     \\
   }} while (0)

{prototypes}
#endif
"""

HEAD = """\
#include "common.h"

"""

SORT = """\
static long below_sort;

OPAQUE int compare(const void* left, const void* right)
{{
   ENTER_FROM_LIBC(compare);
   long sum = *(const int*)left;
   if (below_sort > 0 && fuel > 0) {{
      long depth = below_sort;
      fuel--;
      CALL(compare, {callee});
      sum += {callee}(sum, depth - 1);
      NO_TAIL_CALL;
      below_sort = depth;
   }}
   __asm__ volatile("" : : "r"(sum));
   shown = before;
   return *(const int*)left - *(const int*)right;
}}

OPAQUE long sort(long a, long depth)
{{
   ENTER(sort);
   int numbers[3] = {{3, (int)(a & 7), 1}};
   long before = below_sort;
   below_sort = depth;
   CALL_OUT(sort, qsort);
   qsort(numbers, 3, sizeof(int), compare);
   NO_TAIL_CALL;
   below_sort = before;
   return numbers[1] + a;
}}
"""

MAIN_HEAD = """\
long fuel = {fuel};
int shown = -1;
const char is_folded[] = {{{folded}}};
const char is_libc_folded = {libc};
"""

SIBLING = (
    "if (depth > 0 && fuel > 0 && (sum & {bit})) {{ fuel--; CALL({name}, {callee}); "
    "return {callee}({value}, depth - 1); }}"
)


# What the C library asks of the dynamic linker is then asked by whoever called it.
FROM_FOLDED_LIBC = [("*", "__*"), ("*", "_dl_*"), ("*", "0x*")]


@dataclass
class Folding:
    """What is folded away, and the options that do it."""

    options: list[str]
    names: set[str]
    libc: bool


def choose_folding(random_: random.Random, places: Sequence[Sequence[str]]) -> Folding:
    """Draw functions and objects; the executable's are the first place."""
    folding = Folding([], set(), False)
    for at, names in enumerate(places):
        if random_.random() < (0.1 if at == 0 else 0.35):
            file = "*/program" if at == 0 else f"*/libpart{at - 1}.so"
            folding.options.append(f"--obj-skip={file}")
            folding.names.update(names)
        for name in names:
            if random_.random() < 0.2:
                folding.options.append(f"--fn-skip={name}")
                folding.names.add(name)
    if random_.random() < 0.25:
        folding.options.append("--obj-skip=*/libc.so*")
        folding.libc = True
    return folding


def function_text(random_: random.Random, name: str, names: list[str]) -> str:
    writers = [
        web.direct_call(random_, names),
        web.direct_call(random_, names),
        web.table_call(random_, f"table_{name}", len(names)),
    ]
    text = web.function(random_, name, writers)
    others = [other for other in names if other != name]
    if random_.random() < 0.4:
        sibling = SIBLING.format(
            bit=random_.choice((1, 2, 4)),
            name=name,
            callee=random_.choice(others),
            value=web.value(random_),
        )
        text = text.replace("   return sum &", f"   {sibling}\n   return sum &")
    return f"{web.table(f'table_{name}', names)}\n{text}" if "table_" in text else text


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_, may_be_static=False)
    names = [f"f{at}" for at in range(random_.randint(3, 10))]
    callable_names = [*names, "sort"]
    count = random_.randint(1, 3)
    places: list[list[str]] = [["main", "sort", "compare"]] + [[] for _ in range(count)]
    for at, name in enumerate(names):
        places[at + 1 if at < count else random_.randrange(count + 1)].append(name)
    folding = choose_folding(random_, places)
    functions = ["main", *callable_names, "compare"]
    fuel = random_.randint(200, 1500)
    folded = ", ".join(str(int(name in folding.names)) for name in functions)
    texts = {name: function_text(random_, name, callable_names) for name in names}
    main = [HEAD, MAIN_HEAD.format(fuel=fuel, folded=folded, libc=int(folding.libc))]
    main.append(SORT.format(callee=random_.choice(names)))
    main += [texts[name] for name in places[0] if name in texts]
    starts = random_.sample(names, 2)
    depth = random_.choice((5, 12, 40))
    main.append(web.main_text(starts, seed, random_.randint(1, 3), fuel, depth))
    libraries = [
        Library(f"part{at}", {f"part{at}.c": HEAD + "\n".join(texts[n] for n in own)})
        for at, own in enumerate(places[1:])
    ]
    common = COMMON.format(prototypes=web.prototypes(callable_names))
    return Case(
        kind="skipped",
        seed=seed,
        sources={"main.c": "\n".join(main), "common.h": common},
        functions=functions,
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        libraries=libraries,
        outside={**PRINTF, "qsort": ["*qsort*"]},
        options=folding.options,
        rules=Rules(
            uncounted_paths="it counts by macros of its own",
            uncounted=FROM_FOLDED_LIBC if folding.libc else [],
            complaints=["Warning: --(fn|obj)-skip .* has matched nothing"],
        ),
        description=f"{variant.description}; {' '.join(folding.options)}",
    )
