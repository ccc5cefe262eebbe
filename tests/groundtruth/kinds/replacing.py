# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames replaced by a load of the stack pointer, as a deoptimiser does it.

A function `keep` calls functions g1, g2, ... which take a snapshot of their frames and
return.  From the same place it calls others, f1, f2, ..., the last of which throws all
frames of theirs away: it loads the stack pointer with that of `keep`, puts the snapshot
there, and goes on in its innermost frame, by way of another function or not.  So several
frames take the place of others; each is entered where control first comes to it, and
`keep` is its caller.  What is called from them may do the same, in another thread, or
switch measurement.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import busy, web
from tests.groundtruth.kinds.replacing_texts import (
    DRIVER,
    F_LAST,
    F_OUTER,
    FINISH,
    G_INNER,
    G_OUTER,
    HEAD,
    HOLDER,
    MAIN,
    SORT,
    SWITCHES,
    keep_text,
    replace_text,
    saved_words,
    snapshot_text,
)
from tests.groundtruth.kinds.writing import PRINTF


@dataclass
class Plan:
    """What has been drawn for one program."""

    web: list[str]
    left: list[str]  # whose frames are thrown away, the outermost first
    written: list[str]  # whose frames take their place
    sorts: bool  # the C library is among those that are left
    switches: bool  # measurement is switched
    has_thread: bool
    finishes: bool  # a function is called when the frames have been taken off
    hops: bool  # control comes to the frames by way of a function


def is_on_at_start(seed: int) -> bool:
    """Of a program that switches measurement: is it on when the program starts?"""
    return seed % 2 == 0


def draw_plan(random_: random.Random) -> Plan:
    switches = random_.random() < 0.35
    return Plan(
        web=[f"w{at}" for at in range(random_.randint(1, 4))],
        left=[f"f{at}" for at in range(1, random_.choice((1, 1, 2, 3, 6)) + 1)],
        written=[f"g{at}" for at in range(1, random_.choice((1, 2, 3, 3, 5)) + 1)],
        sorts=random_.random() < 0.25,
        switches=switches,
        has_thread=not switches and random_.random() < 0.3,
        finishes=random_.random() < 0.4,
        hops=random_.random() < 0.4,
    )


def left_texts(random_: random.Random, plan: Plan) -> list[str]:
    """The functions whose frames are thrown away."""
    texts = []
    for at, name in enumerate(plan.left):
        size = random_.choice((8, 40, 500, 3000))
        work = web.guarded(web.direct_call(random_, plan.web)(name))
        if at + 1 < len(plan.left):
            callee = plan.left[at + 1]
            call = f"CALL({name}, {callee}); sum += {callee}(sum + 1, depth);"
            if plan.sorts and at == 0:
                call = f"CALL_OUT({name}, qsort); sort_by(sum, depth);"
            texts.append(F_OUTER.format(name=name, size=size, work=work, call=call))
            continue
        hop = f"GOES_BY_HOP({name});" if plan.hops else ""
        enter = "PASS_NUMBER(fn_replace, fn_finish);" if plan.finishes else ""
        texts.append(
            F_LAST.format(
                name=name,
                size=size,
                work=work,
                again=random_.choice((1, 2, 4)),
                hop=hop,
                replace=enter or "ENTER_CALLED(replace);",
            )
        )
    if plan.sorts:
        texts.insert(0, SORT.format(callee=plan.left[min(1, len(plan.left) - 1)]))
    return list(texts)


def written_texts(random_: random.Random, plan: Plan) -> list[str]:
    """The functions whose frames are written."""
    texts = []
    writers = [web.direct_call(random_, [*plan.web, "holder"])]
    for at, name in enumerate(plan.written):
        lines: list[str] = []
        for _ in range(random_.randint(1, 3)):
            lines += web.statement(random_, name, random_.choice(writers))
        text = G_OUTER if at + 1 < len(plan.written) else G_INNER
        texts.append(
            text.format(
                name=name,
                size=random_.choice((8, 40, 300)),
                callee=plan.written[min(at + 1, len(plan.written) - 1)],
                level=at + 1,
                work="\n      ".join(lines),
            )
        )
    return texts


def program_text(random_: random.Random, plan: Plan, seed: int) -> str:
    fuel = random_.randint(20, 120)
    depth = random_.choice((3, 8, 20))
    one_in = random_.choice((2, 5, 20)) if plan.switches else 0
    is_on = int(is_on_at_start(seed))
    head = SWITCHES.format(one_in=one_in, seed=seed, is_on=is_on)
    head = head if plan.switches else ""
    named = [*plan.web, "holder", *plan.left, *plan.written]
    names = "".join(f", fn_{name}" for name in plan.written)
    parts = [HEAD.format(
            head=head,
            fuel=fuel,
            levels=len(plan.written),
            names=names,
            saved=saved_words(),
        )]
    parts += [keep_text(random_, plan.switches), snapshot_text()]
    parts.append(replace_text(random_, plan.finishes, plan.hops))
    parts.append(web.prototypes(named))
    if plan.finishes:
        parts.append(FINISH)
    parts += left_texts(random_, plan)
    parts += written_texts(random_, plan)
    parts.append(
        HOLDER.format(
            written=plan.written[0], left=plan.left[0], rounds=random_.randint(1, 3)
        )
    )
    direct = web.direct_call(random_, [*plan.web, "holder", "holder"])
    for name in plan.web:
        holder = web.direct_call(random_, ["holder"])
        text = busy.function(random_, name, [direct], [holder])
        parts.append(text.replace("   return sum &", "   LEAVE();\n   return sum &"))
    call = busy.repeated(
        f"CALL({{0}}, holder); sum += holder(sum, {depth}); NO_TAIL_CALL;"
    )
    if plan.has_thread:
        parts.append(DRIVER.format(fuel=fuel, call=call.replace("{0}", "driver")))
    parts.append(
        MAIN.format(
            seed=seed % 100,
            rounds=random_.randint(2, 5),
            fuel=fuel,
            call=call.replace("{0}", "main"),
            drive="DRIVE();" if plan.has_thread else "",
        )
    )
    return "\n".join(parts)


def generate(random_: random.Random, seed: int) -> Case:
    plan = draw_plan(random_)
    variant = variants.draw(random_)
    text = program_text(random_, plan, seed)
    functions = ["main", "holder", "keep", "snapshot", "replace"]
    functions += [*plan.web, *plan.left, *plan.written]
    functions += ["finish"] if plan.finishes else []
    functions += ["hop"] if plan.hops else []
    functions += ["compare"] if plan.sorts else []
    functions += ["driver"] if plan.has_thread else []
    is_on = is_on_at_start(seed) or not plan.switches
    outside = dict(PRINTF)
    outside["qsort"] = ["*qsort*"]
    outside["pthread_create"] = ["pthread_create*"]
    outside["pthread_join"] = ["pthread_join*", "__pthread_join*", "*pthread_clockjoin*"]
    what = [
        word
        for word, has in (
            ("sorts", plan.sorts),
            ("switches", plan.switches),
            ("thread", plan.has_thread),
            ("finishes", plan.finishes),
            ("hops", plan.hops),
        )
        if has
    ]
    return Case(
        kind="replacing",
        seed=seed,
        sources={"main.c": text},
        functions=functions,
        compiler=variant.compiler,
        flags=[*variant.flags, "-pthread"],
        link_flags=variant.link_flags,
        outside=outside,
        options=[] if is_on else ["--instr-atstart=no"],
        rules=Rules(
            roots=["clone", "__clone*", "clone3", "start_thread", "thread_start"]
            + (["*qsort*", "*msort*"] if plan.switches else []),
            uncounted_flat_paths="what passes a path on may call as well as jump",
            uncounted_paths="it counts by macros of its own" if plan.switches else "",
        ),
        description=f"{variant.description}; {len(plan.written)} for "
        f"{len(plan.left)}; {' '.join(what)}",
    )
