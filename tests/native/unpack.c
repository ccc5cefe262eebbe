/* SPDX-License-Identifier: GPL-2.0-or-later

   Unpacks a file that zlib has packed (callgrind/inflate/inflate.h):

      unpack FILE SIZE STEP

   to at most SIZE bytes, which are asked for in steps of so many; STEP 0: all at once.
   Writes them to standard output.  Bytes must not be touched long before they are asked
   for: else the status is 2.  */

#include "inflate/inflate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far ahead of what was asked for it may write.  */
#define AHEAD 1024
#define UNTOUCHED 0xa5

static UChar *packed, *unpacked;
static size_t packed_size, size;

static void read_file(const char* path)
{
   FILE* file = fopen(path, "rb");
   if (file == NULL)
      exit(1);
   fseek(file, 0, SEEK_END);
   packed_size = (size_t)ftell(file);
   rewind(file);
   /* Exactly as large as they are, so that a sanitizer sees each byte too many.  */
   packed = malloc(packed_size > 0 ? packed_size : 1);
   if (fread(packed, 1, packed_size, file) != packed_size)
      exit(1);
   fclose(file);
}

static size_t unpack(size_t step)
{
   Inflate* inflate = inflate_begin(packed, packed_size, unpacked, size);
   size_t there = 0;
   for (size_t wanted = step; step > 0 && wanted < size; wanted += step) {
      there = inflate_up_to(inflate, wanted);
      for (size_t i = there + AHEAD; i < size && i < there + 2 * AHEAD; i++)
         if (unpacked[i] != UNTOUCHED)
            exit(2);
   }
   there = inflate_up_to(inflate, size);
   inflate_end(inflate);
   return there;
}

int main(int n_words, char** words)
{
   if (n_words != 4)
      return 1;
   read_file(words[1]);
   size = strtoul(words[2], NULL, 0);
   unpacked = malloc(size > 0 ? size : 1);
   memset(unpacked, UNTOUCHED, size);
   fwrite(unpacked, 1, unpack(strtoul(words[3], NULL, 0)), stdout);
   return 0;
}
