/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Forks children that lack memory that their parent has, in which code has run and stacks
   lie: it was not copied (MADV_DONTFORK), or is zeros (MADV_WIPEONFORK).  The arguments
   say which, and what the child does:

      lacks|wiped   the memory
      exit exec     ends
      dump          has a part written, and ends
      path          hands it to the system as a path, and ends
      code          was forked by a function that this code has called; has the parent's
                    frames found anew (STOP and START), and ends
      sight         was forked in a coroutine by such a function; leaves it, and comes back
                    while nothing is known of it (STOP and START): its frames are found
                    anew in the middle of generated code
      stacks        goes on with coroutines, while the stack of another one is missing

   Prints the child's status.
*/

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "callgrind.h"
#include "known_cost.h"

#define SIZE (1 << 18)
#define CODE_SIZE 65536

KNOWN_COST(leaf, 10)

static const char* what;
static int advice;
static unsigned char* memory;
static ucontext_t main_context, contexts[4];
static int is_child;

#if defined(__aarch64__)
static const unsigned int calling[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd,
                                       0xd65f03c0};
#else
/* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
static const unsigned char calling[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
                                        0x48, 0x83, 0xc4, 0x08, 0xc3};
#endif

typedef void (*Code)(void (*callback)(void));

OPAQUE static void run(Code code, void (*callback)(void))
{
   code(callback);
   NO_TAIL_CALL;
}

OPAQUE static void coroutine(int number)
{
   for (;;) {
      leaf();
      swapcontext(&contexts[number], &main_context);
   }
}

OPAQUE static void fork_here(void);

OPAQUE static void in_sight(int number)
{
   run((Code)memory, fork_here);
   swapcontext(&contexts[number], &main_context);
}

OPAQUE static void visit(int number)
{
   swapcontext(&main_context, &contexts[number]);
   NO_TAIL_CALL;
}

static void make_coroutine(int number, void (*function)(int), void* stack)
{
   getcontext(&contexts[number]);
   contexts[number].uc_stack.ss_sp = stack;
   contexts[number].uc_stack.ss_size = SIZE - CODE_SIZE;
   contexts[number].uc_link = NULL;
   makecontext(&contexts[number], (void (*)(void))function, 1, number);
}

OPAQUE static void go_on(void)
{
   leaf();
   if (strcmp(what, "exec") == 0)
      execl("/bin/sh", "sh", "-c", "exit 6", (char*)NULL);
   if (strcmp(what, "dump") == 0)
      CALLGRIND_DUMP_STATS;
   if (strcmp(what, "path") == 0) {
      const int error = open((const char*)memory, O_RDONLY) < 0 ? errno : 0;
      _exit(error == (advice == MADV_DONTFORK ? EFAULT : ENOENT) ? 5 : 9);
   }
   if (strcmp(what, "code") == 0) {
      CALLGRIND_STOP_INSTRUMENTATION;
      CALLGRIND_START_INSTRUMENTATION;
      leaf();
   }
   if (strcmp(what, "sight") == 0) {
      CALLGRIND_STOP_INSTRUMENTATION;
      is_child = 1;
      swapcontext(&contexts[3], &main_context);
      leaf();
   }
   if (strcmp(what, "stacks") == 0)
      for (int i = 0; i < 10; i++) {
         visit(1);
         visit(2);
      }
   _exit(5);
}

OPAQUE static void fork_here(void)
{
   leaf();
   if (madvise(memory, SIZE, advice) != 0)
      exit(2);
   pid_t child = fork();
   if (child == 0)
      go_on();
   int status;
   waitpid(child, &status, 0);
   printf("child: status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -status);
}

int main(int argc, char** argv)
{
   if (argc < 3)
      return 2;
   advice = strcmp(argv[1], "wiped") == 0 ? MADV_WIPEONFORK : MADV_DONTFORK;
   what = argv[2];
   memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   memcpy(memory, calling, sizeof calling);
   __builtin___clear_cache((char*)memory, (char*)memory + sizeof calling);
   make_coroutine(0, coroutine, memory + CODE_SIZE);
   make_coroutine(1, coroutine, malloc(SIZE));
   make_coroutine(2, coroutine, malloc(SIZE));
   make_coroutine(3, in_sight, malloc(SIZE));
   for (int i = 0; i < 3; i++)
      visit(i);
   for (int i = 0; i < 100; i++)
      run((Code)memory, leaf);
   if (strcmp(what, "sight") == 0) {
      visit(3);
      if (is_child) {
         CALLGRIND_START_INSTRUMENTATION;
         visit(3);
      }
   } else if (strcmp(what, "code") == 0)
      run((Code)memory, fork_here);
   else
      fork_here();
   for (int i = 0; i < 3; i++)
      visit(i);
   return 0;
}
