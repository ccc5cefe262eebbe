/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Calls step five times; the last call calls itself once, and waits there.  When it waits
   it writes its number into the file of the first argument, and ends when the file of the
   second one is there.  The third argument is a number of further threads, which wait for
   the same.
*/

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

static const char *pid_path, *stop_path;

OPAQUE static void wait_for_stop(void)
{
   while (access(stop_path, F_OK) != 0)
      usleep(10000);
   NO_TAIL_CALL;
}

OPAQUE static void announce(void)
{
   FILE* file = fopen(pid_path, "w");
   if (file == NULL)
      exit(1);
   fprintf(file, "%d\n", (int)getpid());
   fclose(file);
   NO_TAIL_CALL;
}

OPAQUE static void step(int number)
{
   for (int i = 0; i < number; i++)
      leaf();
   if (number == 5)
      step(6);
   if (number == 6) {
      announce();
      wait_for_stop();
   }
   NO_TAIL_CALL;
}

static void* run_thread(void* argument)
{
   wait_for_stop();
   return argument;
}

int main(int argc, char** argv)
{
   pthread_t threads[8];
   if (argc < 3)
      return 2;
   pid_path = argv[1];
   stop_path = argv[2];
   int n = argc > 3 ? atoi(argv[3]) : 0;
   for (int i = 0; i < n && i < 8; i++)
      if (pthread_create(&threads[i], NULL, run_thread, NULL) != 0)
         return 1;
   volatile int last = 5; /* one call site, not five */
   for (int number = 1; number <= last; number++)
      step(number);
   for (int i = 0; i < n && i < 8; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
