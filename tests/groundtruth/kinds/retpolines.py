# SPDX-License-Identifier: GPL-2.0-or-later
"""Indirect calls, jumps and returns by thunks against speculation.

gcc's -mindirect-branch and -mfunction-return with all their values, clang's -mretpoline;
for arm64, gcc's -mharden-sls and the thunks of clang's.  External thunks are the
program's own, written here as the Linux kernel and LLVM have them.  The thunks are no
functions of the program: an arc goes from who called to who was called.
"""

from __future__ import annotations

import random

from tests.groundtruth import variants
from tests.groundtruth.architecture import AMD64, target
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.kinds import web
from tests.groundtruth.kinds.writing import PRINTF

# Each puts another address in the place of its own return address; what would run
# speculatively is caught in a loop.
REGISTERS = "ax bx cx dx si di bp 8 9 10 11 12 13 14 15".split()

THUNK = """\
   .globl {name}
   .type {name}, @function
{name}:
   call 2f
1: pause
   lfence
   jmp 1b
   .p2align 4
2: {replace}
   ret
   .size {name}, . - {name}
"""

# LLVM calls these in place of BLR, which the assembler is told to do here.  No call is
# made by x30, nor by x16 and x17, which are the linker's.
SLSBLR_MACRO = """\
__asm__(".macro blr register\\n"
        "\\tbl __llvm_slsblr_thunk_\\\\register\\n"
        ".endm\\n");
"""
SLSBLR_THUNK = """\
   .hidden {name}
   .globl {name}
   .type {name}, @function
{name}:
   mov x16, {register}
   br x16
   dsb sy
   isb
   .size {name}, . - {name}
"""

# The compiler has jump tables and sibling calls use thunks as well.
SWITCH = """\
   switch ((unsigned long)sum % 8) {{
   case 0: sum += 3; break;
   case 1: sum *= 5; break;
   case 2: sum ^= a; break;
   case 3: {first} break;
   case 4: sum -= 9; break;
   case 5: sum |= 4; break;
   case 6: {second} break;
   default: sum++;
   }}
"""

SIBLING = (
    "if (depth > 0 && fuel > 0 && (sum & {bit})) {{ fuel--; "
    "int last = (int)((unsigned long)sum % {others}); "
    "if (table[last].number == fn_{name}) last = {others}; "
    "CALL_NUMBER(fn_{name}, table[last].number); "
    "return table[last].call(a, depth - 1); }}"
)


def thunk_source(indirect: bool, leave: bool) -> str:
    """All that a compiler may refer to."""
    parts = ['   .section .note.GNU-stack, "", @progbits\n   .text\n']
    for register in REGISTERS if indirect else ():
        parts.append(
            THUNK.format(
                name=f"__x86_indirect_thunk_r{register}",
                replace=f"mov %r{register}, (%rsp)",
            )
        )
    if leave:
        parts.append(THUNK.format(name="__x86_return_thunk", replace="lea 8(%rsp), %rsp"))
    return "\n".join(parts)


def slsblr_source() -> str:
    parts = ['   .section .note.GNU-stack, "", @progbits\n   .text\n']
    for number in (*range(16), *range(18, 30)):
        name = f"__llvm_slsblr_thunk_x{number}"
        parts.append(SLSBLR_THUNK.format(name=name, register=f"x{number}"))
    return "\n".join(parts)


def protection(random_: random.Random, is_gcc: bool) -> tuple[list[str], dict[str, str]]:
    """Flags, and the source of external thunks where the flags want them."""
    if target() != AMD64:
        # gcc's thunks of `blr` lie in the function, whose calls of itself are not seen.
        flags = ["-mharden-sls=retbr"] if random_.random() < 0.5 else []
        thunks = {"thunks.S": slsblr_source()} if random_.random() < 0.6 else {}
        return flags, thunks
    if not is_gcc:
        flags = ["-mretpoline"]
        if random_.random() < 0.5:
            flags.append("-mretpoline-external-thunk")
            return flags, {"thunks.S": thunk_source(True, False)}
        return flags, {}
    branch = random_.choice(("thunk", "thunk-inline", "thunk-extern"))
    leave = random_.choice(("keep", "thunk", "thunk-inline", "thunk-extern"))
    flags = [f"-mindirect-branch={branch}", f"-mfunction-return={leave}"]
    if random_.random() < 0.5:
        flags.append("-mindirect-branch-register")
    flags.append("-fcf-protection=none")
    sources = {}
    if "thunk-extern" in (branch, leave):
        sources["thunks.S"] = thunk_source(
            branch == "thunk-extern", leave == "thunk-extern"
        )
    return flags, sources


def function_text(random_: random.Random, name: str, names: list[str]) -> str:
    writers = [
        web.table_call(random_, "table", len(names)),
        web.table_call(random_, "table", len(names)),
        web.direct_call(random_, names),
    ]
    text = web.function(random_, name, writers, most_statements=3)
    end = ""
    if random_.random() < 0.5:
        first, second = (
            f"{web.guarded(writers[0](name))} NO_TAIL_CALL;" for _ in range(2)
        )
        end += SWITCH.format(first=first, second=second)
    if random_.random() < 0.5:
        bit = random_.choice((1, 2, 4))
        end += f"   {SIBLING.format(bit=bit, others=len(names) - 1, name=name)}\n"
    return text.replace("   return sum &", f"{end}   return sum &")


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    flags, thunks = protection(random_, variant.is_gcc)
    names = [f"f{at}" for at in range(random_.randint(2, 8))]
    fuel = random_.randint(200, 1200)
    # Of the sibling call: the last one is taken where the drawn one is the caller itself.
    parts = [web.HEAD.format(fuel=fuel), web.prototypes(names), web.table("table", names)]
    if thunks and target() != AMD64:
        parts.insert(0, SLSBLR_MACRO)
    parts += [function_text(random_, name, names) for name in names[:-1]]
    writers = [web.direct_call(random_, names[:-1])]
    parts.append(web.function(random_, names[-1], writers))
    parts.append(web.main_text([names[0]], seed, random_.randint(1, 3), fuel, 9))
    return Case(
        kind="retpolines",
        seed=seed,
        sources={"main.c": "\n".join(parts), **thunks},
        functions=["main", *names],
        compiler=variant.compiler,
        flags=[*variant.flags, *flags],
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        has_tail_calls=True,
        rules=Rules(
            uncounted_paths="loops of sibling calls are no paths",
            counts_flat_paths=True,
        ),
        description=f"{variant.description} {' '.join(flags)}",
    )
