/* SPDX-License-Identifier: GPL-2.0-or-later

   build: -static

   Threads that take turns: they hand a number around, by spinning and by a condition, so
   that none goes on unless all the others do.  Then one of them starts instrumentation, all
   call a function as often as is known, and another one stops it.  In the end they hand the
   number around again.  */

#include <pthread.h>
#include <stdio.h>

#include "callgrind.h"

#include "known_cost.h"

enum { Threads = 4, Rounds = 50, Calls = 100 };

static volatile int turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int guarded_turn;

KNOWN_COST(leaf, 10)

static void hand_around_spinning(int self)
{
   for (int i = 0; i < Rounds; i++) {
      while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != self) {
      }
      __atomic_store_n(&turn, (self + 1) % Threads, __ATOMIC_RELEASE);
   }
}

static void hand_around_waiting(int self)
{
   for (int i = 0; i < Rounds; i++) {
      pthread_mutex_lock(&lock);
      while (guarded_turn != self)
         pthread_cond_wait(&changed, &lock);
      guarded_turn = (self + 1) % Threads;
      pthread_cond_broadcast(&changed);
      pthread_mutex_unlock(&lock);
   }
}

OPAQUE static void work(void)
{
   for (int i = 0; i < Calls; i++)
      leaf();
   NO_TAIL_CALL;
}

static void* run(void* number)
{
   int self = (int)(long)number;
   hand_around_spinning(self);
   hand_around_waiting(self);
   pthread_barrier_wait(&barrier);
   if (self == 1)
      CALLGRIND_START_INSTRUMENTATION;
   pthread_barrier_wait(&barrier);
   work();
   pthread_barrier_wait(&barrier);
   if (self == 2)
      CALLGRIND_STOP_INSTRUMENTATION;
   pthread_barrier_wait(&barrier);
   work();
   hand_around_spinning(self);
   hand_around_waiting(self);
   return NULL;
}

int main(void)
{
   pthread_t threads[Threads];
   pthread_barrier_init(&barrier, NULL, Threads);
   for (long i = 1; i < Threads; i++)
      pthread_create(&threads[i], NULL, run, (void*)i);
   run(NULL);
   for (int i = 1; i < Threads; i++)
      pthread_join(threads[i], NULL);
   printf("turn of %d and %d\n", turn, guarded_turn);
   return 0;
}
