/* SPDX-License-Identifier: GPL-2.0-or-later

   See instruction_cycles.h.  Owns the list of instructions that no table knows.  */

#include "cycles/instruction_cycles.h"

#include "cycles/form_table.h"
#include "cycles/instruction.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

#define LONGEST 15

/* An instruction that is not known, and at how many places it was translated.  */
typedef struct {
   UChar code[LONGEST];
   UChar size;
   ULong times;
} Unknown;

#define MAX_UNKNOWN 64
static Unknown unknown[MAX_UNKNOWN];
static UInt n_unknown;
static ULong n_more; /* translated when the list was full */

Bool cycles_are_known(void) { return form_model(0) != NULL; }

static void note_unknown(const UChar* code, UInt size)
{
   UInt length = size < LONGEST ? size : LONGEST;
   for (UInt i = 0; i < n_unknown; i++)
      if (unknown[i].size == length && VG_(memcmp)(unknown[i].code, code, length) == 0) {
         unknown[i].times++;
         return;
      }
   if (n_unknown == MAX_UNKNOWN) {
      n_more++;
      return;
   }
   Unknown* entry = &unknown[n_unknown++];
   VG_(memcpy)(entry->code, code, length);
   entry->size = (UChar)length;
   entry->times = 1;
}

InstructionCycles instruction_cycles(const UChar* code, UInt size)
{
   Instruction instruction;
   if (instruction_read(code, size, &instruction) && instruction.size == size) {
      const FormClass* cost = form_cost(form_model_in_use(), instruction.form_alone);
      if (cost != NULL)
         return (InstructionCycles){cost->throughput, cost->latency};
   }
   note_unknown(code, size);
   return (InstructionCycles){CYCLES_UNKNOWN, CYCLES_UNKNOWN};
}

static void print_unknown(const Unknown* entry)
{
   HChar bytes[3 * LONGEST + 1] = "";
   for (UInt i = 0; i < entry->size; i++)
      VG_(sprintf)(bytes + 3 * i, " %02x", entry->code[i]);
   VG_(umsg)("cycles:  %s, translated %llu times\n", bytes, entry->times);
}

void instruction_cycles_report(void)
{
   if (n_unknown == 0)
      return;
   VG_(umsg)("cycles: not known on %s, and taken for 1.00:\n", form_model_in_use()->name);
   for (UInt i = 0; i < n_unknown; i++)
      print_unknown(&unknown[i]);
   if (n_more > 0)
      VG_(umsg)("cycles:   and others, translated %llu times\n", n_more);
}
