# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes the C text by which a function waits for a jump, and by which others jump to it.
#
# Owns: the forms of setjmp and longjmp, and the list of those who wait.  A function that
# waits has a `struct landing` among its locals, chained to that of whoever waited before;
# `waiting` is the newest.  Both returns of setjmp take it off the list again.

"""Forms of setjmp and longjmp for generated programs."""

from __future__ import annotations

from dataclasses import dataclass

NEWEST = "static struct landing *volatile waiting;\n"

DECLARATIONS = """\
struct landing {{
   struct landing *before;
   {buffer};
}};
{newest}
/* One of those that wait: inline, as it is nobody's business.  */
static inline __attribute__((always_inline)) struct landing *landing_choose(long number)
{{
   struct landing *target = waiting;
   for (number &= 3; number > 0 && target->before != NULL; number--)
      target = target->before;
   return target;
}}
""".replace("{newest}", NEWEST)

# Names that the profile may have for these.
SETJMP = ["_setjmp", "setjmp", "__sigsetjmp", "sigsetjmp"]
LONGJMP = ["longjmp", "_longjmp", "siglongjmp", "__libc_siglongjmp", "__libc_longjmp"]

WAIT = (
    "{{ struct landing here; here.before = waiting; waiting = &here; {count} "
    "if ({test} == 0) {{ {call} waiting = here.before; }} else sum++; }}"
)

JUMP = """\
OPAQUE long jump(long a)
{{
   ENTER(jump);
   struct landing *target = landing_choose(a);
   waiting = target->before;
   {jump}
   return a;
}}
"""


@dataclass(frozen=True)
class Form:
    """How buffers are declared, filled, jumped to; the compiler's own have no calls."""

    name: str
    buffer: str
    set_text: str
    jump_text: str
    calls: bool

    def wait(self, caller: str, call: str) -> str:
        """The statements `call`, around which `caller` waits.

        Whoever jumps has set `waiting` to what it was before the target began to wait.
        """
        count = f"CALL_OUT({caller}, setjmp);" if self.calls else ""
        return WAIT.format(test=self.set_text, count=count, call=call)

    def jump(self, caller: str) -> str:
        """Jumps to `target`, a pointer."""
        count = f"CALL_OUT({caller}, longjmp); " if self.calls else ""
        return f"{count}{self.jump_text};"

    def jump_function(self) -> str:
        """A function `jump` that jumps to one of those that wait."""
        return JUMP.format(jump=self.jump("jump"))


FORMS = (
    Form("setjmp", "jmp_buf buffer", "setjmp(here.buffer)",
         "longjmp(target->buffer, 1)", True),
    Form("sigsetjmp, mask", "sigjmp_buf buffer", "sigsetjmp(here.buffer, 1)",
         "siglongjmp(target->buffer, 1)", True),
    Form("sigsetjmp", "sigjmp_buf buffer", "sigsetjmp(here.buffer, 0)",
         "siglongjmp(target->buffer, 1)", True),
    Form("__builtin_setjmp", "void *buffer[5]", "__builtin_setjmp(here.buffer)",
         "__builtin_longjmp(target->buffer, 1)", False),
)  # fmt: skip
