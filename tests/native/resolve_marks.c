/* SPDX-License-Identifier: GPL-2.0-or-later

   Has callgrind/instrument/marks.c make of marks what they stand for.  Each line of stdin
   is a case:

      ROOM CODE MARK...

   ROOM: so many bytes more than it has the code may take.  CODE is in hexadecimal digits.
   A MARK is `add DISPLACEMENT AMOUNT`, `ask ADDRESS` or `check ARGUMENT`; they are given
   in this order.
   Prints for each case the code that has become of it, or "no".  */

#include "instrument/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ULong next_number(void) { return strtoull(strtok(NULL, " \n"), NULL, 0); }

static void give_marks(void)
{
   marks_begin();
   for (char* word; (word = strtok(NULL, " \n")) != NULL;) {
      ULong first = next_number();
      ULong mark = strcmp(word, "add") == 0     ? marks_addition(first, next_number())
                   : strcmp(word, "check") == 0 ? marks_check(first)
                                                : marks_question((const void*)first);
      if (mark == 0)
         printf("unmarked ");
   }
   marks_end();
}

int main(void)
{
   static char line[4096];
   while (fgets(line, sizeof line, stdin) != NULL) {
      UInt room = (UInt)strtoul(strtok(line, " \n"), NULL, 0);
      char* word = strtok(NULL, " \n");
      UInt size = (UInt)strlen(word) / 2;
      room += size;
      UChar* code = malloc(room); /* so that a sanitizer sees its end */
      for (UInt i = 0; i < size; i++)
         sscanf(word + 2 * i, "%2hhx", &code[i]);
      give_marks();
      if (marks_resolve(code, &size, room))
         for (UInt i = 0; i < size; i++)
            printf("%02x", code[i]);
      else
         printf("no");
      printf("\n");
      free(code);
   }
   return 0;
}
