/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Calls code that is not there, though it is mapped, in a child.  The arguments say why it
   is missing, where it lies, and what becomes of the fault:

      lacks    it was not copied for the child (MADV_DONTFORK)
      wiped    it is zeros there (MADV_WIPEONFORK)
      file     its file ends before it
      ran      as file, but the child has run it before the file became shorter
      guarded  it is guarded (MADV_GUARD_INSTALL, of Linux 6.13), or else not there at all
      gone     it is not mapped at all

      start    at the start of the page that is missing
      edge     in the page before it, from which it runs into that one
      across   an instruction begins in the page before and ends in the one that is missing

      dies     the child dies of it
      mends    a handler puts the code there

   Before and behind the call leaf is called.  Prints what the handler is told, and the
   child's status.
*/

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "known_cost.h"

#define PAGE 65536
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

/* Eight instructions of which each page has a part, and a return.  */
#if defined(__aarch64__)
#define N_BEFORE 5
static const unsigned int code[] = {0xd503201f, 0xd503201f, 0xd503201f,
                                    0xd503201f, 0xd503201f, 0xd503201f,
                                    0xd503201f, 0xd503201f, 0xd65f03c0};
#define SIZE_BEFORE (4 * N_BEFORE)
#else
/* nop, five times; mov $0x04030201,%eax; nop; nop; ret */
static const unsigned char code[] = {0x90, 0x90, 0x90, 0x90, 0x90, 0xb8, 0x01,
                                     0x02, 0x03, 0x04, 0x90, 0x90, 0xc3};
#define SIZE_BEFORE 5
#define SIZE_CUT 7
#endif

KNOWN_COST(leaf, 10)

static const char *why, *where;
static unsigned char *memory, *entry; /* two pages, of which the second will be missing */
static int file;

static int is(const char* word, const char* other) { return strcmp(word, other) == 0; }

static void put_code(void)
{
   size_t before = 0;
   if (is(where, "edge"))
      before = SIZE_BEFORE;
#ifdef SIZE_CUT
   if (is(where, "across"))
      before = SIZE_CUT;
#endif
   entry = memory + PAGE - before;
   memcpy(entry, code, sizeof code);
   __builtin___clear_cache((char*)memory, (char*)memory + 2 * PAGE);
}

static void mend(int number, siginfo_t* info, void* context)
{
   const long at = (long)((unsigned char*)info->si_addr - (memory + PAGE));
   (void)context;
   printf("signal %d, code %d, ", number, info->si_code);
   printf(at >= -PAGE && at < PAGE ? "at %ld of the page; " : "elsewhere; ", at);
   fflush(stdout);
   if (mmap(memory, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      _exit(3);
   put_code();
}

static void map(void)
{
   const int with_file = is(why, "file") || is(why, "ran");
   file = with_file ? fileno(tmpfile()) : -1;
   if (with_file && ftruncate(file, 2 * PAGE) != 0)
      exit(2);
   memory = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   memory =
      mmap(memory, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
           MAP_FIXED | (with_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS), file, 0);
   put_code();
   mprotect(memory, 2 * PAGE, PROT_READ | PROT_EXEC);
}

OPAQUE static int call(void)
{
   leaf();
   ((void (*)(void))(size_t)entry)();
   leaf();
   return 5;
}

/* In the parent, or where it makes a difference only there, in the child.  */
static void lose(int in_child)
{
   unsigned char* page = memory + PAGE;
   if (!in_child && is(why, "lacks"))
      madvise(page, PAGE, MADV_DONTFORK);
   if (!in_child && is(why, "wiped"))
      madvise(page, PAGE, MADV_WIPEONFORK);
   if (in_child && (is(why, "file") || is(why, "ran")) && ftruncate(file, PAGE) != 0)
      exit(2);
   if (in_child && (is(why, "gone") ||
                    (is(why, "guarded") && madvise(page, PAGE, MADV_GUARD_INSTALL) != 0)))
      munmap(page, PAGE);
}

int main(int n, char** words)
{
   const struct rlimit no_core = {0, 0};
   if (n < 4)
      return 2;
   why = words[1];
   where = words[2];
   setrlimit(RLIMIT_CORE, &no_core);
   map();
   call();
   lose(0);
   pid_t child = fork();
   if (child == 0) {
      struct sigaction action = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
      if (is(words[3], "mends")) {
         sigaction(SIGSEGV, &action, NULL);
         sigaction(SIGBUS, &action, NULL);
         sigaction(SIGILL, &action, NULL);
      }
      if (is(why, "ran"))
         call();
      lose(1);
      _exit(call());
   }
   int status;
   waitpid(child, &status, 0);
   printf("%s %s %s: status %d\n", words[1], words[2], words[3],
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
   return 0;
}
