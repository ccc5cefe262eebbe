/* SPDX-License-Identifier: GPL-2.0-or-later

   How often samples are taken; see rate.h.  */

#include "perf/rate.h"

#include "base/process_folder.h"

#include <stdbool.h>
#include <stdio.h>

/* So many threads say enough of a program; each is a file to be read.  */
#define MOST_THREADS 256

/* In seconds of CPU time: less says nothing.  */
#define LEAST_WORK 0.02

/* Of what the program may lose, samples may cost so much, as the estimate is no better;
   and so much of that when they become frequent again: so that they do not come and
   go.  */
#define SAFETY 0.85
#define ROOM 0.9

/* What a thread does in its last period before that is over has no sample: half a period
   on average.  Where threads end all the time, less frequent samples would lose that part
   of their work.  */
#define MOST_UNSEEN 0.05

/* Less frequent samples say nothing.  */
#define LEAST_FREQUENCY 2

typedef struct {
   uint32_t tid;
   uint64_t worked, arrivals; /* so far; nanoseconds, and a number */
} ThreadActivity;

static ThreadActivity threads[MOST_THREADS];
static unsigned thread_count;

static double most_share;
static double full_frequency;
static TimerCost timer_cost;
static unsigned current_step;
static double ends;

unsigned rate_step_count(unsigned frequency)
{
   unsigned count = 1;
   while (count < RATE_STEPS && rate_frequency(frequency, count) >= LEAST_FREQUENCY)
      count++;
   return count;
}

unsigned rate_frequency(unsigned frequency, unsigned step)
{
   while (step-- > 0)
      frequency /= RATE_DIVISOR;
   return frequency;
}

unsigned rate_step_of_period(unsigned frequency, uint64_t period)
{
   unsigned step = 0, last = rate_step_count(frequency) - 1;
   /* The kernel's period is not exactly ours.  */
   for (uint64_t shortest = 2000000000u / frequency; step < last && period >= shortest;
        shortest *= RATE_DIVISOR)
      step++;
   return step;
}

void rate_begin(double most, unsigned frequency, const TimerCost* cost)
{
   most_share = most;
   full_frequency = frequency;
   timer_cost = *cost;
   current_step = 0;
}

static bool costs_too_much(unsigned step, const Activity* since)
{
   unsigned frequency = rate_frequency(full_frequency, step);
   double most = most_share * SAFETY * (step < current_step ? ROOM : 1);
   return cost_share(&timer_cost, frequency, since->arrivals / since->worked) > most;
}

static bool sees_threads(unsigned step, const Activity* since)
{
   unsigned frequency = rate_frequency(full_frequency, step);
   return since->ends * 0.5 / frequency <= MOST_UNSEEN * since->worked;
}

unsigned rate_decide(Activity since)
{
   if (most_share <= 0 || since.worked < LEAST_WORK)
      return current_step;
   unsigned step = 0, count = rate_step_count(full_frequency);
   while (step + 1 < count && costs_too_much(step, &since) &&
          sees_threads(step + 1, &since))
      step++;
   current_step = step;
   return step;
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
   if (record->kind == RecordFork) {
      rate_note_thread(record->tid);
   } else if (record->kind == RecordExit) {
      forget(find(record->tid));
      ends++;
   }
}

/* False if there is no such thread.  */
static bool read_thread(uint32_t tid, uint64_t* worked, uint64_t* arrivals)
{
   char path[64];
   unsigned long long time, number;
   snprintf(path, sizeof path, "%s/schedstat", process_folder(tid).text);
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
   Activity sum = {0, 0, ends};
   ends = 0;
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
