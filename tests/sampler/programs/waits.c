/* SPDX-License-Identifier: GPL-2.0-or-later

   Waits, and measures by itself how long: of each function it prints the name and how many
   seconds it had no processor, as the function has seen it and as its caller has.  On a
   busy machine a thread may be kept from its processor between the two; what a sampler
   sees of the function lies between them.

      waits all            sleeps; waits for a lock, for a pipe, for a child; works
      waits crowded        two threads that work on one processor
      waits held           says "waiting" and its process' number; then a thread waits for
                           a lock, and main() for its input, until that ends  */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
   double passed, worked;
} Moment;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sink;
static int ends[2];

static double seconds(clockid_t clock)
{
   struct timespec time;
   clock_gettime(clock, &time);
   return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static Moment now(void)
{
   return (Moment){seconds(CLOCK_MONOTONIC), seconds(CLOCK_THREAD_CPUTIME_ID)};
}

static double without_processor(Moment since)
{
   Moment end = now();
   return end.passed - since.passed - (end.worked - since.worked);
}

/* What the function has seen that was called last.  */
static _Thread_local double seen;

/* `wait` sets `seen`.  */
static void measure(const char* name, void (*wait)(void))
{
   Moment since = now();
   wait();
   double around = without_processor(since);
   printf("%s %.6f %.6f\n", name, seen, around);
   fflush(stdout);
}

static void nap(long milliseconds)
{
   struct timespec time = {0, milliseconds * 1000000};
   while (nanosleep(&time, &time) != 0)
      continue;
}

__attribute__((noinline)) static void work(double how_long)
{
   double end = seconds(CLOCK_THREAD_CPUTIME_ID) + how_long;
   while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) {
      for (int i = 0; i < 20000; i++)
         sink = sink * 1664525u + 1013904223u;
   }
}

__attribute__((noinline)) static void sleeping(void)
{
   Moment since = now();
   nap(200);
   seen = without_processor(since);
}

__attribute__((noinline)) static void holding(void)
{
   Moment since = now();
   nap(300);
   seen = without_processor(since);
}

static void* hold(void* held)
{
   pthread_mutex_lock(&lock);
   (void)!write(ends[1], "", 1);
   measure("holding", holding);
   pthread_mutex_unlock(&lock);
   return held;
}

/* Waits for the byte that says that the other thread has got so far.  */
static void wait_for_byte(void)
{
   char byte;
   (void)!read(ends[0], &byte, 1);
}

__attribute__((noinline)) static void locking(void)
{
   Moment since = now();
   pthread_mutex_lock(&lock);
   seen = without_processor(since);
   pthread_mutex_unlock(&lock);
}

static void* write_late(void* unused)
{
   nap(150);
   (void)!write(ends[1], "", 1);
   return unused;
}

__attribute__((noinline)) static void reading(void)
{
   Moment since = now();
   wait_for_byte();
   seen = without_processor(since);
}

__attribute__((noinline)) static void child_sleeping(void)
{
   Moment since = now();
   nap(250);
   seen = without_processor(since);
}

__attribute__((noinline)) static void parenting(void)
{
   Moment since = now();
   int status;
   pid_t child = fork();
   if (child == 0) {
      measure("child_sleeping", child_sleeping);
      _exit(0);
   }
   waitpid(child, &status, 0);
   seen = without_processor(since);
}

static void all(void)
{
   pthread_t other;
   measure("sleeping", sleeping);
   pthread_create(&other, NULL, hold, NULL);
   wait_for_byte();
   measure("locking", locking);
   pthread_join(other, NULL);
   pthread_create(&other, NULL, write_late, NULL);
   measure("reading", reading);
   pthread_join(other, NULL);
   measure("parenting", parenting);
   work(0.2);
}

__attribute__((noinline)) static void crowding(void)
{
   Moment since = now();
   work(0.3);
   seen = without_processor(since);
}

static void* crowd(void* unused)
{
   measure("crowding", crowding);
   return unused;
}

/* On the first processor that we may use.  */
static void crowded(void)
{
   pthread_t other;
   cpu_set_t usable, one;
   int first = 0;
   sched_getaffinity(0, sizeof usable, &usable);
   while (!CPU_ISSET(first, &usable))
      first++;
   CPU_ZERO(&one);
   CPU_SET(first, &one);
   sched_setaffinity(0, sizeof one, &one);
   pthread_create(&other, NULL, crowd, NULL);
   crowd(NULL);
   pthread_join(other, NULL);
}

__attribute__((noinline)) static void waiting_for_input(void)
{
   char byte;
   while (read(0, &byte, 1) > 0)
      continue;
   sink++;
}

__attribute__((noinline)) static void waiting_for_lock(void)
{
   pthread_mutex_lock(&lock);
   pthread_mutex_unlock(&lock);
   sink++;
}

static void* want_lock(void* unused)
{
   (void)!write(ends[1], "", 1);
   waiting_for_lock();
   return unused;
}

static void held(void)
{
   pthread_t other;
   pthread_mutex_lock(&lock);
   pthread_create(&other, NULL, want_lock, NULL);
   wait_for_byte();
   printf("waiting %d\n", (int)getpid());
   fflush(stdout);
   waiting_for_input();
   pthread_mutex_unlock(&lock);
   pthread_join(other, NULL);
}

int main(int count, char** arguments)
{
   const char* what = count > 1 ? arguments[1] : "";
   Moment since = now();
   if (pipe(ends) != 0)
      return 1;
   if (strcmp(what, "all") == 0)
      all();
   else if (strcmp(what, "crowded") == 0)
      crowded();
   else if (strcmp(what, "held") == 0)
      held();
   else
      return 2;
   double passed = now().passed - since.passed;
   printf("main %.6f %.6f\n", passed, passed);
   return 0;
}
