# SPDX-License-Identifier: GPL-2.0-or-later
"""C++ thread_local objects, whose constructors and destructors call functions.

Threads are started with std::thread or pthread_create.  Functions of a web use
thread_local objects of the executable and of a library, at namespace scope and inside
functions.  The first use in a thread constructs them; the thread's end destroys them,
which may construct others.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Library, Rules
from tests.groundtruth.kinds import web

HEADER = """\
#ifndef LOCALS_H
#define LOCALS_H
#include <cstdio>
#include <pthread.h>
#include <thread>
#include "truth.h"

extern "C" {{
{prototypes}}}

/* `owner` is the function that constructs the object, or NOBODY where that is code of the
   compiler's own.  */
enum {{ NOBODY = -1 }};
struct Local {{
   long value;
   OPAQUE Local(int owner, long start);
   OPAQUE ~Local();
   OPAQUE long use(long a);
}};
{objects}extern thread_local volatile long fuel;
#endif
"""

CLASS = """\
#include "locals.h"

thread_local volatile long fuel;
thread_local Local shared(NOBODY, 5);

/* It uses no object, for that might be the one under construction.  */
extern "C" OPAQUE long build(long a, long depth)
{{
   ENTER(build);
   long sum = a;
   for (int i = 0; i < 2 && depth > 0; i++) {{
      CALL(build, build);
      sum += build(sum, depth - 1);
      NO_TAIL_CALL;
   }}
   return sum;
}}

Local::Local(int owner, long start) : value(start)
{{
   if (owner != NOBODY)
      CALL_NUMBER(owner, fn_Local_Local_int_long);
   ENTER(Local_Local_int_long);
   CALL(Local_Local_int_long, build);
   value += build(start, {build_depth});
}}

Local::~Local()
{{
   ENTER(Local_Local);
   fuel = {fuel};
   CALL(Local_Local, {first});
   value += {first}(value, 2);
   NO_TAIL_CALL;
}}

long Local::use(long a)
{{
   ENTER(Local_use_long);
   value += a;
   return value & 0xff;
}}
"""

CONSTRUCTOR = "Local::Local(int, long)"
DESTRUCTOR = "Local::~Local()"
USE = "Local::use(long)"

# A function with an object of its own.
OWNER = """\
extern "C" OPAQUE long {name}(long a, long depth)
{{
   ENTER({name});
   static thread_local Local own(fn_{name}, a & 7);
   CALL({name}, Local_use_long);
   long sum = own.use(a);
   if (depth > 0 && fuel > 0) {{
      fuel--;
      CALL({name}, {callee});
      sum += {callee}(sum, depth - 1);
   }}
   return sum;
}}
"""

WORK = """\
extern "C" OPAQUE long work(long a)
{{
   ENTER(work);
   fuel = {fuel};
   CALL(work, {first});
   return {first}(a, {depth});
}}

extern "C" OPAQUE void *work_plain(void *argument)
{{
   ENTER(work_plain);
   CALL(work_plain, work);
   work((long)argument);
   NO_TAIL_CALL;
   return argument;
}}

/* Not among the functions that are checked, nor is main: both call all of std.  */
static void start(int number, bool plain)
{{
   if (plain) {{
      pthread_t thread;
      pthread_create(&thread, nullptr, work_plain, (void *)(long)number);
      pthread_join(thread, nullptr);
   }} else
      std::thread(work, (long)number).join();
}}

int main()
{{
   start(0, true);
   static const bool plain[] = {{{plain}}};
   pthread_t threads[{count}];
   for (int at = 0; at < {count}; at++)
      if (plain[at])
         pthread_create(&threads[at], nullptr, work_plain, (void *)(long)at);
   std::thread others[{count}];
   for (int at = 0; at < {count}; at++)
      if (!plain[at])
         others[at] = std::thread(work, (long)at);
   start({count}, false);
   for (int at = 0; at < {count}; at++)
      if (plain[at])
         pthread_join(threads[at], nullptr);
      else
         others[at].join();
   printf("%d threads\\n", {count} + 2);
}}
"""


def object_use(random_: random.Random, objects: list[str]) -> web.CallWriter:
    def write(caller: str) -> str:
        used = random_.choice(objects)
        return f"{{ CALL({caller}, Local_use_long); sum += {used}.use(sum); }}"

    return write


def generate(random_: random.Random, seed: int) -> Case:
    in_library = random_.random() < 0.6
    variant = variants.draw(random_, language="c++", may_be_static=not in_library)
    names = [f"n{at}" for at in range(random_.randint(1, 4))]
    owners = [f"owner{at}" for at in range(random_.randint(0, 2))]
    objects = [f"object{at}" for at in range(random_.randint(0, 2))]
    texts = ['#include "locals.h"\n']
    # In a file of their own: otherwise their construction may be put into functions.
    objects_text = '#include "locals.h"\n' + "".join(
        f"thread_local Local {name}(NOBODY, {at});\n" for at, name in enumerate(objects)
    )
    writers = [
        web.direct_call(random_, names),
        web.direct_call(random_, names + owners),
        object_use(random_, [*objects, "shared"]),
    ]
    for name in names:
        texts.append(f'extern "C" {web.function(random_, name, writers)}')
    for name in owners:
        texts.append(OWNER.format(name=name, callee=random_.choice(names)))
    count = random_.choice((1, 3, 10))
    values = {"fuel": random_.randint(5, 60), "first": random_.choice(names)}
    plain = ", ".join(random_.choice(("true", "false")) for _ in range(count))
    texts.append(
        WORK.format(**values, depth=random_.choice((2, 5)), count=count, plain=plain)
    )
    class_text = CLASS.format(**values, build_depth=random_.randint(0, 3))
    prototypes = "".join(
        f"OPAQUE long {name}(long a, long depth);\n"
        for name in [*names, *owners, "build"]
    )
    declarations = "".join(
        f"extern thread_local Local {name};\n" for name in [*objects, "shared"]
    )
    sources = {
        "main.cpp": "\n".join(texts),
        "locals.h": HEADER.format(prototypes=prototypes, objects=declarations),
        "objects.cpp": objects_text,
    }
    libraries = []
    if in_library:
        libraries.append(Library("locals", {"class.cpp": class_text}))
    else:
        sources["class.cpp"] = class_text
    functions = [*names, *owners, "build", "work", "work_plain"]
    functions += [CONSTRUCTOR, DESTRUCTOR, USE]
    return Case(
        kind="thread_locals",
        seed=seed,
        sources=sources,
        functions=functions,
        compiler=variant.compiler,
        flags=[*variant.flags, "-pthread"],
        link_flags=variant.link_flags,
        libraries=libraries,
        rules=Rules(
            uncounted_paths="constructors are called for the one that touches them first",
            roots=["clone", "__clone*", "clone3", "start_thread", "thread_start"],
            # The compiler's own: how an object is found, and made if it is not there.
            uncounted=[
                ("*", "TLS *"),
                ("*", "__tls_*"),
                ("*", "_ZT[HW]*"),
                ("*", "_dl_*"),
                ("*", "__cxa_thread_atexit*"),
            ],
            callers={DESTRUCTOR: ["__call_tls_dtors"]},
        ),
        description=f"{variant.description}; {count} threads"
        f"{'; in a library' if in_library else ''}",
    )
