# SPDX-License-Identifier: GPL-2.0-or-later
#
# The text of jit_code.py that writes arm64's machine code.

"""JIT code for arm64."""

from __future__ import annotations

# The code, with a frame pointer:
#
#       stp x29,x30,[sp,-16]!; mov x29,sp; stp x19,x20,[sp,-16]!
#       mov x20,x1                             the depth
#       [if shown: count the entry; shown = self]
#       ldrsw x19,shown                        who calls
#       under_way[height++] = w19
#       [its calls, while depth and fuel last]
#       height--
#       mov w0,result; ldp x19,x20,[sp],16; ldp x29,x30,[sp],16; ret
#
# Without one, x29 is left alone: `str x30,[sp,-16]!` and `ldr x30,[sp],16`.
ENCODER = """\
/* Writes an instruction, or'ed together of its parts.  */
static void put(unsigned instruction)
{{
   *(volatile unsigned*)place = instruction;
   place += 4;
}}

static void load(unsigned number, uint64_t value) /* movz, movk: the register */
{{
   static const unsigned moves[] = {{0xd2800000, 0xf2a00000, 0xf2c00000, 0xf2e00000}};
   for (int at = 0; at < 4; at++)
      put(moves[at] | (unsigned)(value >> 16 * at & 0xffff) << 5 | number);
}}

static void load_address(unsigned number, const void* address)
{{
   load(number, (uint64_t)(uintptr_t)address);
}}

/* add is_on, to what x9 points to.  */
static void put_count(void)
{{
   load_address(10, &is_on);
   put(0xf940014a);               /* ldr x10,[x10] */
   put(0xf940012b);               /* ldr x11,[x9] */
   put(0x8b0a016b);               /* add x11,x11,x10 */
   put(0xf900012b);               /* str x11,[x9] */
}}

/* Makes the conditional branch at `at` lead to here.  */
static void come_here(unsigned char* at)
{{
   unsigned words = (unsigned)((place - at) / 4);
   *(volatile unsigned*)at |= (words & 0x7ffff) << 5;
}}

static void write_call(const struct blueprint* self, int which)
{{
   put(0xf100029f);               /* cmp x20,0; b.le */
   unsigned char* first = place;
   put(0x5400000d);
   load_address(9, &fuel);
   put(0xf940012a);               /* ldr x10,[x9]; cmp x10,0; b.le */
   put(0xf100015f);
   unsigned char* second = place;
   put(0x5400000d);
   put(0xd100054a);               /* sub x10,x10,1; str x10,[x9] */
   put(0xf900012a);
   if (!IS_FOLDED(self->calls[which].number)) {{
      load(9, sizeof truth_arcs[0]);
      put(0x9b097e69);            /* mul x9,x19,x9 */
      load_address(10, &truth_arcs[0][self->calls[which].number]);
      put(0x8b0a0129);            /* add x9,x9,x10 */
      put_count();
   }}
   int index = self->calls[which].index;
   if (self->calls[which].callee == (void*)vm_call) {{
      load_address(0, &codes[index]);
      load(1, 3);
      put(0xd1000682);            /* sub x2,x20,1 */
   }} else {{
      load(0, 5);
      put(0xd1000681);            /* sub x1,x20,1 */
   }}
   if (self->calls[which].callee != NULL)
      load_address(9, self->calls[which].callee);
   else {{
      load_address(9, &codes[index].run);
      put(0xf9400129);            /* ldr x9,[x9] */
   }}
   put(0xd63f0120);               /* blr x9 */
   load_address(9, &shown);       /* str w19,[x9] */
   put(0xb9000133);
   come_here(first);
   come_here(second);
}}

static void write_code(const struct blueprint* self)
{{
   unsigned char* begin = place;
   if ({has_frame_pointer}) {{
      put(0xa9bf7bfd);
      put(0x910003fd);
   }} else
      put(0xf81f0ffe);
   put(0xa9bf53f3);               /* stp x19,x20,[sp,-16]! */
   put(0xaa0103f4);               /* mov x20,x1 */
   if (self->number >= 0) {{
      load_address(9, &truth_entered[self->number]);
      put_count();
      load_address(9, &shown);
      load(10, (uint64_t)self->number);
      put(0xb900012a);            /* str w10,[x9] */
   }}
   load_address(9, &shown);
   put(0xb9800133);               /* ldrsw x19,[x9] */
   load_address(9, &height);
   put(0xb980012a);               /* ldrsw x10,[x9]; add w11,w10,1; str w11,[x9] */
   put(0x1100054b);
   put(0xb900012b);
   load_address(9, under_way);
   put(0xb82a7933);               /* str w19,[x9,x10,lsl 2] */
   for (int i = 0; i < self->n_calls; i++)
      write_call(self, i);
   load_address(9, &height);
   put(0xb940012a);               /* ldr w10,[x9]; sub w10,w10,1; str w10,[x9] */
   put(0x5100054a);
   put(0xb900012a);
   load(0, 7);
   put(0xa8c153f3);               /* ldp x19,x20,[sp],16 */
   put({has_frame_pointer} ? 0xa8c17bfd : 0xf84107fe);
   put(0xd65f03c0);               /* ret */
   MADE_CODE(begin, place);
}}
"""

# Where the next piece of code begins behind one.
GAPS = (0, 4, 300)
