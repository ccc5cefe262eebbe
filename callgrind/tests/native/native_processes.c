/* SPDX-License-Identifier: GPL-2.0-or-later

   build: -static

   What a program that runs natively does to make others: fork, vfork, posix_spawn, clone
   with memory that is shared, and exec, of a program that is there and of one that is not.
   A child of fork starts instrumentation, and calls a function.  Prints how they ended.  */

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

extern char** environ;

KNOWN_COST(leaf, 10)

static void tell(const char* name, pid_t child)
{
   int status = -1;
   pid_t ended = waitpid(child, &status, __WALL);
   if (child <= 0 || ended != child)
      printf("%s: no child\n", name);
   else if (WIFSIGNALED(status))
      printf("%s: signal %d\n", name, WTERMSIG(status));
   else
      printf("%s: status %d\n", name, WEXITSTATUS(status));
   fflush(stdout);
}

OPAQUE static void work_in_child(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   leaf();
   CALLGRIND_STOP_INSTRUMENTATION;
   NO_TAIL_CALL;
}

static void run_in_child(int how)
{
   if (how == 1) {
      work_in_child();
      _exit(3);
   }
   if (how == 2) {
      raise(SIGTERM);
      _exit(4);
   }
   char* arguments[] = {(char*)"false", NULL};
   execve(how == 3 ? "/nowhere/false" : "/bin/false", arguments, environ);
   _exit(5);
}

static int cloned(void* number)
{
   for (int i = 0; i < 1000; i++)
      getppid();
   _exit(*(int*)number);
}

static void* stack_of(char* memory, size_t size) { return memory + size; }

int main(void)
{
   static const char* const names[] = {"", "starts", "is killed", "cannot execute",
                                       "executes"};
   for (int how = 1; how <= 4; how++) {
      pid_t child = fork();
      if (child == 0)
         run_in_child(how);
      tell(names[how], child);
   }
   char* arguments[] = {(char*)"false", NULL};
   pid_t child = vfork();
   if (child == 0) {
      execve("/bin/false", arguments, environ);
      _exit(6);
   }
   tell("vfork", child);
   if (posix_spawn(&child, "/bin/false", NULL, NULL, arguments, environ) != 0)
      child = 0;
   tell("posix_spawn", child);
   static char memory[65536];
   int number = 7;
   child = clone(cloned, stack_of(memory, sizeof memory), SIGCHLD, &number);
   tell("clone", child);
   for (int i = 0; i < 50; i++) {
      child = fork();
      if (child == 0)
         _exit(i);
      int status;
      if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != i)
         printf("child %d has ended otherwise\n", i);
   }
   return 0;
}
