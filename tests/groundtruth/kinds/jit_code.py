# SPDX-License-Identifier: GPL-2.0-or-later
"""JIT code with and without names, entered by a virtual machine that may be folded.

A library, the virtual machine, calls JIT code, functions of the program call it directly,
and it calls all of these, in any order.  The code is written into memory at the start,
and most of it has names in a perf map.  In some programs the machine is folded, so that
what its code calls is its callers'; code without a name is folded, too, by
`--skip-jit=yes` or because only the folded machine calls it.  In others, measurement is
switched on and off in functions that JIT code has called.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.groundtruth import variants
from tests.groundtruth.architecture import ARM64, target
from tests.groundtruth.case import Case, Library, Rules
from tests.groundtruth.kinds import (
    jit_code_amd64,
    jit_code_arm64,
    rewritten_amd64,
    rewritten_arm64,
    web,
)
from tests.groundtruth.kinds.writing import PRINTF

# NO_TAIL_CALL stands behind each call that is not the last thing.  Back from it, the
# nearest function that is shown is the same as before.
COMMON = """\
#ifndef COMMON_H
#define COMMON_H
#include <stdio.h>
#include "callgrind.h"

extern unsigned long is_on;       /* what an event counts */
#define TRUTH_UNIT is_on
#include "truth.h"

extern long fuel;
extern int shown;                 /* the nearest function that is shown, -1: none */
extern int under_way[4000], height; /* functions that are shown, the outermost first */
#define IS_FOLDED(NUMBER) ((NUMBER) < 0 || ({machine_is_folded} && \\
                           ((NUMBER) == fn_vm_call || (NUMBER) == fn_vm_dispatch)))

/* A piece of JIT code.  */
struct code {{
   long (*run)(long a, long depth);
   int number;                    /* -1: it is folded */
}};
extern struct code codes[{n_codes}];
OPAQUE long vm_call(const struct code* code, long a, long depth);

#undef CALL_NUMBER
#define CALL_NUMBER(FROM, TO)                                                           \\
   do {{                                                                                \\
      if (shown >= 0 && !IS_FOLDED(TO))                                                 \\
         TRUTH_ADD(truth_arcs[shown][TO]);                                              \\
   }} while (0)
#undef CALL
#define CALL(FROM, TO) CALL_NUMBER(fn_##FROM, fn_##TO)

#undef ENTER
#define ENTER(SELF)                                                                     \\
   if (!IS_FOLDED(fn_##SELF)) {{                                                        \\
      TRUTH_ADD(truth_entered[fn_##SELF]);                                              \\
      shown = fn_##SELF;                                                                \\
   }}                                                                                   \\
   const int mine = shown;                                                              \\
   under_way[height++] = mine

#define LEAVE (height--)

#undef NO_TAIL_CALL
#define NO_TAIL_CALL                                                                    \\
   do {{                                                                                \\
      __asm__ volatile("" : : : "memory");                                              \\
      shown = mine;                                                                     \\
   }} while (0)

{prototypes}
#endif
"""

MACHINE = """\
#include "common.h"

OPAQUE long vm_dispatch(const struct code* code, long a, long depth)
{{
   ENTER(vm_dispatch);
   CALL_NUMBER(fn_vm_dispatch, code->number);
   {dispatch}
}}

OPAQUE long vm_call(const struct code* code, long a, long depth)
{{
   ENTER(vm_call);
   CALL(vm_call, vm_dispatch);
   {call}
}}
"""

# How the machine's functions call: as the last thing, or not.
TAIL = "LEAVE; return {call};"
PLAIN = "long result = {call}; NO_TAIL_CALL; LEAVE; return result;"

PROGRAM_HEAD = """\
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common.h"

unsigned long is_on = {is_on};
long fuel = {fuel};
int shown = -1;
int under_way[4000], height;
struct code codes[{n_codes}];

#define INLINE static inline __attribute__((always_inline))

static unsigned long random_state = {seed};

INLINE int draw(int n)
{{
   random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
   return (int)((random_state >> 33) % (unsigned)n);
}}

INLINE void start(void)
{{
   for (int i = 0; i < height; i++)
      LIVE(under_way[i]);
   LIVE(fn_vm_call); /* which may wait for what it has called as the last thing */
   LIVE(fn_vm_dispatch);
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
   if (one_in == 0 || draw(one_in) != 0)
      return;
   if (is_on)
      stop();
   else
      start();
}}
"""

EMITTER = """\
struct blueprint {{
   const char* name;              /* NULL: it has none */
   int number;                    /* -1: it is folded */
   int n_calls;
   struct {{
      void* callee;               /* NULL: the code with this index */
      int number, index;          /* of the callee; of the code that it is to call */
   }} calls[4];
}};
{blueprints}
static unsigned char* place;
"""

SET_UP = """\
/* Writes all code, and the perf map.  */
OPAQUE int set_up(char* path)
{{
   place = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   sprintf(path, "/tmp/perf-%d.map", (int)getpid());
   FILE* map = fopen(path, "w");
   if (place == MAP_FAILED || map == NULL)
      return 0;
   for (int i = 0; i < {n_codes}; i++) {{
      const struct blueprint* self = &blueprints[i];
      codes[i].run = (long (*)(long, long))place;
      codes[i].number = self->number;
      write_code(self);
      unsigned char* begin = (unsigned char*)codes[i].run;
      if (self->name != NULL)
         fprintf(map, "%lx %x %s\\n", (long)begin, (int)(place - begin), self->name);
      place += {gap};
   }}
   fclose(map);
   return 1;
}}
"""

MAIN = """\
OPAQUE int main(void)
{{
   char path[64];
   ENTER(main);
   long sum = 0;
   if (!set_up(path))
      return 1;
   for (int round = 0; round < {rounds}; round++) {{
      fuel = {fuel};
{calls}      maybe_switch({one_in});
   }}
   if (!is_on)
      start();
   (void)unlink(path);
   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

CALL_CODE = (
    "CALL_NUMBER(fn_{caller}, codes[{index}].number); "
    "sum += codes[{index}].run({value}, depth - 1);"
)
CALL_MACHINE = (
    "CALL({caller}, vm_call); sum += vm_call(&codes[{index}], {value}, depth - 1);"
)


@dataclass
class Code:
    """A piece of JIT code; folded: it has no name."""

    name: str
    is_folded: bool


@dataclass
class Program:
    """What is drawn first."""

    machine_is_folded: bool
    codes: list[Code]
    names: list[str]
    only_machine_calls_unnamed: bool
    one_in: int  # measurement is switched one time in so many; 0: never
    options: list[str]

    def callable_directly(self) -> list[int]:
        return [
            at
            for at, code in enumerate(self.codes)
            if not (code.is_folded and self.only_machine_calls_unnamed)
        ]


def draw_program(random_: random.Random) -> Program:
    machine_is_folded = random_.random() < 0.7
    option = random_.choice(["caller", "yes", "no", ""])
    may_be_unnamed = option == "yes" or (option != "no" and machine_is_folded)
    codes = [
        Code(f"js:code{at}", may_be_unnamed and at > 0 and random_.random() < 0.3)
        for at in range(random_.randint(2, 7))
    ]
    switches = random_.random() < 0.4
    one_in = random_.choice((2, 5, 20)) if switches else 0
    options = [f"--skip-jit={option}"] if option else []
    if machine_is_folded:
        options.append("--obj-skip=*/libmachine.so")
    names = [f"f{at}" for at in range(random_.randint(2, 6))]
    return Program(machine_is_folded, codes, names, option != "yes", one_in, options)


def blueprint(random_: random.Random, program: Program, code: Code) -> str:
    """A row of the table that the emitter reads."""
    calls = []
    for _ in range(random_.randint(1, 4)):
        way = random_.choice(("machine", "code", "function"))
        if code.is_folded and program.only_machine_calls_unnamed and way == "code":
            way = "machine"  # skipped code's callees are entered as by the machine
        if way == "machine":
            index = random_.randrange(len(program.codes))
            calls.append(f"{{(void*)vm_call, fn_vm_call, {index}}}")
        elif way == "code":
            index = random_.choice(program.callable_directly())
            callee = program.codes[index]
            number = "-1" if callee.is_folded else number_of(callee)
            calls.append(f"{{NULL, {number}, {index}}}")
        else:
            name = random_.choice(program.names)
            calls.append(f"{{(void*){name}, fn_{name}, 0}}")
    name = "NULL" if code.is_folded else f'"{code.name}"'
    number = "-1" if code.is_folded else number_of(code)
    return f"   {{{name}, {number}, {len(calls)}, {{{', '.join(calls)}}}}},\n"


def number_of(code: Code) -> str:
    return "fn_" + code.name.replace(":", "_")


def function_text(random_: random.Random, program: Program, name: str) -> str:
    def call_code(caller: str) -> str:
        index = random_.choice(program.callable_directly())
        return CALL_CODE.format(caller=caller, index=index, value=web.value(random_))

    def call_machine(caller: str) -> str:
        index = random_.randrange(len(program.codes))
        return CALL_MACHINE.format(caller=caller, index=index, value=web.value(random_))

    def switch(caller: str) -> str:
        del caller
        return f"maybe_switch({program.one_in});"

    writers = [web.direct_call(random_, program.names), call_code, call_machine, switch]
    text = web.function(random_, name, writers)
    return text.replace("   return sum &", "   LEAVE;\n   return sum &")


def machine_text(random_: random.Random) -> str:
    shapes = [random_.choice((TAIL, PLAIN)) for _ in range(2)]
    return MACHINE.format(
        dispatch=shapes[0].format(call="code->run(a, depth)"),
        call=shapes[1].format(call="vm_dispatch(code, a, depth)"),
    )


def program_text(random_: random.Random, program: Program, seed: int, fuel: int) -> str:
    is_on = random_.randint(0, 1) if program.one_in else 1
    if program.one_in:
        program.options.append(f"--instr-atstart={'yes' if is_on else 'no'}")
    n_codes = len(program.codes)
    head = PROGRAM_HEAD.format(is_on=is_on, fuel=fuel, seed=seed, n_codes=n_codes)
    rows = "".join(blueprint(random_, program, code) for code in program.codes)
    texts = jit_code_arm64 if target() == ARM64 else jit_code_amd64
    made_code = (rewritten_arm64 if target() == ARM64 else rewritten_amd64).MADE_CODE
    emitter = (EMITTER + texts.ENCODER + "\n" + SET_UP).format(
        blueprints=f"static const struct blueprint blueprints[] = {{\n{rows}}};\n",
        # Without one, nobody could tell who is under way at START.
        has_frame_pointer=1 if program.one_in else random_.randint(0, 1),
        n_codes=n_codes,
        gap=random_.choice(texts.GAPS),
    )
    functions = [function_text(random_, program, name) for name in program.names]
    first = random_.choice(program.names)
    starts = [
        f"CALL(main, {first}); sum += {first}(round, DEPTH); NO_TAIL_CALL;",
        "CALL(main, vm_call); sum += vm_call(&codes[0], round, DEPTH); NO_TAIL_CALL;",
    ]
    depth = random_.choice(("5", "12", "40"))
    calls = "".join(f"      {one}\n".replace("DEPTH", depth) for one in starts)
    main = MAIN.format(
        rounds=random_.randint(2, 5),
        fuel=fuel,
        calls=calls,
        one_in=3 if program.one_in else 0,
    )
    return "\n".join([head, made_code, emitter, *functions, main])


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_, may_be_static=False)
    program = draw_program(random_)
    named = [code.name for code in program.codes if not code.is_folded]
    functions = ["main", *program.names, "vm_call", "vm_dispatch", *named]
    common = COMMON.format(
        machine_is_folded=int(program.machine_is_folded),
        n_codes=len(program.codes),
        prototypes=web.prototypes(program.names),
    )
    machine = machine_text(random_)
    fuel = random_.randint(100, 800)
    main = program_text(random_, program, seed, fuel)
    return Case(
        kind="jit_code",
        seed=seed,
        sources={"main.c": main, "common.h": common},
        functions=functions,
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        libraries=[Library("machine", {"machine.c": machine})],
        outside=PRINTF,
        options=program.options,
        rules=Rules(
            uncounted=[("main", "set_up"), ("main", "unlink")],
            uncounted_paths="it counts by macros of its own",
        ),
        description=f"{variant.description}; {' '.join(program.options)}",
    )
