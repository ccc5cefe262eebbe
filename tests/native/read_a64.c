/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads A64 instructions from its input, a line each, of which the first word counts: its
   eight hexadecimal digits.  Prints for each, as instruction_read() finds them: the
   registers that are read, those of the address, and those that are written, as lists
   with commas; `load`, `store`, both or `-`; and the cost on each model, or `-`.

   With an argument, which is the number of a model: a line is a loop, its name and its
   words.  Prints the name, what a turn costs by loop_cycles() in hundredths of a cycle,
   and what the first load costs more when the first level misses.  */

#include "cycles/form_table.h"
#include "cycles/instruction.h"
#include "cycles/loop_cycles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static UInt words[256];

static void print_register(UInt number)
{
   if (number < 31)
      printf("x%u,", (unsigned)number);
   else if (number == 31)
      printf("sp,");
   else if (number < 64)
      printf("v%u,", (unsigned)number - 32);
   else
      printf("flags,");
}

static void print_set(RegisterSet set)
{
   printf(set == 0 ? " -" : " ");
   for (; set != 0; set &= set - 1)
      print_register(register_lowest(set));
}

static void print_instruction(UInt word)
{
   Instruction instruction;
   words[0] = word;
   if (!instruction_read((const UChar*)words, 4, &instruction))
      exit(1);
   print_set(instruction.reads);
   print_set(instruction.addresses);
   print_set(instruction.writes);
   printf(" %s%s", instruction.loads ? "load" : "", instruction.stores ? "store" : "");
   printf(instruction.loads || instruction.stores ? "" : "-");
   for (UInt i = 0; form_model(i) != NULL; i++) {
      const FormClass* cost = form_cost(form_model(i), instruction.form);
      if (cost == NULL)
         printf(" -");
      else
         printf(" %u/%u/%u", (unsigned)cost->micro_operations, (unsigned)cost->latency,
                (unsigned)cost->throughput);
   }
   puts("");
}

/* The superblock that begins with word `first`; returns where the next one does.  */
static UInt add_superblock(UInt first, UInt n, UInt* sum, UInt* late)
{
   UChar sizes[256];
   UInt costs[256], end = first;
   LoopMiss misses[256];
   Instruction instruction = {0};
   while (end < n && instruction.flow == FlowGoesOn) {
      instruction_read((const UChar*)&words[end], 4, &instruction);
      sizes[end++ - first] = 4;
   }
   LoopCode code = {(Addr)&words[first], sizes, end - first, (Addr)words,
                    (Addr)&words[n]};
   if (!loop_cycles(&code, costs, misses))
      exit(1);
   for (UInt i = 0; i < end - first; i++) {
      *sum += costs[i];
      if (*late == 0)
         *late = misses[i].second;
   }
   return end;
}

static void print_loop(const char* name, UInt n)
{
   UInt sum = 0, late = 0;
   for (UInt at = 0; at < n;)
      at = add_superblock(at, n, &sum, &late);
   printf("%s %u %u\n", name, (unsigned)sum, (unsigned)late);
}

int main(int count, char** arguments)
{
   static char line[4096];
   form_model_choose(count > 1 ? (UInt)atoi(arguments[1]) : 0);
   while (fgets(line, sizeof line, stdin) != NULL) {
      char* name = strtok(line, " \n");
      if (name == NULL)
         continue;
      if (count < 2) {
         print_instruction((UInt)strtoul(name, NULL, 16));
         continue;
      }
      UInt n = 0;
      for (char* word; (word = strtok(NULL, " \n")) != NULL && n < 256;)
         words[n++] = (UInt)strtoul(word, NULL, 16);
      print_loop(name, n);
   }
   return 0;
}
