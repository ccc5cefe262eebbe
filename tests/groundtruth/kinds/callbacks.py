# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions of the program that the C library calls.

Comparisons for qsort, qsort_r, bsearch, lfind and tree searches, actions of tree walks,
functions given to pthread_once, atexit, on_exit and dl_iterate_phdr, streams of one's own
(fopencookie): each may call others of the program.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Sequence

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds.writing import PRINTF, Tree, call_text

HEAD = """\
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "truth.h"

struct wide {
   long v[3];
};

static unsigned long random_state = 12345;

static inline __attribute__((always_inline)) int draw(void)
{
   random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
   return (int)((random_state >> 33) % 1000);
}
"""

# The library's headers have some of these as inline code, which is no call.
COMPARE = """\
OPAQUE int compare{at}(const void* left, const void* right)
{{
   ENTER(compare{at});
   long a = *(const int*)left, sum = a;
{work}
   NO_TAIL_CALL;
   __asm__ volatile("" : : "r"(sum));
   return *(const int*)left - *(const int*)right;
}}

OPAQUE int compare{at}_r(const void* left, const void* right, void* more)
{{
   ENTER(compare{at}_r);
   ++*(long*)more;
   CALL(compare{at}_r, compare{at});
   return compare{at}(left, right);
}}

OPAQUE void walk{at}(const void* node, VISIT which, int depth)
{{
   ENTER(walk{at});
   long a = **(const int* const*)node + depth + (int)which, sum = a;
{work}
   NO_TAIL_CALL;
   __asm__ volatile("" : : "r"(sum));
}}

OPAQUE void once{at}(void)
{{
   ENTER(once{at});
   long a = {at}, sum = a;
{work}
   NO_TAIL_CALL;
   __asm__ volatile("" : : "r"(sum));
}}

OPAQUE int object{at}(struct dl_phdr_info* info, size_t size, void* data)
{{
   ENTER(object{at});
   long a = (long)size & 7, sum = a + info->dlpi_phnum;
{work}
   *(long*)data += sum;
   return 0;
}}

OPAQUE ssize_t put{at}(void* cookie, const char* text, size_t size)
{{
   ENTER(put{at});
   long a = *text, sum = *(long*)cookie;
{work}
   *(long*)cookie = sum & 0xff;
   return (ssize_t)size;
}}
"""

USERS = {
    "sort": """\
OPAQUE long sort{at}(long a)
{{
   ENTER(sort{at});
   int numbers[{count}];
   for (int i = 0; i < {count}; i++)
      numbers[i] = draw();
   CALL_OUT(sort{at}, qsort);
   qsort(numbers, {count}, sizeof(int), compare{use});
   return numbers[{count} / 2] + a;
}}
""",
    "sort_r": """\
OPAQUE long sort_r{at}(long a)
{{
   ENTER(sort_r{at});
   int numbers[{count}];
   long comparisons = 0;
   for (int i = 0; i < {count}; i++)
      numbers[i] = draw();
   CALL_OUT(sort_r{at}, qsort);
   qsort_r(numbers, {count}, sizeof(int), compare{use}_r, &comparisons);
   return comparisons + a;
}}
""",
    "search": """\
OPAQUE long search{at}(long a)
{{
   ENTER(search{at});
   int numbers[{count}], key = draw() % {count};
   void* (*volatile search)(const void*, const void*, size_t, size_t,
                            int (*)(const void*, const void*)) = bsearch;
   size_t size = {count};
   for (int i = 0; i < {count}; i++)
      numbers[i] = i;
   CALL_OUT(search{at}, bsearch);
   search(&key, numbers, size, sizeof(int), compare{use});
   CALL_OUT(search{at}, lfind);
   lfind(&key, numbers, &size, sizeof(int), compare{use});
   return numbers[key] + a;
}}
""",
    "tree": """\
OPAQUE long tree{at}(long a)
{{
   ENTER(tree{at});
   static int numbers[{count}];
   void* root = NULL;
   for (int i = 0; i < {count}; i++) {{
      numbers[i] = draw();
      CALL_OUT(tree{at}, tsearch);
      tsearch(&numbers[i], &root, compare{use});
   }}
   CALL_OUT(tree{at}, twalk);
   twalk(root, walk{use});
   for (int i = 0; i < {count}; i += 2) {{
      CALL_OUT(tree{at}, tdelete);
      tdelete(&numbers[i], &root, compare{use});
   }}
   return numbers[0] + a;
}}
""",
    "once_only": """\
OPAQUE long once_only{at}(long a)
{{
   ENTER(once_only{at});
   pthread_once_t control = PTHREAD_ONCE_INIT;
   for (int i = 0; i < 3; i++) {{
      CALL_OUT(once_only{at}, pthread_once);
      pthread_once(&control, once{use});
   }}
   return a + 1;
}}
""",
    "objects": """\
OPAQUE long objects{at}(long a)
{{
   ENTER(objects{at});
   long sum = a;
   CALL_OUT(objects{at}, dl_iterate_phdr);
   dl_iterate_phdr(object{use}, &sum);
   return sum & 0xff;
}}
""",
    "stream": """\
OPAQUE long stream{at}(long a)
{{
   ENTER(stream{at});
   long cookie = a;
   cookie_io_functions_t functions = {{.write = put{use}}};
   CALL_OUT(stream{at}, fopencookie);
   FILE* file = fopencookie(&cookie, "w", functions);
   for (int i = 0; i < {count}; i++) {{
      CALL_OUT(stream{at}, fputs);
      fputs("a line of text\\n", file);
      if (i % 3 == 0) {{
         CALL_OUT(stream{at}, fflush);
         fflush(file);
      }}
   }}
   CALL_OUT(stream{at}, fclose);
   fclose(file);
   return cookie;
}}
""",
}

AT_EXIT = """\
OPAQUE void last{at}(void)
{{
   ENTER(last{at});
   CALL(last{at}, {user});
   {user}(3);
   NO_TAIL_CALL;
}}

OPAQUE void status{at}(int status, void* data)
{{
   ENTER(status{at});
   CALL(status{at}, {user});
   {user}(status + *(long*)data);
   NO_TAIL_CALL;
}}
"""

MAIN = """\
OPAQUE int main(void)
{{
   ENTER(main);
   static long data = 5;
   long sum = 0;
{register}   for (int round = 0; round < {rounds}; round++) {{
{calls}   }}
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

OUTSIDE = {
    "qsort": ["*qsort*"],
    "bsearch": ["bsearch"],
    "lfind": ["lfind"],
    "tsearch": ["*tsearch"],
    "twalk": ["*twalk"],
    "tdelete": ["*tdelete"],
    "pthread_once": ["*pthread_once*"],
    "dl_iterate_phdr": ["*dl_iterate_phdr"],
    "fopencookie": ["*fopencookie*"],
    "fputs": ["*fputs", "*fwrite"],
    "fflush": ["*fflush*"],
    "fclose": ["*fclose*"],
    "atexit": ["atexit"],
    "on_exit": ["*on_exit"],
}


@dataclass
class Users:
    """Functions that hand callbacks to the library."""

    text: str
    names: list[str]


def users(random_: random.Random, callbacks: int) -> Users:
    texts, names = [], []
    for at in range(random_.randint(2, 6)):
        kind = random_.choice(list(USERS))
        values = {"count": random_.randint(3, 24), "use": random_.randrange(callbacks)}
        texts.append(USERS[kind].format(at=at, **values))
        names.append(f"{kind}{at}")
    return Users("\n".join(texts), names)


def compare_names(at: int) -> list[str]:
    own = (f"compare{at}", f"compare{at}_r", f"walk{at}", f"once{at}")
    return [*own, f"object{at}", f"put{at}"]


def callbacks_text(random_: random.Random, tree: Tree, count: int) -> str:
    """Each callback may call the tree's first function."""
    texts = []
    for at in range(count):
        callee = random_.choice(tree.functions[:3])
        text = COMPARE.format(at=at, work="   {work}")
        # Which function calls stands in its ENTER.
        lines, name = [], ""
        for line in text.splitlines():
            if "ENTER(" in line:
                name = line.split("(")[1].split(")")[0]
            call = call_text(name, callee, "a") if random_.random() < 0.5 else ""
            lines.append(line.replace("{work}", call))
        texts.append("\n".join(lines))
    return "\n".join(texts)


def registrations(last: Sequence[str]) -> str:
    text = ""
    for name in last:
        if name.startswith("last"):
            text += f"   CALL_OUT(main, atexit);\n   atexit({name});\n"
        else:
            text += f"   CALL_OUT(main, on_exit);\n   on_exit({name}, &data);\n"
    return text


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    tree = Tree(random_, random_.randint(3, 6), 40)
    tree.write()
    count = random_.randint(1, 3)
    callbacks = callbacks_text(random_, tree, count)
    using = users(random_, count)
    last_count = random_.randint(0, 2)
    last_text = "\n".join(
        AT_EXIT.format(at=at, user=random_.choice(using.names))
        for at in range(last_count)
    )
    last_names = [f"last{at}" for at in range(last_count)]
    last_names += [f"status{at}" for at in range(last_count)]
    calls = "".join(
        f"      CALL(main, {name});\n      sum += {name}(round);\n"
        for name in using.names
    )
    main = MAIN.format(
        register=registrations(random_.sample(last_names, len(last_names))),
        rounds=random_.randint(1, 3),
        calls=calls,
    )
    parts = [HEAD, tree.prototypes, tree.text, callbacks, using.text, last_text, main]
    functions = ["main", *tree.names, *using.names, *last_names]
    for at in range(count):
        functions += compare_names(at)
    within: dict[str, list[str]] = {name: [] for name in [*tree.names, *using.names]}
    return Case(
        kind="callbacks",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=functions,
        compiler=variant.compiler,
        flags=[*variant.flags, "-pthread"],
        link_flags=variant.link_flags,
        outside={**PRINTF, **OUTSIDE},
        rules=Rules(
            callers=within,
            uncounted_flat_paths="the C library ends with jumps to what it calls back",
        ),
        description=variant.description,
    )
