# SPDX-License-Identifier: GPL-2.0-or-later
"""C++ exceptions: thrown, caught and thrown again across functions and libraries.

Functions of the executable and of up to three libraries call each other in any order.
Some catch what those that they call throw: by type, all, or nothing that fits; they throw
it again, throw something else out of the catch, or keep it as a std::exception_ptr, which
another function throws later.  Locals have destructors that call functions, which may
throw and catch inside, while the stack is being unwound.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Library, Rules
from tests.groundtruth.kinds import busy, web

HEADER = """\
#ifndef EXCEPTIONS_H
#define EXCEPTIONS_H
#include <cstdio>
#include <exception>
#include "truth.h"
#define INLINE inline __attribute__((always_inline))

struct Error {{
   long value;
}};
struct LargeError : Error {{
   long padding[40];
}};
extern "C" {{
extern long fuel;
extern int catchers;
{prototypes}}}

/* Who may be unwound to, is counted; at 0 nothing may be thrown.  */
struct Catcher {{
   INLINE Catcher() {{ catchers++; }}
   INLINE ~Catcher() {{ catchers--; }}
}};

/* Calls clean_up when its block is left, in whatever way.  Its destructor is part of the
   function OWNER.  */
template <int owner> struct Guard {{
   long value;
   unsigned long truth_path; /* of the owner's activation */
   INLINE Guard(long v, unsigned long path) : value(v), truth_path(path) {{}}
   INLINE ~Guard()
   {{
      CALL_NUMBER(owner, fn_clean_up);
      clean_up(value);
   }}
}};
#endif
"""

SHARED = """\
#include "exceptions.h"
extern "C" {{
long fuel = 0;
int catchers = 0;
}}
static std::exception_ptr kept;

extern "C" OPAQUE long throw_int(long a)
{{
   ENTER(throw_int);
   Guard<fn_throw_int> guard(a, truth_path);
   CALL_OUT(throw_int, cxa_throw);
   throw (int)a;
}}

extern "C" OPAQUE long throw_error(long a)
{{
   ENTER(throw_error);
   if (a & 1) {{
      LargeError error{{}};
      error.value = a;
      CALL_OUT(throw_error, cxa_throw);
      throw error;
   }}
   CALL_OUT(throw_error, cxa_throw);
   throw Error{{a}};
}}

/* From the depths of a recursion, each level of which has something to clean up.  */
extern "C" OPAQUE long throw_deep(long a, long depth)
{{
   ENTER(throw_deep);
   if (depth > 0) {{
      Guard<fn_throw_deep> guard(depth, truth_path);
      CALL(throw_deep, throw_deep);
      return throw_deep(a, depth - 1) + 1;
   }}
   CALL(throw_deep, throw_error);
   return throw_error(a);
}}

extern "C" OPAQUE void keep(void)
{{
   ENTER(keep);
   kept = std::current_exception();
}}

extern "C" OPAQUE long throw_kept(long a)
{{
   ENTER(throw_kept);
   if (!kept)
      return a;
   std::exception_ptr again = kept;
   CALL_OUT(throw_kept, rethrow_exception);
   std::rethrow_exception(again);
}}

extern "C" OPAQUE void clean_up(long a)
{{
   ENTER(clean_up);
   if (a % {every} != 0 || fuel <= 0)
      return;
   fuel--;
   try {{
      CALL(clean_up, {thrower});
      {thrower}(a{depth});
   }} catch (int) {{
   }} catch (const Error &error) {{
      CALL(clean_up, tidy);
      tidy(error.value);
   }}
}}

extern "C" OPAQUE void tidy(long a)
{{
   ENTER(tidy);
   __asm__ volatile("" ::"r"(a));
}}
"""

SHARED_FUNCTIONS = {
    "throw_int": "long throw_int(long a)",
    "throw_error": "long throw_error(long a)",
    "throw_deep": "long throw_deep(long a, long depth)",
    "throw_kept": "long throw_kept(long a)",
    "keep": "void keep(void)",
    "clean_up": "void clean_up(long a)",
    "tidy": "void tidy(long a)",
}

THROWERS = {
    "throw_int": "throw_int({})",
    "throw_error": "throw_error({})",
    "throw_deep": "throw_deep({}, depth + 2)",
    "throw_kept": "throw_kept({})",
}

# What a catch of a function does: with it, whether its caller must expect an exception.
CATCHES = {
    "ends": "sum += 3;",
    "calls": "CALL({name}, tidy); tidy(sum);",
    "keeps": "CALL({name}, keep); keep();",
    "again": "if (catchers > 0 && fuel % 4 != 0) "
    "{{ CALL_OUT({name}, cxa_rethrow); throw; }}",
    "other": "if (catchers > 0 && fuel % 3 == 0) "
    "{{ CALL({name}, throw_int); sum += throw_int(sum); }}",
    "nested": "try {{ Catcher c; CALL({name}, throw_error); throw_error(sum); }} "
    "catch (const Error &inner) {{ sum += inner.value & 7; }}",
}

TRY = """\
{{ bool caught = false;
   try {{ Catcher catcher; {guard}{call} }}
   {clauses}
   if (caught) sum++; }}"""

MAIN = """\
#include "exceptions.h"

extern "C" OPAQUE long rounds(long start)
{{
   ENTER(rounds);
   volatile long sum = start;
   for (int round = 0; round < {rounds}; round++) {{
      fuel = {fuel};
      long a = round, depth = {depth};
      for (int i = 0; i < 20 && fuel > 0; i++)
         try {{
            Catcher catcher;
            CALL(rounds, {first});
            sum += {first}(sum + a, depth);
         }} catch (...) {{
            sum += 5;
         }}
   }}
   return sum;
}}

int OPAQUE main()
{{
   ENTER(main);
   CALL(main, rounds);
   long sum = rounds({seed});
   CALL_OUT(main, printf);
   printf("%ld %d\\n", sum, catchers);
   return catchers;
}}
"""


def throwing_call(random_: random.Random) -> web.CallWriter:
    """A call of one who throws, where somebody catches, not always."""

    def write(caller: str) -> str:
        name = random_.choice(list(THROWERS))
        call = THROWERS[name].format(random_.choice(("sum", "a", "fuel")))
        every = random_.randint(2, 4)
        return (
            f"if (catchers > 0 && fuel % {every} == 0) "
            f"{{ CALL({caller}, {name}); sum += {call}; }}"
        )

    return write


def clause(random_: random.Random, name: str, type_: str) -> str:
    chosen = random_.choice([*CATCHES, "again", "again", "keeps"])
    what = CATCHES[chosen].format(name=name)
    return f"catch ({type_}) {{ caught = true; {what} }}"


def trying_call(random_: random.Random, names: list[str]) -> web.CallWriter:
    """A call around which the caller catches: all, or some types only."""
    direct, throwing = web.direct_call(random_, names), throwing_call(random_)

    def write(caller: str) -> str:
        call = random_.choice((direct, throwing))(caller)
        types = random_.choice(
            (["..."], ["int", "..."], ["const Error &", "..."], ["int", "const Error &"])
        )
        guard = f"Guard<fn_{caller}> guard(sum, truth_path); "
        guard = guard if random_.random() < 0.5 else ""
        clauses = " ".join(clause(random_, caller, type_) for type_ in types)
        return TRY.format(guard=guard, call=call, clauses=clauses)

    return write


def guarded_call(random_: random.Random, names: list[str]) -> web.CallWriter:
    """A call with something to clean up behind it."""
    direct = web.direct_call(random_, names)

    def write(caller: str) -> str:
        mask = random_.randint(0, 9)
        guard = f"Guard<fn_{caller}> guard(sum ^ {mask}, truth_path);"
        return f"{{ {guard} {direct(caller)} }}"

    return write


def function_texts(random_: random.Random, names: list[str]) -> list[str]:
    writers = [
        web.direct_call(random_, names),
        *[trying_call(random_, names) for _ in range(5)],
        guarded_call(random_, names),
        throwing_call(random_),
    ]
    texts = []
    for name in names:
        always = [trying_call(random_, names), throwing_call(random_)]
        texts.append(f'extern "C" {busy.function(random_, name, writers, always)}')
    return texts


def shared_text(random_: random.Random) -> str:
    thrower = random_.choice(["throw_int", "throw_error", "throw_deep"])
    depth = ", 3" if thrower == "throw_deep" else ""
    return SHARED.format(every=random_.randint(5, 11), thrower=thrower, depth=depth)


def spread(
    random_: random.Random, texts: list[str], shared: str, count: int
) -> tuple[dict[str, str], list[Library]]:
    """The texts in the executable's file and in so many libraries."""
    head = '#include "exceptions.h"\n'
    places: list[list[str]] = [[] for _ in range(count + 1)]
    for text in texts:
        random_.choice(places).append(text)
    random_.choice(places).append(shared.replace(head, "", 1))
    names = [f"part{at}" for at in range(count)]
    # Each may need any other's functions: only the executable is linked to all.
    libraries = [
        Library(name, {f"{name}.cpp": head + "\n".join(part)})
        for name, part in zip(names, places[1:])
    ]
    return {"own.cpp": head + "\n".join(places[0])}, libraries


def generate(random_: random.Random, seed: int) -> Case:
    count = random_.choice((0, 0, 1, 2, 3))
    variant = variants.draw(random_, language="c++", may_be_static=not count)
    names = [f"e{at}" for at in range(random_.randint(2, 7))]
    texts = function_texts(random_, names)
    sources, libraries = spread(random_, texts, shared_text(random_), count)
    prototypes = "".join(f"OPAQUE long {name}(long a, long depth);\n" for name in names)
    prototypes += "".join(f"OPAQUE {text};\n" for text in SHARED_FUNCTIONS.values())
    sources["exceptions.h"] = HEADER.format(prototypes=prototypes)
    sources["main.cpp"] = MAIN.format(
        seed=seed,
        rounds=random_.randint(1, 5),
        fuel=random_.randint(50, 200),
        depth=random_.choice((3, 6, 30)),
        first=names[0],
    )
    return Case(
        kind="exceptions",
        seed=seed,
        sources=sources,
        functions=["main", "rounds", *names, *SHARED_FUNCTIONS],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        libraries=libraries,
        outside={
            "printf": ["printf", "__printf_chk"],
            "cxa_throw": ["__cxa_throw"],
            "cxa_rethrow": ["__cxa_rethrow"],
            "rethrow_exception": ["std::rethrow_exception*"],
        },
        rules=Rules(
            # What the compiler calls unasked.
            uncounted=[
                ("*", "__cxa_*"),
                ("*", "_Unwind_Resume"),
                ("*", "std::*"),
                ("*", "__clang_call_terminate"),
                ("*", "mem*"),
                ("*", "__mem*"),
                ("*", "__GI_mem*"),
            ],
        ),
        description=f"{variant.description}; {count} libraries",
    )
