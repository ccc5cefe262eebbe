/* SPDX-License-Identifier: GPL-2.0-or-later

   Prints what loops cost by loop_cycles(): a line for each, with its name, and for each
   of its superblocks the cost in hundredths of a cycle, and what its first load costs
   besides if it is missed by the first level, the second, the last, and the translation
   buffers, and what its last branch costs if it is mispredicted, with colons between.
   The argument is the number of the model.  */

#include "cycles/form_table.h"
#include "cycles/loop_cycles.h"
#include "cycles/x86_decode.h"

#include <stdio.h>
#include <stdlib.h>

#define LOOP(NAME, BODY)                                                                 \
   __asm__(".text\n" #NAME ":\n\t" BODY "\n" #NAME "_end:\n\tret\n");                    \
   extern UChar NAME[], NAME##_end[];
#define AGAIN "\n\tdec %rdi\n\tjnz 1b"

LOOP(empty, "1:" AGAIN)
LOOP(multiplies, "1: imul %rcx, %rax" AGAIN)
LOOP(multiplies_apart, "1: imul $3, %rcx, %rax\n\timul $3, %rcx, %rdx\n\t"
                       "imul $3, %rcx, %rsi" AGAIN)
LOOP(adds_apart, "1: lea 1(%rcx), %rax\n\tlea 2(%rcx), %rdx\n\tlea 3(%rcx), %rsi\n\t"
                 "lea 4(%rcx), %r8" AGAIN)
LOOP(nops, "1:\n\t.rept 28\n\tnop\n\t.endr" AGAIN)
LOOP(over_blocks, "1: imul %rcx, %rax\n\ttest $1, %dl\n\tje 2f\n\t"
                  "imul %rcx, %rax\n2:" AGAIN)
LOOP(through_call, "1: imul %rcx, %rbx\n\tcall 1b" AGAIN)
LOOP(broken_by_zero, "1: imul %rcx, %rax\n\txor %eax, %eax" AGAIN)
LOOP(through_memory, "1: add %rcx, -8(%rsp)" AGAIN)
LOOP(through_stack, "1: push %rax\n\tpop %rax" AGAIN)
LOOP(other_places, "1: mov %rcx, (%rsi)\n\tmov 8(%rsi), %rax\n\tadd $16, %rsi" AGAIN)
LOOP(chased, "1: mov (%rax), %rax" AGAIN)
LOOP(streamed, "1: add (%rsi), %rax\n\tadd $8, %rsi" AGAIN)
LOOP(divides, "1: mov %rcx, %rax\n\txor %edx, %edx\n\tdiv %rsi" AGAIN)
LOOP(no_loop, "1: imul %rcx, %rbx\n\tret")
LOOP(other_values, "1: imul %rcx, %rax\n\tret")
LOOP(indexed, "1: add %rcx, (%rsi,%rdx)" AGAIN)
LOOP(divides_32, "1: mov %ecx, %eax\n\txor %edx, %edx\n\tdiv %esi" AGAIN)
LOOP(compares, "1: .rept 4\n\tcmp %rcx, %rdx\n\tje 1b\n\t.endr" AGAIN)
LOOP(shorter, "1: lea 1(%rax), %rax" AGAIN)
LOOP(scaled, "1: lea (%rcx,%rax,2), %rax" AGAIN)
LOOP(three, "1: lea 1(%rcx,%rax), %rax" AGAIN)
LOOP(converts, "1: cvtsi2sd %rax, %xmm0\n\tcvttsd2si %xmm0, %rax" AGAIN)
LOOP(gathers, "1: vpgatherdd %ymm1, (%rsi,%ymm2,4), %ymm0" AGAIN)
LOOP(atomic, "1: lock add %rcx, (%rsi)" AGAIN)
LOOP(rotates, "1: rol $3, %rax\n\txor %rcx, %rax" AGAIN)
LOOP(stores_apart, "1: mov %rcx, (%rsi)\n\tmov %rcx, 64(%rsi)" AGAIN)
LOOP(stores_together, "1: mov %rcx, (%rsi)\n\tmov %rcx, 8(%rsi)" AGAIN)
LOOP(repeats, "1: rep stosb")
LOOP(decides, "1: mov (%rsi), %rax\n\tcmp %rax, %rcx\n\tje 2f\n\tnop\n2:" AGAIN)
LOOP(decides_beside, "1: .rept 12\n\timul %rdx, %rdx\n\t.endr\n\tcmp %rax, %rcx\n\t"
                     "je 2f\n\tnop\n2:" AGAIN)
LOOP(returns, "1: ret")
LOOP(jumps, "1: jmp *%rcx")
LOOP(moved, "1: imul %rcx, %rax\n\tmov %rax, %rdx\n\tmov %rdx, %rax" AGAIN)
LOOP(stepped, "1: imul %rcx, %rax\n\t.rept 3\n\tadd $7, %rax\n\t.endr" AGAIN)
LOOP(stepped_far, "1: imul %rcx, %rax\n\t.rept 3\n\tadd $70000, %rax\n\t.endr" AGAIN)
LOOP(sums, "1: .rept 4\n\taddsd %xmm1, %xmm0\n\t.endr" AGAIN)
LOOP(sums_of_products, "1: mulsd %xmm1, %xmm0\n\taddsd %xmm1, %xmm0" AGAIN)
LOOP(stored_whole, "1: mov %rax, (%rsi)\n\tmov (%rsi), %rax" AGAIN)
LOOP(stored_wider, "1: mov %rax, (%rsi)\n\tmovzwl 2(%rsi), %eax" AGAIN)
LOOP(stored_vector, "1: movaps %xmm0, (%rsi)\n\tmovaps (%rsi), %xmm0" AGAIN)
LOOP(stored_added, "1: mov %rax, (%rsi)\n\tmov (%rsi), %rax\n\tadd %rcx, %rax" AGAIN)
LOOP(calls, "1: call 2f\n2: nop" AGAIN)
LOOP(strided, "1: add (%rsi), %rax\n\tadd $256, %rsi" AGAIN)

static const struct {
   const char* name;
   UChar *begin, *end;
} loops[] = {
#define ROW(NAME) {#NAME, NAME, NAME##_end}
   ROW(empty), ROW(multiplies), ROW(multiplies_apart), ROW(adds_apart), ROW(nops),
   ROW(over_blocks), ROW(through_call), ROW(broken_by_zero), ROW(through_memory),
   ROW(through_stack), ROW(other_places), ROW(chased), ROW(streamed), ROW(divides),
   ROW(no_loop), ROW(other_values), ROW(indexed), ROW(divides_32), ROW(compares),
   ROW(shorter), ROW(scaled), ROW(three), ROW(converts), ROW(gathers), ROW(atomic),
   ROW(rotates), ROW(stores_apart), ROW(stores_together), ROW(repeats), ROW(decides),
   ROW(decides_beside), ROW(returns), ROW(jumps), ROW(moved), ROW(stepped),
   ROW(stepped_far), ROW(sums), ROW(sums_of_products), ROW(stored_whole),
   ROW(stored_wider), ROW(stored_vector), ROW(stored_added), ROW(calls), ROW(strided),
};

static Bool ends_superblock(const X86Instruction* instruction)
{
   return instruction->map == X86MapOne &&
          ((instruction->opcode & 0xf0) == 0x70 || instruction->opcode == 0xe8 ||
           instruction->opcode == 0xc3);
}

/* Prints the superblock at `at`, and returns where the next one begins.  */
static UChar* print_superblock(UChar* at, const UChar* begin, const UChar* end)
{
   UChar sizes[64];
   UInt costs[64], n = 0, sum = 0;
   LoopMiss misses[64];
   X86Instruction instruction = {0};
   LoopCode code = {(Addr)at, sizes, 0, (Addr)begin, (Addr)end + 1};
   while (at < end && !ends_superblock(&instruction)) {
      if (!x86_decode(at, 15, &instruction))
         exit(1);
      sizes[n++] = instruction.size;
      at += instruction.size;
   }
   code.n = n;
   if (!loop_cycles(&code, costs, misses))
      exit(1);
   for (UInt i = 0; i < n; i++)
      sum += costs[i];
   UInt load = 0;
   while (load + 1 < n && misses[load].memory == 0)
      load++;
   const LoopMiss* miss = &misses[load];
   printf(" %u:%u:%u:%u:%u:%u", (unsigned)sum, (unsigned)miss->second,
          (unsigned)miss->third, (unsigned)miss->memory, (unsigned)miss->walk,
          (unsigned)misses[n - 1].mispredicted);
   return at;
}

int main(int count, char** arguments)
{
   form_model_choose(count > 1 ? (UInt)atoi(arguments[1]) : 0);
   for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
      printf("%s", loops[i].name);
      for (UChar* at = loops[i].begin; at < loops[i].end;)
         at = print_superblock(at, loops[i].begin, loops[i].end);
      puts("");
   }
   return 0;
}
