/* SPDX-License-Identifier: GPL-2.0-or-later

   How often samples are taken; see rate.h.  */

#include "perf/rate.h"

#include <stdio.h>

/* So many threads say enough of a program; each is a file to be read.  */
#define MOST_THREADS 256

/* In seconds of CPU time: less says nothing.  */
#define LEAST_WORK 0.02

/* Of what the program may lose, samples may cost so much when they become frequent again:
   so that they do not come and go.  */
#define ROOM 0.9

typedef struct {
   uint32_t tid;
   uint64_t worked, arrivals; /* so far; nanoseconds, and a number */
} ThreadActivity;

static ThreadActivity threads[MOST_THREADS];
static unsigned thread_count;

static double most_share;
static double full_frequency;
static TimerCost timer_cost;
static bool is_slow;

void rate_begin(double most, unsigned frequency, const TimerCost* cost)
{
   most_share = most;
   full_frequency = frequency;
   timer_cost = *cost;
   is_slow = false;
}

bool rate_decide(Activity since)
{
   if (most_share <= 0 || since.worked < LEAST_WORK)
      return is_slow;
   double share = cost_share(&timer_cost, full_frequency, since.arrivals / since.worked);
   is_slow = share > (is_slow ? most_share * ROOM : most_share);
   return is_slow;
}

static unsigned find(uint32_t tid)
{
   unsigned i = 0;
   while (i < thread_count && threads[i].tid != tid)
      i++;
   return i;
}

static void forget(unsigned index)
{
   if (index < thread_count)
      threads[index] = threads[--thread_count];
}

void rate_note_thread(uint32_t tid)
{
   if (find(tid) == thread_count && thread_count < MOST_THREADS)
      threads[thread_count++] = (ThreadActivity){tid, 0, 0};
}

void rate_note_record(const Record* record)
{
   if (record->kind == RecordFork)
      rate_note_thread(record->tid);
   else if (record->kind == RecordExit)
      forget(find(record->tid));
}

/* False if there is no such thread.  */
static bool read_thread(uint32_t tid, uint64_t* worked, uint64_t* arrivals)
{
   char path[64];
   unsigned long long time, number;
   snprintf(path, sizeof path, "/proc/%u/schedstat", tid);
   FILE* file = fopen(path, "r");
   if (file == NULL)
      return false;
   bool is_read = fscanf(file, "%llu %*u %llu", &time, &number) == 2;
   fclose(file);
   *worked = is_read ? time : 0;
   *arrivals = is_read ? number : 0;
   return is_read;
}

/* The records of different processors do not come in order, so the end of a thread may
   have come before its start: what is not there is forgotten.  */
Activity rate_read_activity(void)
{
   Activity sum = {0, 0};
   for (unsigned i = thread_count; i-- > 0;) {
      ThreadActivity* thread = &threads[i];
      uint64_t worked, arrivals;
      if (!read_thread(thread->tid, &worked, &arrivals)) {
         forget(i);
         continue;
      }
      if (worked >= thread->worked && arrivals >= thread->arrivals) {
         sum.worked += (double)(worked - thread->worked) / 1e9;
         sum.arrivals += (double)(arrivals - thread->arrivals);
      }
      thread->worked = worked;
      thread->arrivals = arrivals;
   }
   return sum;
}
