# SPDX-License-Identifier: GPL-2.0-or-later
#
# The text of jit_code.py that writes amd64's machine code.

"""JIT code for amd64."""

from __future__ import annotations

# The code, with a frame pointer:
#
#       push %rbp; mov %rsp,%rbp; push %rbx; push %r12
#       mov %rsi,%r12                          the depth
#       [if shown: count the entry; shown = self]
#       movslq shown,%rbx                      who calls
#       under_way[height++] = %ebx
#       [its calls, while depth and fuel last]
#       height--
#       mov $result,%eax; pop %r12; pop %rbx; pop %rbp; ret
#
# Without one, `sub $8,%rsp` and `add $8,%rsp` take the place of the frame pointer.
ENCODER = """\
static void put(uint64_t bytes, int count)
{{
   for (int i = 0; i < count; i++)
      *place++ = (unsigned char)(bytes >> 8 * i);
}}

static void load_rax(const void* value) /* mov $value,%rax */
{{
   put(0xb848, 2);
   put((uint64_t)(uintptr_t)value, 8);
}}

/* add is_on, to what %rax and %rcx point to together.  */
static void put_count(void)
{{
   put(0xba48, 2); /* mov $&is_on,%rdx; mov (%rdx),%rdx; lock add %rdx,(%rax,%rcx) */
   put((uint64_t)(uintptr_t)&is_on, 8);
   put(0x128b48, 3);
   put(0x08140148f0, 5);
}}

static void write_call(const struct blueprint* self, int which)
{{
   put(0xe4854d, 3);              /* test %r12,%r12; jle */
   put(0x8e0f, 2);
   unsigned char* first = place;
   put(0, 4);
   load_rax(&fuel);               /* cmpq $0,(%rax); jle */
   put(0x00388348, 4);
   put(0x8e0f, 2);
   unsigned char* second = place;
   put(0, 4);
   put(0x08ff48, 3);              /* decq (%rax) */
   if (!IS_FOLDED(self->calls[which].number)) {{
      load_rax(&truth_arcs[0][self->calls[which].number]);
      put(0xcb6948, 3);           /* imul $stride,%rbx,%rcx */
      put(sizeof truth_arcs[0], 4);
      put_count();
   }}
   int index = self->calls[which].index;
   if (self->calls[which].callee == (void*)vm_call) {{
      put(0xbf48, 2);             /* mov $code,%rdi; mov $3,%esi; lea -1(%r12),%rdx */
      put((uint64_t)(uintptr_t)&codes[index], 8);
      put(0x03be, 5);
      put(0xff24548d49, 5);
   }} else {{
      put(0x05bf, 5);             /* mov $5,%edi; lea -1(%r12),%rsi */
      put(0xff24748d49, 5);
   }}
   if (self->calls[which].callee != NULL)
      load_rax(self->calls[which].callee);
   else {{
      load_rax(&codes[index].run);
      put(0x008b48, 3);           /* mov (%rax),%rax */
   }}
   put(0xd0ff, 2);                /* call *%rax */
   load_rax(&shown);              /* mov %ebx,(%rax) */
   put(0x1889, 2);
   *(int*)first = (int)(place - first - 4);
   *(int*)second = (int)(place - second - 4);
}}

static void write_code(const struct blueprint* self)
{{
   if ({has_frame_pointer})
      put(0xe5894855, 4);
   else
      put(0x08ec8348, 4);
   put(0x544153, 3);
   put(0xf48949, 3);
   if (self->number >= 0) {{
      load_rax(&truth_entered[self->number]);
      put(0xc931, 2);             /* xor %ecx,%ecx */
      put_count();
      load_rax(&shown);
      put(0x00c7, 2);             /* movl $self,(%rax) */
      put((uint64_t)self->number, 4);
   }}
   load_rax(&shown);
   put(0x186348, 3);
   load_rax(&height);             /* movslq (%rax),%rcx; incl (%rax) */
   put(0x086348, 3);
   put(0x00ff, 2);
   load_rax(under_way);           /* mov %ebx,(%rax,%rcx,4) */
   put(0x881c89, 3);
   for (int i = 0; i < self->n_calls; i++)
      write_call(self, i);
   load_rax(&height);             /* decl (%rax) */
   put(0x08ff, 2);
   put(0x07b8, 5);
   put(0x5b5c41, 3);
   if ({has_frame_pointer})
      put(0x5d, 1);
   else
      put(0x08c48348, 4);
   put(0xc3, 1);
}}
"""

# Where the next piece of code begins behind one.
GAPS = (0, 5, 300)
