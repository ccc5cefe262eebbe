/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Calls leaf 100 times, has the program of the second argument executed in the way that
   the first one names, and calls leaf 10 times more:

      fork vfork    by a child, which calls leaf 7 times before, and 3 times if it fails
      spawn         by posix_spawn
      exec          in its own place; if that fails, it tries again
      path          the same, along PATH
      descriptor    the same, as an open file
      threads       the same, while another thread calls leaf all the time
      many          by two children, with a dump behind each, and a line for its header
      beside        as fork, beside a thread that calls leaf all the time
*/

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)
KNOWN_COST(busy, 10)

extern char** environ;
static char* words[2];
static volatile int is_busy;

OPAQUE static void repeat(int n)
{
   while (n-- > 0)
      leaf();
   NO_TAIL_CALL;
}

static void* stay_busy(void* argument)
{
   for (;;) {
      busy();
      is_busy = 1;
   }
   return argument;
}

OPAQUE static void start_busy_thread(void)
{
   pthread_t thread;
   pthread_create(&thread, NULL, stay_busy, NULL);
   while (!is_busy)
      usleep(1000);
}

OPAQUE static void replace(const char* how)
{
   if (strcmp(how, "threads") == 0)
      start_busy_thread();
   if (strcmp(how, "path") == 0)
      execvp(words[0], words);
   else if (strcmp(how, "descriptor") == 0)
      fexecve(open(words[0], O_RDONLY), words, environ);
   else {
      execv(words[0], words);
      execv(words[0], words);
   }
   NO_TAIL_CALL;
}

OPAQUE static void in_child(void)
{
   repeat(7);
   execv(words[0], words);
   repeat(3);
   _exit(3);
}

OPAQUE static pid_t make_child(const char* how)
{
   pid_t child = 0;
   if (strcmp(how, "spawn") == 0)
      posix_spawn(&child, words[0], NULL, NULL, words, environ);
   else if ((child = strcmp(how, "vfork") == 0 ? vfork() : fork()) == 0)
      in_child();
   NO_TAIL_CALL;
   return child;
}

int main(int argc, char** argv)
{
   if (argc < 3)
      return 2;
   const char* how = argv[1];
   words[0] = argv[2];
   repeat(100);
   if (strcmp(how, "beside") == 0)
      start_busy_thread();
   if (strcmp(how, "many") == 0)
      for (int i = 0; i < 2; i++) {
         CALLGRIND_ADD_DESC("line: ours");
         waitpid(make_child("fork"), NULL, 0);
         waitpid(make_child("vfork"), NULL, 0);
         CALLGRIND_DUMP_STATS;
      }
   else if (strcmp(how, "fork") == 0 || strcmp(how, "beside") == 0 ||
            strcmp(how, "vfork") == 0 || strcmp(how, "spawn") == 0)
      waitpid(make_child(how), NULL, 0);
   else
      replace(how);
   repeat(10);
   return 0;
}
