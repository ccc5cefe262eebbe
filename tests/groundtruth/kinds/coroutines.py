# SPDX-License-Identifier: GPL-2.0-or-later
"""Coroutines: functions of one web run on several stacks, and switch among them anywhere.

Each coroutine, main's stack too, calls functions of the same web, which switch to any
other one: by a function `hop`, deep in recursion, or where they stand, all from the same
call sites.  The switch is one of kinds/switching.py.  Stacks lie in static memory, on the
heap, in pages of their own, in one block, or in main's own frame; new coroutines take the
place of ended ones and of some that are left for good in the middle.  On their stacks
coroutines longjmp, throw, get signals, and call functions on yet other memory; another
thread may go on with them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.groundtruth import variants
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import busy, switching, web
from tests.groundtruth.kinds.coroutine_texts import (
    DRIVE,
    DRIVER,
    ENDED,
    END_BY_LINK,
    END_BY_RETURN_TO_ASSEMBLER,
    END_BY_SWITCH,
    ENTRY,
    HEAD,
    HOP,
    HOP_DEEP,
    INCLUDES,
    INSTALL,
    MAIN,
    PLACES,
    SIGNAL,
    SPARE,
    THROW,
)
from tests.groundtruth.kinds.landing import DECLARATIONS as LANDING
from tests.groundtruth.kinds.landing import FORMS, Form, LONGJMP, NEWEST, SETJMP
from tests.groundtruth.kinds.switching import Switching


@dataclass
class Plan:
    """What has been drawn for one program."""

    names: list[str]
    entries: list[str]
    switching: Switching
    form: Form
    features: set[str]  # of FEATURES
    is_cxx: bool
    size: int
    depth: int


FEATURES = {"hop_deep": 0.7, "longjmp": 0.4, "signal": 0.4, "run_on": 0.5, "threads": 0.3}

HOP_WRITERS = {
    "hop": "{{ CALL({caller}, hop); hop(sum + fuel); }}",
    "inline": (
        "{{ int from_ = now, to_ = choose((unsigned long)(sum + fuel)); "
        "if (to_ != from_) {{ now = to_; "
        "SWITCH({caller}, &all[from_], &all[to_]); }} }}"
    ),
    "hop_deep": "{{ CALL({caller}, hop_deep); sum += hop_deep(sum, {depth}); }}",
}


def fixed(text: str, **values: object) -> web.CallWriter:
    return lambda caller: text.format(caller=caller, **values)


def writers_of(random_: random.Random, plan: Plan) -> list[web.CallWriter]:
    """The statements that functions of the web are made of."""
    direct = web.direct_call(random_, plan.names)
    deep = random_.choice((2, 8, 20)) if plan.size <= 1 << 14 else 200
    writers = [direct, direct, fixed(HOP_WRITERS["hop"])]
    if random_.random() < 0.6:
        writers.append(fixed(HOP_WRITERS["inline"]))
    if "hop_deep" in plan.features:
        writers.append(fixed(HOP_WRITERS["hop_deep"], depth=deep))
    if "signal" in plan.features:
        writers.append(fixed("{{ CALL_OUT({caller}, raise); raise(SIGUSR1); sum++; }}"))
    if "longjmp" in plan.features:
        writers.append(lambda caller: plan.form.wait(caller, direct(caller)))
        writers.append(
            fixed(
                "if (waiting != NULL && fuel % 3 == 0) "
                "{{ CALL({caller}, jump); sum += jump(sum); }}"
            )
        )
    if "run_on" in plan.features:
        register = random_.choice(("rbx", "rbp"))
        writers.append(
            fixed(
                "{{ int spare = spare_find(); if (spare < SPARES) {{ "
                "spare_is_used[spare] = 1; CALL({caller}, run_on_{register}); "
                "ENTER(run_on_{register}); CALL(run_on_{register}, {callee}); "
                "sum += run_on_{register}({callee}, sum, depth - 1, "
                "spare_stacks[spare] + SIZE); spare_is_used[spare] = 0; }} }}",
                register=register,
                callee=random_.choice(plan.names),
            )
        )
    if plan.is_cxx:
        writers.append(
            lambda caller: f"try {{ Try here; {direct(caller)} }} "
            "catch (int value) { sum += value & 7; }"
        )
        writers.append(
            fixed(
                "if (all[now].tries > 0 && fuel % 3 == 0) "
                "{{ CALL({caller}, throw_here); sum += throw_here(sum); }}"
            )
        )
    return writers


def entry_call(name: str, caller: str, most: int = busy.MOST_CALLS) -> str:
    call = f"CALL({caller}, {name}); sum += {name}(sum, depth); NO_TAIL_CALL;"
    return busy.repeated(call, most)


def entry_texts(random_: random.Random, plan: Plan) -> list[str]:
    texts = []
    for name in plan.entries:
        end = END_BY_SWITCH.format(name=name)
        if plan.switching.returns:
            in_assembler = "ended" in plan.switching.functions
            end = END_BY_RETURN_TO_ASSEMBLER if in_assembler else END_BY_LINK
        texts.append(
            ENTRY.format(
                name=name,
                start=random_.randint(0, 99),
                depth=plan.depth,
                call=entry_call(
                    random_.choice(plan.names), name, random_.choice((2, 5, 40))
                ),
                end=end,
            )
        )
    return texts


def feature_texts(plan: Plan) -> tuple[list[str], list[str]]:
    """Texts of what the web calls, and functions of the program among them."""
    texts, functions = [HOP], ["hop"]
    if "hop_deep" in plan.features:
        texts.append(HOP_DEEP)
        functions.append("hop_deep")
    if "longjmp" in plan.features:
        declarations = LANDING.format(buffer=plan.form.buffer)
        # Each coroutine waits for jumps on its own stack.
        texts.append("#define waiting (all[now].landings)\n")
        texts.append(declarations.replace(NEWEST, ""))
        texts.append(plan.form.jump_function())
        functions.append("jump")
    if "signal" in plan.features:
        texts.append(SIGNAL)
        functions += ["heard", "handler"]
    if "run_on" in plan.features:
        texts.append(SPARE + switching.run_on_texts())
        functions += ["run_on_rbx", "run_on_rbp"]
    if plan.is_cxx:
        texts.append(THROW)
        functions.append("throw_here")
    if "ended" in plan.switching.functions:
        end = END_BY_SWITCH.format(name="ended").replace("sum", "fuel + now")
        texts.append(ENDED.format(end=end))
    return texts, functions


def main_text(random_: random.Random, plan: Plan, seed: int, place: str) -> str:
    fuel = random_.randint(60, 400)
    begin, renew = PLACES[place]
    text = ""
    if "threads" in plan.features:
        text = DRIVER.format(
            depth=plan.depth,
            fuel=fuel,
            call=entry_call(random_.choice(plan.names), "driver"),
        )
    return text + MAIN.format(
        seed=seed,
        depth=plan.depth,
        place=begin,
        install=INSTALL if "signal" in plan.features else "",
        rounds=random_.randint(2, 8),
        abandoned=random_.choice((0, 0, 1, 3)),
        renew=renew,
        entries=len(plan.entries),
        fuel=fuel,
        call=entry_call(plan.names[0], "main"),
        drive=DRIVE if "threads" in plan.features else "",
    )


OUTSIDE = {
    "printf": ["printf", "__printf_chk"],
    "setjmp": SETJMP,
    "longjmp": LONGJMP,
    "raise": ["raise", "gsignal"],
    "sigaction": ["sigaction", "__sigaction"],
    "malloc": ["malloc"],
    "free": ["free", "cfree"],
    "mmap": ["mmap", "mmap64", "__mmap*"],
    "munmap": ["munmap", "__munmap"],
    "pthread_create": ["pthread_create*", "__pthread_create*"],
    "pthread_join": ["pthread_join*", "__pthread_join*"],
    "cxa_throw": ["__cxa_throw"],
}


def draw_plan(random_: random.Random) -> Plan:
    features = {name for name, part in FEATURES.items() if random_.random() < part}
    is_cxx = random_.random() < 0.25
    if is_cxx:
        features.discard("longjmp")  # must not pass over destructors
    size = random_.choice((1 << 14, 1 << 14, 1 << 16, 1 << 18))
    # Depth of the web, by what a small stack holds at -O0.
    depth = random_.choice((2, 4, 8)) if size <= 1 << 14 else random_.choice((4, 30))
    return Plan(
        names=[f"c{at}" for at in range(random_.randint(1, 5))],
        entries=[f"entry{at}" for at in range(random_.randint(1, 3))],
        switching=switching.draw(random_),
        form=random_.choice(FORMS),
        features=features,
        is_cxx=is_cxx,
        size=size,
        depth=depth,
    )


def program_text(random_: random.Random, plan: Plan, seed: int, place: str) -> str:
    count = random_.choice((1, 2, 4, 4, 7))
    texts, _ = feature_texts(plan)
    parts = [HEAD.format(count=count, size=plan.size)]
    parts += [switching.DECLARATIONS, switching.CHOOSE]
    parts += [plan.switching.text, web.prototypes(plan.names), *texts]
    writers = writers_of(random_, plan)
    for name in plan.names:
        always = [fixed(HOP_WRITERS["hop"]), *random_.sample(writers, 2)]
        parts.append(busy.function(random_, name, writers, always))
    parts += entry_texts(random_, plan)
    parts.append(
        f"static void (*const entries[])(void) = {{{', '.join(plan.entries)}}};\n"
    )
    parts.append(main_text(random_, plan, seed, place))
    body = "\n".join(parts)
    if plan.is_cxx:
        return f'{INCLUDES}\nextern "C" {{\n{body}\n}}\n'
    return f"{INCLUDES}\n{body}"


def generate(random_: random.Random, seed: int) -> Case:
    plan = draw_plan(random_)
    variant = variants.draw(random_, language="c++" if plan.is_cxx else "c")
    place = random_.choice(list(PLACES))
    text = program_text(random_, plan, seed, place)
    _, functions = feature_texts(plan)
    functions = ["main", "coroutine_make", *plan.names, *plan.entries, *functions]
    functions += plan.switching.functions
    functions += ["driver"] if "threads" in plan.features else []
    what = "; ".join(sorted(plan.features | ({"throws"} if plan.is_cxx else set())))
    return Case(
        kind="coroutines",
        seed=seed,
        sources={"main.cpp" if plan.is_cxx else "main.c": text},
        functions=functions,
        compiler=variant.compiler,
        flags=[*variant.flags, "-pthread"],
        link_flags=variant.link_flags,
        outside={**OUTSIDE, **plan.switching.outside},
        rules=Rules(
            uncounted_paths="a switch may come between a call and its callee",
            roots=[
                "__restore_rt",
                "0x*",  # the same, where it has no name
                "clone",
                "__clone*",
                "clone3",
                "thread_start",
                "start_thread",
                *plan.switching.roots,
            ],
            uncounted=[("*", "__cxa_*"), ("*", "_Unwind_Resume")],
        ),
        description=f"{variant.description}; {plan.switching.name}; {place}; {what}",
    )
