/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes files as the tool does (callgrind/write/output.h):

      write_files PATH SIZE [PATH SIZE]...

   writes SIZE bytes to PATH, the first time in place of what is there, then behind it.
   What output_close() or output_open() say against it goes to stdout.  */

#include "write/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_file(char* path, long size, Bool append)
{
   OutputBefore before;
   const HChar* reason = NULL;
   const TargetPath named = {path, True};
   Output* output = output_open(named, append, &reason);
   for (long i = 0; output != NULL && i < size; i++)
      output_char(output, (HChar)(append ? 'b' : 'a'));
   if (output != NULL && output_close(output, False, &before, &reason))
      printf("written\n");
   else
      printf("%s: %s\n", output == NULL ? "not opened" : "not written", reason);
}

int main(int n, char** arguments)
{
   for (int i = 1; i + 1 < n; i += 2)
      write_file(arguments[i], atol(arguments[i + 1]), i > 1);
   return 0;
}
