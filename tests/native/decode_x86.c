/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads instructions from its input, a line of hexadecimal digits each, and prints for
   each the length that x86_decode() finds, and the class of its cost on every model; 0
   where there is none.  */

#include "cycles/form_table.h"
#include "cycles/x86_decode.h"

#include <stdio.h>
#include <string.h>

static UInt read_code(const char* line, UChar* code)
{
   UInt n = 0, byte;
   while (n < 15 && sscanf(line + 2 * n, "%2x", &byte) == 1)
      code[n++] = (UChar)byte;
   return n;
}

int main(void)
{
   char line[64];
   while (fgets(line, sizeof line, stdin) != NULL) {
      line[strcspn(line, "\n")] = '\0';
      UChar code[15];
      X86Instruction instruction;
      UInt n = read_code(line, code);
      if (!x86_decode(code, n, &instruction)) {
         puts("0");
         continue;
      }
      printf("%u", (unsigned)instruction.size);
      for (UInt i = 0; form_model(i) != NULL; i++) {
         const FormClass* cost = form_cost(form_model(i), instruction.form);
         if (cost == NULL)
            printf(" -");
         else
            printf(" %u/%u/%u", (unsigned)cost->micro_operations,
                   (unsigned)cost->latency, (unsigned)cost->throughput);
      }
      puts("");
   }
   return 0;
}
