/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads a file as the sampler reads code: by pieces that are kept, for test_pieces.py.

   pieces FILE [OFFSET,SIZE]...
      prints of each whether the bytes are those of the file, and how many system calls
      it took: `whole 1`; `none` if the file does not have them.  `all`: every range of
      up to 9 bytes, in rising order; only how many there are, and the system calls  */

#include "code/file_pieces.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t __real_pread(int fd, void* bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void* bytes, size_t size, off_t offset);

static unsigned calls;

ssize_t __wrap_pread(int fd, void* bytes, size_t size, off_t offset)
{
   calls++;
   return __real_pread(fd, bytes, size, offset);
}

static const char* read_range(FilePieces* pieces, int fd, uint64_t offset, size_t size)
{
   unsigned char found[4096], wanted[4096];
   if (size > sizeof found || !file_pieces_read(pieces, fd, offset, found, size))
      return "none";
   return __real_pread(fd, wanted, size, (off_t)offset) == (ssize_t)size &&
                memcmp(found, wanted, size) == 0
             ? "whole"
             : "wrong";
}

/* Ranges that the file has, and one that begins at each byte but ends behind it.  */
static void read_all(FilePieces* pieces, int fd)
{
   struct stat status;
   unsigned compared = 0;
   if (fstat(fd, &status) != 0)
      exit(1);
   for (off_t at = 0; at < status.st_size; at++) {
      for (size_t size = 1; size <= 9; size++, compared++) {
         const char* wanted = at + (off_t)size <= status.st_size ? "whole" : "none";
         const char* found = read_range(pieces, fd, (uint64_t)at, size);
         if (strcmp(found, wanted) != 0)
            printf("%lld,%zu: %s\n", (long long)at, size, found);
      }
   }
   printf("%u compared, %u\n", compared, calls);
}

int main(int count, char** words)
{
   int fd = count > 1 ? open(words[1], O_RDONLY) : -1;
   if (fd < 0)
      return 2;
   FilePieces* pieces = file_pieces_create();
   for (int i = 2; i < count; i++) {
      char* end;
      calls = 0;
      if (strcmp(words[i], "all") == 0) {
         read_all(pieces, fd);
         continue;
      }
      uint64_t offset = strtoull(words[i], &end, 10);
      const char* found = read_range(pieces, fd, offset, strtoul(end + 1, NULL, 10));
      printf("%s %u\n", found, calls);
   }
   return 0;
}
