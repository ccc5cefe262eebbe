/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Makes each request that has a text with texts that cannot be read, or not all of them:
   wild, unaligned and impossible addresses, memory that is not mapped, may not be read,
   lies behind the end of its file, or was not copied by fork; and texts that run into
   such memory.  Then with one that ends with its page.  Last it executes a program whose
   path cannot be read.  It says what it has lived through.

   With an argument: makes each with a text of 16 megabytes.
*/

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callgrind.h"

#define PAGE 65536 /* no system has larger ones */
#define LONG (16 << 20)

static void make_requests(const char* text)
{
   CALLGRIND_DUMP_STATS_AT(text);
   CALLGRIND_ADD_OBJ_SKIP(text);
   CALLGRIND_ADD_DESC(text);
   CALLGRIND_TIMELINE_MARK(text);
}

static char* pages(size_t size)
{
   return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A page of text without an end, in front of one that is not there.  */
static char* text_before_hole(int hole)
{
   char* text = pages(2 * PAGE);
   memset(text, 'x', PAGE);
   if (hole == 0)
      munmap(text + PAGE, PAGE);
   if (hole == 1)
      mprotect(text + PAGE, PAGE, PROT_NONE);
   if (hole == 2)
      madvise(text + PAGE, PAGE, MADV_DONTFORK);
   return text;
}

static char* behind_end_of_file(void)
{
   FILE* file = tmpfile();
   if (file == NULL || ftruncate(fileno(file), PAGE) != 0)
      exit(2);
   char* text = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
   memset(text, 'x', PAGE);
   if (ftruncate(fileno(file), 0) != 0)
      exit(2);
   return text;
}

static void in_child(const char* missing, const char* running_into)
{
   pid_t child = fork();
   if (child == 0) {
      make_requests(missing);
      make_requests(running_into);
      _exit(0);
   }
   int status;
   waitpid(child, &status, 0);
   printf("child: status %d\n", status);
}

static int try_long(void)
{
   char* text = pages(LONG);
   memset(text, 'y', LONG - 1);
   text[1] = ':'; /* as descriptions have */
   make_requests(text);
   return 0;
}

int main(int argc, char** argv)
{
   (void)argv;
   if (argc > 1)
      return try_long();
   static const volatile unsigned long wild[] = {
      1, 0x123457, 0x7ffffffff001, 1UL << 47, 1UL << 63, -4096UL, -1UL};
   for (size_t i = 0; i < sizeof wild / sizeof *wild; i++)
      make_requests((const char*)wild[i]);
   puts("wild addresses");
   make_requests(text_before_hole(0));
   make_requests(text_before_hole(0) + PAGE);
   make_requests(text_before_hole(1));
   make_requests(text_before_hole(1) + PAGE - 1);
   puts("holes");
   make_requests(behind_end_of_file());
   puts("behind the end of a file");
   fflush(stdout);
   char* text = text_before_hole(2);
   in_child(text + PAGE, text);
   text = text_before_hole(0) + PAGE - 5;
   memcpy(text, "last", 5);
   CALLGRIND_DUMP_STATS_AT(text);
   CALLGRIND_ADD_DESC("after: all");
   char* none[] = {NULL};
   if (execve((const char*)wild[0], none, none) == -1)
      printf("exec: %s\n", strerror(errno));
   return 0;
}
