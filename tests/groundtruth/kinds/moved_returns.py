# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions that put their return address higher up, as SBCL's do, and call from there.

A caller makes its callee's frame; the callee pops its return address into that, takes as
much stack below it as it needs, which may end above where the call put the return
address, calls, and returns or jumps on.  Functions in C are called in between, and call
such functions again.  All are called from the program's stack, or from one of their own.
(On arm64, where no call puts a return address anywhere, all functions are in C.)
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.architecture import AMD64, target
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import assembler, moved_returns_amd64, tail_calls
from tests.groundtruth.kinds.writing import PRINTF

# On a stack of its own, and on the one that it is called on.
ENTER_THERE, ENTER_HERE = "enter_there", "enter_here"

C_FUNCTION = """\
OPAQUE {attribute}long {name}(long left)
{{
   ENTER({name});
   if (left <= 0)
      return left;
   if (left & {bit}) {{
      CALL({name}, {callee});
      left -= {callee}(left >> {shift}) & 1;
      NO_TAIL_CALL;
   }}
   return left;
}}
"""

C_HEAD = '#include <stdio.h>\n#include "truth.h"\n'
STACK = "static char place[1 << 17]; char *own_stack = place + sizeof place - {odd};\n"
ALIGN = "__attribute__((force_align_arg_pointer)) "


def c_text(random_: random.Random, names: list[str], aligns: bool) -> str:
    """The functions in C; each may call the first functions in assembler, or a later one
    of its own kind."""
    return "\n".join(
        C_FUNCTION.format(
            attribute=ALIGN if aligns else "",
            name=name,
            bit=random_.choice((1, 2, 4)),
            callee=random_.choice([ENTER_HERE, *names[at + 1 :]]),
            shift=random_.randint(1, 3),
        )
        for at, name in enumerate(names)
    )


def function_text(
    random_: random.Random, name: str, own: list[str], in_c: list[str], aligns: bool
) -> str:
    """A function of the convention."""
    texts = moved_returns_amd64
    size = random_.choice((16, 16, 32, 64, 192))
    body = texts.BEGIN.format(name=name, size=size, step=random_.randint(1, 2))
    body += random_.choice(texts.RETURNS) + "1:\n"
    for _ in range(random_.choice((0, 1, 1, 2))):
        shift = random_.randint(1, 4)
        if random_.random() < 0.4:
            text = texts.CALL_C if aligns else texts.CALL_C_ALIGNED
            body += text.format(name=name, callee=random_.choice(in_c), shift=shift)
        else:
            callee = random_.choice(own)
            body += texts.CALL.format(
                name=name,
                callee=callee,
                shift=shift,
                call=random_.choice(texts.CALLS).format(callee=callee),
                room=random_.choice(texts.ROOMS),
                size=size,
            )
        body += random_.choice(("", "", texts.COPY))
    others = [other for other in own if other != name]
    if random_.random() < 0.65:
        callee = random_.choice(others)
        body += texts.JUMP.format(
            name=name,
            callee=callee,
            lower=random_.choice(texts.LOWERS),
            jump=random_.choice(texts.JUMPS).format(callee=callee),
        )
    else:
        body += random_.choice(texts.RETURNS)
    return body + texts.END.format(name=name)


def assembler_text(
    random_: random.Random, own: list[str], in_c: list[str], aligns: bool
) -> str:
    texts = moved_returns_amd64
    parts = [assembler.head()]
    for name, load in ((ENTER_THERE, texts.LOAD), (ENTER_HERE, "")):
        parts.append(
            texts.ENTER.format(
                name=name,
                load=load,
                callee=random_.choice(own),
                room=random_.choice(texts.ROOMS),
            )
        )
    parts += [function_text(random_, name, own, in_c, aligns) for name in own]
    return "\n".join(parts)


def all_in_c(random_: random.Random, names: list[str]) -> str:
    return "\n".join(
        C_FUNCTION.format(
            attribute="",
            name=name,
            bit=random_.choice((1, 2, 4)),
            callee=random_.choice(names),
            shift=random_.randint(1, 3),
        )
        for name in names
    )


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    own = [f"moved{at}" for at in range(random_.randint(2, 7))]
    in_c = [f"leaf{at}" for at in range(random_.randint(1, 3))]
    aligns = random_.random() < 0.5
    first = [ENTER_THERE, ENTER_HERE]
    prototypes = "".join(f"OPAQUE long {name}(long left);\n" for name in in_c)
    prototypes += "".join(f"extern long {name}(long left);\n" for name in first)
    stack = STACK.format(odd=random_.choice((8, 64, 72)))
    sources = {}
    if target() == AMD64:
        functions = c_text(random_, in_c, aligns)
        sources["moved.S"] = assembler_text(random_, own, in_c, aligns)
    else:
        prototypes += "".join(f"extern long {name}(long left);\n" for name in own)
        functions = all_in_c(random_, [*first, *own, *in_c])
    main = tail_calls.main_text(random_, seed, first)
    sources["main.c"] = "\n".join([C_HEAD, stack, prototypes, functions, main])
    return Case(
        kind="moved_returns",
        seed=seed,
        sources=sources,
        functions=["main", *first, *own, *in_c],
        compiler=variant.compiler,
        flags=variant.flags,
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        has_tail_calls=True,
        rules=Rules(
            uncounted_paths="loops of sibling calls are no paths",
            counts_flat_paths=True,
        ),
        description=variant.description + ("; aligned by callees" if aligns else ""),
    )
