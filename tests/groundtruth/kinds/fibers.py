# SPDX-License-Identifier: GPL-2.0-or-later
"""Fibers that perform effects, as OCaml's: kept with parents, they go on elsewhere.

A fiber is called on its own stack.  When it performs an effect, one of its parents goes
on, in place of the call that it waits in; the fiber is kept, with the parents between.
Whoever resumes it, from another place, or in another fiber, is its parent then: that is
who goes on when it performs again, ends or fails.  Each may return to where the other
had called, or jump to a function in place of that call.  Some continuations are never
resumed, and their stacks are used for others.  A fiber may move its own stack.
Measurement may begin anywhere.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import busy, web
from tests.groundtruth.kinds.fiber_texts import (
    ARRIVALS,
    ENTRY,
    FRAME,
    HEAD,
    JUMPED_TO,
    MACROS,
    MAIN,
    PLACES,
    Ways,
    draw_ways,
)
from tests.groundtruth.kinds.scheduler import MAYBE_START, START, entry_call, fixed
from tests.groundtruth.kinds.writing import PRINTF

WRITERS = {
    "begins": "{{ RUN_FIBER({caller}); }}",
    "performs": "{{ PERFORM({caller}, 1); }}",
    "performs far": "{{ PERFORM({caller}, 1 + (int)((unsigned long)sum % 3)); }}",
    "resumes": "{{ RESUME({caller}); }}",
    "grows": "{{ GROW({caller}); }}",
    "fails": "{{ FAIL({caller}); }}",
    "drops": "{{ if (n_kept > 0 && sum % 5 == 0) DROP(); }}",
}


@dataclass
class Plan:
    """What has been drawn for one program."""

    names: list[str]
    entries: list[str]
    ways: Ways
    depth: int
    starts_at: int  # 0: measured from the beginning
    features: set[str]  # of WRITERS


def draw_plan(random_: random.Random) -> Plan:
    # Where one jumps away from a frame of which nothing is known, since measurement began
    # when it waited, nothing says by whose call.
    starts_at = random_.randint(1, 200) if random_.random() < 0.3 else 0
    return Plan(
        names=[f"c{at}" for at in range(random_.randint(1, 5))],
        entries=[f"entry{at}" for at in range(random_.randint(1, 3))],
        ways=draw_ways(random_, may_jump=not starts_at),
        depth=random_.choice((2, 4, 6)),
        starts_at=starts_at,
        features={name for name in WRITERS if random_.random() < 0.6},
    )


def function_texts(random_: random.Random, plan: Plan) -> list[str]:
    direct = web.direct_call(random_, plan.names)
    always = [fixed(WRITERS[name]) for name in ("begins", "performs", "resumes")]
    writers = [direct, direct, *always]
    writers += [fixed(WRITERS[name]) for name in WRITERS if name in plan.features]
    return [
        busy.function(
            random_,
            name,
            writers,
            [random_.choice(always), direct, random_.choice(writers)],
        )
        for name in plan.names
    ]


def program_text(random_: random.Random, plan: Plan, seed: int, place: str) -> str:
    start = MAYBE_START.format(at=plan.starts_at) if plan.starts_at else ""
    numbers = ", ".join(f"fn_{name}" for name in plan.entries)
    parts = [
        HEAD.format(
            unit=START if plan.starts_at else "",
            count=random_.choice((1, 2, 4, 8)),
            size=1 << 16,
        ),
        "".join(f"OPAQUE void *{name}(void);\n" for name in plan.entries),
        f"static void *(*const entries[])(void) = {{{', '.join(plan.entries)}}};\n",
        f"static const int numbers[] = {{{numbers}}};\n",
        MACROS.format(
            frame=FRAME,
            start=start,
            entries=len(plan.entries),
            first_looked_at=random_.choice(("0", "switches % FIBERS")),
            **{f"{name}_jumps": plan.ways.jumps(name) for name in JUMPED_TO},
        ),
        plan.ways.text,
        web.prototypes(plan.names),
        ARRIVALS.format(
            more=random_.choice((1, 3)),
            nesting=random_.choice((0, 3)),
            name=random_.choice(plan.names),
        ),
        *function_texts(random_, plan),
    ]
    parts += [
        ENTRY.format(
            name=name,
            start=random_.randint(0, 99),
            depth=plan.depth,
            call=entry_call(random_.choice(plan.names), name, 5),
            jumps=plan.ways.jumps("run_fiber"),
        )
        for name in plan.entries
    ]
    parts.append(
        MAIN.format(
            seed=seed,
            depth=plan.depth,
            place=PLACES[place],
            rounds=random_.randint(2, 8),
            fuel=random_.randint(60, 400),
            call=entry_call(plan.names[0], "main"),
            left=random_.choice((0, 0, 1)),
            start=MAYBE_START.format(at=0) if plan.starts_at else "",
        )
    )
    return "\n".join(parts)


def generate(random_: random.Random, seed: int) -> Case:
    plan = draw_plan(random_)
    variant = variants.draw(random_)
    place = random_.choice(list(PLACES))
    text = program_text(random_, plan, seed, place)
    functions = ["main", *plan.names, *plan.entries, *JUMPED_TO, *JUMPED_TO.values()]
    functions += ["look", "grow", "move", "moved_word"]
    what = f"; starts at {plan.starts_at}" if plan.starts_at else ""
    return Case(
        kind="fibers",
        seed=seed,
        sources={"main.c": text},
        functions=functions,
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside={**PRINTF, "malloc": ["malloc"]},
        options=["--instr-atstart=no"] if plan.starts_at else [],
        rules=Rules(
            # In the stack of a fiber that others have resumed.
            roots=["run_fiber"],
            uncounted_paths="it counts by macros of its own" if plan.starts_at else "",
        ),
        description=f"{variant.description}; {plan.ways.name}; {place}{what}",
    )
