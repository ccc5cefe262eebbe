/* SPDX-License-Identifier: GPL-2.0-or-later

   Prints the plain names (callgrind/layout/plain_name.h) of its arguments, which are
   functions or objects, as the first one says.  */

#include "layout/plain_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv)
{
   for (int i = 2; i < argc; i++) {
      char* plain = malloc(strlen(argv[i]) + 1);
      if (plain == NULL)
         return 1;
      if (strcmp(argv[1], "function") == 0)
         plain_name_of_function(argv[i], plain);
      else
         plain_name_of_object(argv[i], plain);
      puts(plain);
      free(plain);
   }
   return 0;
}
