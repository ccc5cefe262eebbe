# SPDX-License-Identifier: GPL-2.0-or-later
"""Libraries opened and closed while the program runs, at each other's addresses.

Some libraries of the same shape, but with functions of other names, are opened, called
and closed in turn, so that one is mapped where another was.  Their functions are found by
dlsym, call each other lazily bound, and call back into the executable.  Some have
constructors and destructors, which the dynamic linker calls.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Library
from tests.groundtruth.kinds.writing import HEAD, PRINTF, SIGNATURES, Tree, call_text

CONSTRUCTORS = """\
__attribute__((constructor)) OPAQUE static void open_{name}(void)
{{
   ENTER(open_{name});
   CALL(open_{name}, home);
   home({number});
   NO_TAIL_CALL;
}}

__attribute__((destructor)) OPAQUE static void close_{name}(void)
{{
   ENTER(close_{name});
   CALL(close_{name}, home);
   home({number});
   NO_TAIL_CALL;
}}
"""

MAIN = """\
#include <dlfcn.h>

static long total;

OPAQUE long home(long a)
{{
   ENTER(home);
   total += a;
   return a & 7;
}}

typedef long (*Entry)(long a);

static const struct library {{
   const char *path, *symbol;
   int number;
}} libraries[] = {{
{rows}}};

OPAQUE void* open_library(int which)
{{
   ENTER(open_library);
   CALL_OUT(open_library, dlopen);
   void* handle = dlopen(libraries[which].path, {mode});
   if (handle == NULL) {{
      fprintf(stderr, "%s\\n", dlerror());
      __builtin_trap();
   }}
   return handle;
}}

OPAQUE long use(void* handle, int which, long a)
{{
   ENTER(use);
   CALL_OUT(use, dlsym);
   Entry entry = (Entry)dlsym(handle, libraries[which].symbol);
   long sum = 0;
   for (int i = 0; i < {uses}; i++) {{
      CALL_NUMBER(fn_use, libraries[which].number);
      sum += entry(a + i);
   }}
   return sum;
}}

OPAQUE int main(void)
{{
   ENTER(main);
   static const int order[] = {{{order}}};
   long sum = 0;
   for (unsigned at = 0; at < sizeof order / sizeof order[0]; at++) {{
      int which = order[at];
      CALL(main, open_library);
      void* handle = open_library(which);
      CALL(main, use);
      sum += use(handle, which, at);
      CALL_OUT(main, dlclose);
      dlclose(handle);
   }}
   CALL_OUT(main, printf);
   printf("%ld %ld\\n", sum, total);
   return 0;
}}
"""


def library_text(
    random_: random.Random, stem: str, number: int, entered: int, constructs: bool
) -> tuple[str, list[str], str]:
    """Source, names of functions, and the entry.  One seed gives one shape."""
    tree = Tree(random_, random_.randint(2, 5), 1000, list(SIGNATURES), stem=f"{stem}_")
    tree.write(entered)
    entry = f"enter_{stem}"
    first = call_text(entry, tree.functions[0], "a")
    parts = [HEAD, "extern long home(long a);\n", tree.prototypes, tree.text]
    parts.append(
        f"OPAQUE long {entry}(long a)\n{{\n   ENTER({entry});\n   long sum = a;\n"
        f"   CALL({entry}, home);\n   sum += home(a);\n   {first}\n"
        f"   return sum & 0xffff;\n}}\n"
    )
    names = [*tree.names, entry]
    if constructs:
        parts.append(CONSTRUCTORS.format(name=stem, number=number))
        names += [f"open_{stem}", f"close_{stem}"]
    return "\n".join(parts), names, entry


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_, may_be_static=False)
    count = random_.randint(2, 4)
    shape = random_.randint(0, 1 << 30)
    constructs = random_.random() < 0.5
    libraries, functions, rows = [], ["main", "home", "open_library", "use"], ""
    uses = random_.randint(1, 3)
    order = [random_.randrange(count) for _ in range(random_.randint(4, 12))]
    for at in range(count):
        stem = "abcd"[at]
        text, names, entry = library_text(
            random.Random(shape), stem, at, uses * len(order), constructs
        )
        libraries.append(Library(f"opened{at}", {f"opened{at}.c": text}, linked=False))
        functions += names
        rows += f'   {{"./libopened{at}.so", "{entry}", fn_{entry}}},\n'
    mode = random_.choice(("RTLD_LAZY", "RTLD_NOW", "RTLD_LAZY | RTLD_GLOBAL"))
    main = MAIN.format(
        rows=rows, mode=mode, uses=uses, order=", ".join(str(at) for at in order)
    )
    return Case(
        kind="dlopen",
        seed=seed,
        sources={"main.c": HEAD + main},
        functions=functions,
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=[*variant.link_flags, "-ldl"],
        libraries=libraries,
        outside={
            **PRINTF,
            "dlopen": ["dlopen*"],
            "dlsym": ["dlsym*"],
            "dlclose": ["dlclose*"],
        },
        description=f"{variant.description}; {count} libraries, {mode}"
        + (", constructors" if constructs else ""),
    )
