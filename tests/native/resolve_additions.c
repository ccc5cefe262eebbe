/* SPDX-License-Identifier: GPL-2.0-or-later

   Has callgrind/instrument/memory_additions.c make additions of stores.  Each line of
   stdin is a case:

      CODE DISPLACEMENT AMOUNT [DISPLACEMENT AMOUNT]...

   CODE is in hexadecimal digits; what follows are the additions that are marked, in this
   order.  Prints for each case the code that has become of it, or "no".  */

#include "instrument/memory_additions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
   static char line[4096];
   while (fgets(line, sizeof line, stdin) != NULL) {
      char* word = strtok(line, " \n");
      UInt size = (UInt)strlen(word) / 2;
      UChar* code = malloc(size); /* so that a sanitizer sees its end */
      for (UInt i = 0; i < size; i++)
         sscanf(word + 2 * i, "%2hhx", &code[i]);
      memory_additions_begin();
      while ((word = strtok(NULL, " \n")) != NULL) {
         UWord displacement = (UWord)strtol(word, NULL, 0);
         if (memory_additions_mark(displacement,
                                   strtoull(strtok(NULL, " \n"), NULL, 0)) == 0)
            printf("unmarked ");
      }
      memory_additions_end();
      if (memory_additions_resolve(code, size))
         for (UInt i = 0; i < size; i++)
            printf("%02x", code[i]);
      else
         printf("no");
      printf("\n");
      free(code);
   }
   return 0;
}
