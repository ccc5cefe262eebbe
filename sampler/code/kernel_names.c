/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading /proc/kallsyms; see kernel_names.h.  It has over a hundred thousand lines, of
   which few are wanted.  So all addresses are looked up together while it is read, and
   only candidates are kept.  */

#include "code/kernel_names.h"

#include "base/memory.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_NAME 512 /* KSYM_NAME_LEN */

/* The last symbol so far between the previous wanted address and this one.  */
typedef struct {
   uint64_t address; /* 0: none so far */
   char name[LONGEST_NAME];
} Candidate;

typedef struct {
   const uint64_t* wanted;
   size_t count;
   size_t at; /* the first wanted address from the latest symbol on */
   uint64_t latest;
   Candidate* candidates;
} Search;

/* Finds the first wanted address from `address` on.  Symbols come in the order of
   addresses, except those of modules.  */
static void move_to(Search* search, uint64_t address)
{
   if (address < search->latest)
      search->at = 0;
   search->latest = address;
   while (search->at < search->count && search->wanted[search->at] < address)
      search->at++;
}

static void take_symbol(Search* search, uint64_t address, const char* name, size_t length)
{
   move_to(search, address);
   if (search->at == search->count)
      return;
   Candidate* candidate = &search->candidates[search->at];
   if (address < candidate->address)
      return;
   if (length >= LONGEST_NAME)
      length = LONGEST_NAME - 1;
   candidate->address = address;
   memcpy(candidate->name, name, length);
   candidate->name[length] = '\0';
}

static bool hexadecimal(const char** at, const char* end, uint64_t* value)
{
   const char* start = *at;
   *value = 0;
   for (; *at < end; ++*at) {
      char c = **at;
      if (c >= '0' && c <= '9')
         *value = *value << 4 | (uint64_t)(c - '0');
      else if (c >= 'a' && c <= 'f')
         *value = *value << 4 | (uint64_t)(c - 'a' + 10);
      else
         break;
   }
   return *at != start;
}

/* Takes a line, "ADDRESS TYPE NAME"; a module's name may follow after a tab.  */
static void take_line(Search* search, const char* at, const char* end)
{
   uint64_t address;
   if (!hexadecimal(&at, end, &address) || address == 0 || end - at < 4 || at[0] != ' ' ||
       at[2] != ' ' || memchr("tTwW", at[1], 4) == NULL)
      return;
   const char* name = at + 3;
   const char* name_end = memchr(name, '\t', (size_t)(end - name));
   take_symbol(search, address, name, (size_t)((name_end ? name_end : end) - name));
}

/* Takes whole lines.  Returns how many bytes they have.  */
static size_t take_lines(Search* search, const char* text, size_t size)
{
   const char* at = text;
   const char* end;
   while ((end = memchr(at, '\n', size - (size_t)(at - text))) != NULL) {
      take_line(search, at, end);
      at = end + 1;
   }
   return (size_t)(at - text);
}

static void read_file(Search* search, int fd)
{
   static char text[1 << 16];
   size_t kept = 0;
   ssize_t size;
   while (kept < sizeof text && (size = read(fd, text + kept, sizeof text - kept)) > 0) {
      size_t all = kept + (size_t)size;
      size_t taken = take_lines(search, text, all);
      kept = all - taken;
      memmove(text, text + taken, kept);
   }
}

void kernel_names_find(const char* path, const uint64_t* addresses, size_t count,
                       char** names)
{
   Search search = {.wanted = addresses, .count = count};
   search.candidates = memory_allocate(count * sizeof(Candidate));
   int fd = open(path, O_RDONLY | O_CLOEXEC);
   if (fd >= 0) {
      read_file(&search, fd);
      close(fd);
   }
   const Candidate* best = NULL;
   for (size_t i = 0; i < count; i++) {
      if (search.candidates[i].address != 0)
         best = &search.candidates[i];
      names[i] = best != NULL ? memory_copy_text(best->name) : NULL;
   }
   free(search.candidates);
}
