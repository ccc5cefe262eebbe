/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Ends while there are threads in every state: one runs, one gives way all the time, one
   reads a pipe, one waits at a futex, one sleeps, one waits in a signal handler, and one
   makes threads, which end.  Each has called leaf once, and called its own function, in
   which it is.  The arguments say who ends the process, and how:

      main|thread      the first thread, or another one
      segv fpe bus     by a fault: no memory there, a division by zero, a file's end
      abort term       by a signal that it sends: to itself, or to the process
      others           by one that another thread gets, which is in a system call
      overflow         by running out of stack
      exit             by _exit(5)
      exec             by executing another program, which ends with status 6
*/

#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

static sem_t is_there, never;
static int no_data[2];
static pthread_t reader;

OPAQUE static void arrive(void)
{
   leaf();
   sem_post(&is_there);
}

OPAQUE static void* running(void* unused)
{
   arrive();
   for (volatile unsigned i = 0;; i++)
      ;
   return unused;
}

OPAQUE static void* yielding(void* unused)
{
   arrive();
   for (;;)
      sched_yield();
   return unused;
}

OPAQUE static void* reading(void* unused)
{
   char byte;
   arrive();
   while (read(no_data[0], &byte, 1) != 1)
      ;
   return unused;
}

OPAQUE static void* waiting(void* unused)
{
   arrive();
   sem_wait(&never);
   return unused;
}

OPAQUE static void* sleeping(void* unused)
{
   const struct timespec long_time = {1000000, 0};
   arrive();
   for (;;)
      nanosleep(&long_time, NULL);
   return unused;
}

OPAQUE static void handle(int signal)
{
   (void)signal;
   arrive();
   for (;;)
      pause();
}

OPAQUE static void* handling(void* unused)
{
   raise(SIGUSR1);
   return unused;
}

OPAQUE static void* short_lived(void* unused)
{
   return unused;
}

OPAQUE static void* making(void* unused)
{
   arrive();
   for (;;) {
      pthread_t thread;
      if (pthread_create(&thread, NULL, short_lived, NULL) == 0)
         pthread_join(thread, NULL);
   }
   return unused;
}

OPAQUE static int overflow(int depth)
{
   volatile char room[4096];
   room[0] = (char)depth;
   return overflow(depth + 1) + room[0];
}

static void read_behind_end(void)
{
   FILE* file = tmpfile();
   volatile char* map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
   (void)*map;
}

OPAQUE static void end(const char* how)
{
   leaf();
   if (strcmp(how, "segv") == 0)
      *(volatile int*)0x58 = 1;
   if (strcmp(how, "fpe") == 0) {
#if defined(__aarch64__)
      raise(SIGFPE); /* where a division gives 0 */
#else
      volatile int zero = 0;
      zero = 12345 / zero;
#endif
   }
   if (strcmp(how, "bus") == 0)
      read_behind_end();
   if (strcmp(how, "abort") == 0)
      abort();
   if (strcmp(how, "term") == 0)
      kill(getpid(), SIGTERM);
   if (strcmp(how, "others") == 0)
      pthread_kill(reader, SIGTERM);
   if (strcmp(how, "overflow") == 0)
      overflow(0);
   if (strcmp(how, "exec") == 0)
      execl("/bin/sh", "sh", "-c", "exit 6", (char*)NULL);
   if (strcmp(how, "exit") == 0)
      _exit(5);
   for (;;) /* the signal comes at any moment */
      pause();
}

OPAQUE static void* ending(void* how)
{
   end(how);
   return NULL;
}

int main(int argc, char** argv)
{
   static void* (*const states[])(void*) = {running,  yielding, reading, waiting,
                                            sleeping, handling, making};
   enum { STATES = sizeof states / sizeof *states };
   if (argc < 3)
      return 2;
   signal(SIGUSR1, handle);
   sem_init(&is_there, 0, 0);
   sem_init(&never, 0, 0);
   if (pipe(no_data) != 0)
      return 2;
   for (int i = 0; i < STATES; i++) {
      pthread_t thread;
      if (pthread_create(&thread, NULL, states[i], NULL) != 0)
         return 2;
      if (states[i] == reading)
         reader = thread;
   }
   for (int i = 0; i < STATES; i++)
      while (sem_wait(&is_there) != 0)
         ;
   if (strcmp(argv[1], "thread") == 0) {
      pthread_t thread;
      pthread_create(&thread, NULL, ending, argv[2]);
      pthread_join(thread, NULL);
   }
   end(argv[2]);
   return 0;
}
