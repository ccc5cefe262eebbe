/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads stdin as an .eh_frame section at address 0x1000, and prints the extents in it
   (callgrind/guest/elf/elf_functions.h).  With two addresses as arguments, prints 1 if
   any extent holds one of those from the first to the second, and 0 otherwise.  */

#include "guest/elf/elf_functions.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
   static UChar input[65536];
   size_t size = fread(input, 1, sizeof input, stdin);
   /* Exactly as large as the section, so that a sanitizer sees what lies beyond.  */
   UChar* section = malloc(size);
   for (size_t i = 0; i < size; i++)
      section[i] = input[i];
   FunctionExtents found = elf_functions_read(section, size, 0x1000);
   if (argc == 3)
      printf("%d\n", elf_functions_has_any(&found, strtoul(argv[1], NULL, 0),
                                           strtoul(argv[2], NULL, 0)));
   for (UInt i = 0; i < found.n_extents && argc < 3; i++)
      printf("%#llx %#llx\n", (unsigned long long)found.extents[i].start,
             (unsigned long long)found.extents[i].end);
   free(found.extents);
   free(section);
   return 0;
}
