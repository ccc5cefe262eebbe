/* SPDX-License-Identifier: GPL-2.0-or-later

   Has callgrind/instrument/host/patch_points.c make of patch points what they stand for.
   Each line of stdin is a case:

      ROOM CODE POINT...

   ROOM: so many bytes more than it has the code may take.  CODE is in hexadecimal digits.
   A POINT is `add DISPLACEMENT AMOUNT`, `ask ADDRESS FETCHED`, `check ARGUMENT`, or
   `use USE PLACE AMOUNT` (host_reserved.h); they are given in this order.
   Prints for each case the code that has become of it, or "no".  */

#include "instrument/host/patch_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PatchPoints points;

static ULong next_number(void) { return strtoull(strtok(NULL, " \n"), NULL, 0); }

static ULong give_point(const char* word, ULong first)
{
   if (strcmp(word, "check") == 0)
      return patch_points_check(&points, first);
   ULong second = next_number();
   if (strcmp(word, "add") == 0)
      return patch_points_addition(&points, first, second);
   if (strcmp(word, "use") == 0)
      return patch_points_reserved(&points, (ReservedUse)first, second, next_number());
   return patch_points_guard(&points, (const void*)first, (const void*)second);
}

static void give_points(void)
{
   patch_points_begin(&points);
   for (char* word; (word = strtok(NULL, " \n")) != NULL;) {
      if (give_point(word, next_number()) == 0)
         printf("refused ");
   }
   patch_points_end(&points);
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
      give_points();
      if (patch_points_resolve(&points, code, &size, room))
         for (UInt i = 0; i < size; i++)
            printf("%02x", code[i]);
      else
         printf("no");
      printf("\n");
      free(code);
   }
   return 0;
}
