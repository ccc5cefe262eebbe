/* SPDX-License-Identifier: GPL-2.0-or-later

   A thread that works until the process is killed.  The main thread ends by itself at
   SIGUSR1: then the process is a zombie in /proc, whose other thread works on.  */

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile unsigned long sink;

static void* work(void* unused)
{
   for (;;)
      sink = sink * 3 + 1;
   return unused;
}

int main(void)
{
   sigset_t set;
   pthread_t thread;
   int number;
   sigemptyset(&set);
   sigaddset(&set, SIGUSR1);
   pthread_sigmask(SIG_BLOCK, &set, NULL);
   if (pthread_create(&thread, NULL, work, NULL) != 0)
      return 1;
   sigwait(&set, &number);
   pthread_exit(NULL);
}
