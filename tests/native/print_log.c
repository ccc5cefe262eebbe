/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes each argument, one after the other, as the core writes a piece of a message to
   its log; the first one tells where the log goes: to standard output, `1`, or elsewhere.
   What reaches standard output is printed.  */

#include "core/log_writes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct {
   Int fd;
} VG_(log_output_sink);

Int __real_vgPlain_write(Int fd, const void* bytes, Int n);
Int __real_vgPlain_write(Int fd, const void* bytes, Int n)
{
   return (Int)write(fd, bytes, (size_t)n);
}

int main(int count, char** arguments)
{
   VG_(log_output_sink).fd = count > 1 ? atoi(arguments[1]) : 0;
   for (int i = 2; i < count; i++) {
      Int length = (Int)strlen(arguments[i]);
      if (__wrap_vgPlain_write(1, arguments[i], length) != length)
         return 1;
   }
   return 0;
}
