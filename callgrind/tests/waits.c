/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Calls step five times; the last call calls itself once, and waits there, going round in
   wait_for_stop until the file of the second argument is there.  The third argument is a
   number of further threads, which wait for the same.  When all wait, the process writes
   its number into the file of the first argument; and from then on, each time when all
   have gone round once more, a byte into the file of that name with `.rounds` behind.
*/

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

#define MOST_THREADS 8

static const char *pid_path, *stop_path;
static int thread_count; /* the main thread is one more, and number 0 */
static atomic_uint rounds[MOST_THREADS + 1];

OPAQUE static void write_file(const char* path, const char* mode, const char* text)
{
   FILE* file = fopen(path, mode);
   if (file == NULL)
      exit(1);
   fputs(text, file);
   fclose(file);
   NO_TAIL_CALL;
}

OPAQUE static void tell_of_rounds(void)
{
   static unsigned told[MOST_THREADS + 1];
   char text[512];
   for (int i = 0; i <= thread_count; i++)
      if (rounds[i] == told[i])
         return;
   for (int i = 0; i <= thread_count; i++)
      told[i] = rounds[i];
   snprintf(text, sizeof text, "%s.rounds", pid_path);
   if (access(pid_path, F_OK) == 0) {
      write_file(text, "a", ".");
   } else {
      write_file(text, "w", "");
      snprintf(text, sizeof text, "%d\n", (int)getpid());
      write_file(pid_path, "w", text);
   }
   NO_TAIL_CALL;
}

OPAQUE static void wait_for_stop(int number)
{
   while (access(stop_path, F_OK) != 0) {
      usleep(10000);
      rounds[number]++;
      if (number == 0)
         tell_of_rounds();
   }
   NO_TAIL_CALL;
}

OPAQUE static void step(int number)
{
   for (int i = 0; i < number; i++)
      leaf();
   if (number == 5)
      step(6);
   if (number == 6)
      wait_for_stop(0);
   NO_TAIL_CALL;
}

static void* run_thread(void* number)
{
   wait_for_stop(*(int*)number);
   return NULL;
}

int main(int argc, char** argv)
{
   pthread_t threads[MOST_THREADS];
   int numbers[MOST_THREADS];
   if (argc < 3)
      return 2;
   pid_path = argv[1];
   stop_path = argv[2];
   thread_count = argc > 3 ? atoi(argv[3]) : 0;
   if (thread_count < 0 || thread_count > MOST_THREADS)
      return 2;
   for (int i = 0; i < thread_count; i++) {
      numbers[i] = i + 1;
      if (pthread_create(&threads[i], NULL, run_thread, &numbers[i]) != 0)
         return 1;
   }
   volatile int last = 5; /* one call site, not five */
   for (int number = 1; number <= last; number++)
      step(number);
   for (int i = 0; i < thread_count; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
