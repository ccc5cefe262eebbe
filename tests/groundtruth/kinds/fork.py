# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that fork in the midst of calls, and that execute a program.

At some depth of a recursion a function forks: the child calls functions, forks again,
returns all the way to main, or ends by exit, _exit or a signal.  Others vfork or
posix_spawn, and execute the program itself, which with --trace-children=yes is profiled.
Every process has a profile of its own, which says what it did after the fork.
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
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "truth.h"

struct wide {
   long v[3];
};

static int is_child;
"""

# What is executed writes its counts only where it is profiled as well.
EXECUTION = """\
static char* words[] = {{"./program", "again", NULL}};

static inline __attribute__((always_inline)) char** child_environment(void)
{{
   static char* nothing[] = {{NULL}};
   return {traced} ? environ : nothing;
}}
"""

DESCEND = """\
OPAQUE long descend{at}(long depth)
{{
   ENTER(descend{at});
   long sum = depth;
   if (depth > 0) {{
      CALL(descend{at}, descend{at});
      sum += descend{at}(depth - 1);
   }} else {{
      CALL(descend{at}, {act});
      sum += {act}(depth);
   }}
   NO_TAIL_CALL;
   if (depth % 2) {{
      CALL(descend{at}, {callee});
      sum += {callee}(sum);
   }}
   return sum & 0xff;
}}
"""

FORK = """\
OPAQUE long {name}(long a)
{{
   ENTER({name});
   long sum = a;
   int status;
   CALL_OUT({name}, fork);
   pid_t child = fork();
   if (child == 0) {{
      is_child = 1;
      truth_forget(truth_path);
      {call}
{inner}{end}
   }}
   CALL_OUT({name}, wait);
   waitpid(child, &status, 0);
   {call}
   return sum & 0xff;
}}
"""

FORK_ENDS = {
    "_exit": "      CALL_OUT({name}, _exit);\n      truth_write();\n      _exit(0);",
    "exit": "      CALL_OUT({name}, exit);\n      exit(0);",
    "return": "      return sum & 0xff;",
    "signal": (
        "      CALL_OUT({name}, raise);\n      truth_write();\n      raise(SIGTERM);"
    ),
}

INNER_CALL = "      CALL({name}, {inner});\n      sum += {inner}(a);\n"

EXECUTE = {
    "vfork": """\
OPAQUE long {name}(long a)
{{
   ENTER({name});
   long sum = a;
   int status;
   CALL_OUT({name}, fork);
   pid_t child = vfork();
   if (child == 0) {{
      execve(words[0], words, child_environment());
      _exit(1);
   }}
   CALL_OUT({name}, wait);
   waitpid(child, &status, 0);
   {call}
   return sum + status;
}}
""",
    "vfork_only": """\
OPAQUE long {name}(long a)
{{
   ENTER({name});
   long sum = a;
   int status;
   CALL_OUT({name}, fork);
   pid_t child = vfork();
   if (child == 0) {{
      truth_forget(truth_path);
      CALL_OUT({name}, _exit);
      truth_write();
      _exit(0);
   }}
   CALL_OUT({name}, wait);
   waitpid(child, &status, 0);
   {call}
   return sum + status;
}}
""",
    "exec": """\
OPAQUE long {name}(long a)
{{
   ENTER({name});
   long sum = a;
   int status;
   CALL_OUT({name}, fork);
   pid_t child = fork();
   if (child == 0) {{
      {call}
      execve(words[0], words, child_environment());
      _exit(1);
   }}
   CALL_OUT({name}, wait);
   waitpid(child, &status, 0);
   return sum + status;
}}
""",
    "spawn": """\
OPAQUE long {name}(long a)
{{
   ENTER({name});
   long sum = a;
   int status;
   pid_t child;
   CALL_OUT({name}, posix_spawn);
   posix_spawn(&child, words[0], NULL, NULL, words, child_environment());
   CALL_OUT({name}, wait);
   waitpid(child, &status, 0);
   {call}
   return sum + status;
}}
""",
}

MAIN = """\
OPAQUE int main(int count, char** arguments)
{{
   ENTER(main);
   (void)arguments;
   long sum = count;
   if (count > 1) {{
      CALL(main, {again});
      sum += {again}(7);
      CALL_OUT(main, printf);
      printf("%ld\\n", sum);
      return 0;
   }}
{calls}   CALL_OUT(main, printf);
   printf("%ld\\n", sum);
   return 0;
}}
"""

# A child that has returned so far ends.
MAIN_CALL = """\
   CALL(main, {name});
   sum += {name}({argument});
   if (is_child)
      return 0;
"""

OUTSIDE = {
    "fork": ["*fork*"],
    "wait": ["*wait*"],
    "_exit": ["_exit", "_Exit"],
    "exit": ["exit"],
    "raise": ["*raise"],
    "posix_spawn": ["*posix_spawn*"],
}


@dataclass
class Act:
    """A function that makes children, and how many of them write their counts."""

    name: str
    text: str
    processes: int


def forking(random_: random.Random, tree: Tree, name: str, inner: Sequence[Act]) -> Act:
    call = call_text(name, random_.choice(tree.functions), "a")
    end = random_.choice(list(FORK_ENDS))
    processes = 1
    inner_call = ""
    if inner and random_.random() < 0.4:
        # A child of the child may come back through here: it ends as this one does.
        nested = random_.choice(list(inner))
        processes += nested.processes
        inner_call = INNER_CALL.format(name=name, inner=nested.name)
    text = FORK.format(
        name=name, call=call, inner=inner_call, end=FORK_ENDS[end].format(name=name)
    )
    return Act(name, text, processes)


def executing(random_: random.Random, tree: Tree, name: str, traced: bool) -> Act:
    form = random_.choice(list(EXECUTE))
    call = call_text(name, random_.choice(tree.functions), "a")
    processes = 1 if traced or form == "vfork_only" else 0
    return Act(name, EXECUTE[form].format(name=name, call=call), processes)


def make_acts(random_: random.Random, tree: Tree, traced: bool) -> list[Act]:
    acts: list[Act] = []
    for at in range(random_.randint(1, 4)):
        name = f"act{at}"
        if random_.random() < 0.6:
            acts.append(forking(random_, tree, name, acts))
        else:
            acts.append(executing(random_, tree, name, traced))
    return acts


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    tree = Tree(random_, random_.randint(2, 6), 100)
    tree.write()
    traced = random_.random() < 0.5
    acts = make_acts(random_, tree, traced)
    processes, calls, descents = 1, "", []
    for at, act in enumerate(acts):
        name, argument = act.name, str(at)
        if random_.random() < 0.7:
            name, argument = f"descend{at}", str(random_.randint(0, 8))
            callee = random_.choice(tree.names)
            descents.append(DESCEND.format(at=at, act=act.name, callee=callee))
        calls += MAIN_CALL.format(name=name, argument=argument)
        processes += act.processes
    main = MAIN.format(calls=calls, again=random_.choice(tree.names))
    parts = [HEAD, EXECUTION.format(traced=int(traced)), tree.prototypes, tree.text]
    parts += [act.text for act in acts]
    parts += [*descents, main]
    descending = [f"descend{at}" for at in range(len(acts)) if f"descend{at}(" in calls]
    return Case(
        kind="fork",
        seed=seed,
        sources={"main.c": "\n".join(parts)},
        functions=["main", *tree.names, *(act.name for act in acts), *descending],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={**PRINTF, **OUTSIDE},
        options=["--trace-children=yes"] if traced else [],
        rules=Rules(processes=processes),
        description=variant.description + f"; {processes} processes",
    )
