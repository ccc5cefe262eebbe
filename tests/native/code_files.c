/* SPDX-License-Identifier: GPL-2.0-or-later

   Files of the translation cache (callgrind/translation_cache/code_file.h):

      code_files write FOLDER FIRST N   adds N entries from number FIRST on, and saves
      code_files early FOLDER FIRST N   the same, twice, where what is added is written as
                                        it comes; looks each entry up in between
      code_files new FOLDER FIRST N     the same, twice, each time as if it were new, with
                                        other bytes the first time; looks every tenth up
      code_files read FOLDER N [NAME]   looks N entries up, in a file of another name
      code_files mutate FOLDER N SEED   damages the file, N times; each time looks up the
                                        entries that it had

   An entry is known by its number: its key, size and bytes follow from it.  What was
   found goes to stdout: "F found, L lost, W wrong"; and before it, of what was added,
   "error E" and, if a call has failed on purpose, "NAME failed".  */

#include "faults.h"
#include "translation_cache/code_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "entries.code"
#define LARGEST 3000

static const ULong identity[2] = {0x1234, 0x5678};
static unsigned n_found, n_lost, n_wrong;

static ULong key_of(unsigned number) { return (number + 1) * 0x9e3779b97f4a7c15ULL; }
static UInt size_of(unsigned number) { return number * 37 % LARGEST; }

static const unsigned char* bytes_of(unsigned number)
{
   static unsigned char bytes[LARGEST];
   for (UInt i = 0; i < size_of(number); i++)
      bytes[i] = (unsigned char)(number * 7 + i * 13 + i / 256);
   return bytes;
}

static void look_up_one(const CodeFile* file, unsigned number)
{
   UInt size;
   const void* found = code_file_find(file, key_of(number), &size);
   if (found == NULL)
      n_lost++;
   else if (size == size_of(number) && memcmp(found, bytes_of(number), size) == 0)
      n_found++;
   else
      n_wrong++;
}

static void look_up(Int folder, const char* name, unsigned n)
{
   CodeFile* file = code_file_open(folder, name, identity);
   for (unsigned i = 0; i < n; i++)
      look_up_one(file, i);
   code_file_close(file);
}

static void save(CodeFile* file, Int folder)
{
   printf("error %u\n", code_file_save(file, folder, 64));
   code_file_close(file);
   if (faults_name()[0] != '\0')
      printf("%s failed\n", faults_name());
}

static void write_entries(Int folder, unsigned first, unsigned n)
{
   CodeFile* file = code_file_open(folder, NAME, identity);
   for (unsigned i = first; i < first + n; i++)
      code_file_add(file, key_of(i), bytes_of(i), size_of(i));
   save(file, folder);
}

static void write_entries_early(Int folder, const char* path, unsigned first, unsigned n)
{
   CodeFile* file = code_file_open(folder, NAME, identity);
   code_file_write_early(file, path);
   for (unsigned i = 0; i < 2 * n; i++) {
      unsigned number = first + i % n;
      code_file_add(file, key_of(number), bytes_of(number), size_of(number));
      look_up_one(file, number);
      look_up_one(file, first + i / 2 % n);
   }
   save(file, folder);
}

static void write_entries_as_new(Int folder, unsigned first, unsigned n)
{
   CodeFile* file = code_file_open(folder, NAME, identity);
   for (unsigned i = 0; i < 2 * n; i++) {
      unsigned number = first + i % n, other = i < n ? number + 1 : number;
      memcpy(code_file_room(file, size_of(other)), bytes_of(other), size_of(other));
      code_file_add_new_room(file, key_of(number), size_of(other));
      if (i > n && i % 10 == 0)
         look_up_one(file, number);
   }
   save(file, folder);
}

/* Reads the whole file; *size is its length.  */
static unsigned char* content(Int folder, long* size)
{
   int fd = openat(folder, NAME, O_RDONLY);
   struct stat status;
   if (fd < 0 || fstat(fd, &status) != 0)
      exit(1);
   unsigned char* bytes = malloc((size_t)status.st_size);
   *size = read(fd, bytes, (size_t)status.st_size);
   close(fd);
   return bytes;
}

static void put_content(Int folder, const unsigned char* bytes, long size)
{
   int fd = openat(folder, NAME, O_WRONLY | O_TRUNC | O_CREAT, 0600);
   if (fd < 0 || write(fd, bytes, (size_t)size) != size)
      exit(1);
   close(fd);
}

/* Damages a copy of the file's bytes; returns the new length.  Half of the damage is to
   its ends, where header and index are.  */
static long damage(unsigned char* bytes, long size)
{
   long at = rand() % size;
   if (rand() % 2)
      at = rand() % 2 ? rand() % 64 : size - 1 - rand() % 600;
   switch (rand() % 5) {
   case 0: bytes[at] ^= (unsigned char)(1 << rand() % 8); return size;
   case 1: bytes[at] = (unsigned char)rand(); return size;
   case 2: return at;
   case 3: memset(bytes + at, 0, (size_t)(size - at > 64 ? 64 : size - at)); return size;
   default: {
      long from = rand() % size;
      long n = size - (at > from ? at : from);
      memmove(bytes + at, bytes + from, (size_t)(n > 512 ? 512 : n));
      return size;
   }
   }
}

static void mutate(Int folder, unsigned n_entries, unsigned n, unsigned seed)
{
   long size;
   unsigned char* whole = content(folder, &size);
   unsigned char* damaged = malloc((size_t)size);
   srand(seed);
   for (unsigned i = 0; i < n; i++) {
      memcpy(damaged, whole, (size_t)size);
      put_content(folder, damaged, damage(damaged, size));
      look_up(folder, NAME, n_entries);
   }
   put_content(folder, whole, size);
   free(damaged);
   free(whole);
}

int main(int n, char** arguments)
{
   if (n < 4)
      return 2;
   int folder = open(arguments[2], O_RDONLY | O_DIRECTORY);
   unsigned first = (unsigned)atoi(arguments[3]);
   if (strcmp(arguments[1], "write") == 0)
      write_entries(folder, first, (unsigned)atoi(arguments[4]));
   else if (strcmp(arguments[1], "early") == 0)
      write_entries_early(folder, arguments[2], first, (unsigned)atoi(arguments[4]));
   else if (strcmp(arguments[1], "new") == 0)
      write_entries_as_new(folder, first, (unsigned)atoi(arguments[4]));
   else if (strcmp(arguments[1], "read") == 0)
      look_up(folder, n > 4 ? arguments[4] : NAME, first);
   else
      mutate(folder, 40, first, (unsigned)atoi(arguments[4]));
   printf("%u found, %u lost, %u wrong\n", n_found, n_lost, n_wrong);
   return 0;
}
