/* SPDX-License-Identifier: GPL-2.0-or-later

   The cost of samples; see cost.h.

   An interrupt is measured as what it takes away from a loop that looks at the clock all
   the time.  A program loses more, since its caches and the processor's predictions are
   not as it left them: about as much again (docs/sample.md).

   The timer of an event is set when a thread gets a processor, to what is left of the
   period, and taken away when the thread leaves it.  That costs something where no
   interrupt of the kernel would come before.  */

#include "perf/cost.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The loop: in nanoseconds of CPU time, of which there is little where others work, too;
   and how long it may take at most.  A shorter gap is no interrupt.  */
#define LOOP_TIME 10000000u
#define LOOP_PERIOD 200000u
#define LOOK_PERIOD 2000000u
#define LONGEST_LOOP 200000000u
#define SHORTEST_GAP 500u
#define MOST_GAPS 1024u

#define SETTINGS 100u
#define LOST_BESIDE 2.0 /* as a multiple of what the interrupt takes */

static uint64_t now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int compare(const void* a, const void* b)
{
   uint64_t first = *(const uint64_t*)a, second = *(const uint64_t*)b;
   return first < second ? -1 : first > second;
}

static uint64_t time_worked(int event)
{
   uint64_t value = 0;
   return read(event, &value, sizeof value) == sizeof value ? value : 0;
}

/* Loops until the event has counted enough time; returns how much.  */
static uint64_t note_gaps(int event, uint64_t* gaps, unsigned* count)
{
   uint64_t worked = 0, began = now(), last = began, looked = began;
   *count = 0;
   while (worked < LOOP_TIME && last - began < LONGEST_LOOP) {
      uint64_t time = now();
      if (time - last >= SHORTEST_GAP && *count < MOST_GAPS)
         gaps[(*count)++] = time - last;
      last = time;
      if (time - looked >= LOOK_PERIOD) {
         worked = time_worked(event);
         last = looked = now();
      }
   }
   return worked;
}

/* Of the longest gaps, there are as many as interrupts: the first quarter of these.  What
   else the machine does makes some longer.  */
static double measure_interrupt(void)
{
   static uint64_t gaps[MOST_GAPS];
   struct perf_event_attr attributes = {
      .size = sizeof attributes,
      .type = PERF_TYPE_SOFTWARE,
      .config = PERF_COUNT_SW_CPU_CLOCK,
      .sample_period = LOOP_PERIOD,
      .exclude_kernel = 1,
   };
   int event =
      (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
   if (event < 0)
      return 0;
   unsigned count;
   unsigned interrupts = (unsigned)(note_gaps(event, gaps, &count) / LOOP_PERIOD);
   close(event);
   if (interrupts == 0 || count < interrupts / 2)
      return 0;
   if (interrupts > count)
      interrupts = count; /* one came where another gap was */
   qsort(gaps, count, sizeof *gaps, compare);
   return (double)gaps[count - interrupts + interrupts / 4];
}

/* The median time in which a timer is set to go off so far in the future, and not to go
   off after all.  */
static double time_to_set(int timer, long nanoseconds)
{
   uint64_t times[SETTINGS];
   const struct itimerspec off = {0};
   const struct itimerspec on = {
      .it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
   for (unsigned i = 0; i < SETTINGS; i++) {
      uint64_t before = now();
      timerfd_settime(timer, 0, &on, NULL);
      timerfd_settime(timer, 0, &off, NULL);
      times[i] = now() - before;
   }
   qsort(times, SETTINGS, sizeof *times, compare);
   return (double)times[SETTINGS / 2];
}

/* One that is the processor's next is written into its hardware, one that is far away is
   only noted.  */
static double measure_setting(void)
{
   int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
   if (timer < 0)
      return 0;
   double more = time_to_set(timer, 50000) - time_to_set(timer, 3600000000000);
   close(timer);
   return more > 0 ? more : 0;
}

TimerCost cost_measure(void)
{
   struct timespec tick;
   TimerCost cost = {measure_interrupt(), measure_setting(), 0};
   /* The coarse clock goes on with each tick.  */
   if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0)
      cost.tick = (double)tick.tv_sec * 1e9 + (double)tick.tv_nsec;
   return cost;
}

/* How often (0 to 1) what is left of a period ends before the next tick comes, both being
   anywhere.  */
static double comes_first(double period, double tick)
{
   if (tick <= 0)
      return 1;
   return period < tick ? 1 - period / (2 * tick) : tick / (2 * period);
}

double cost_share(const TimerCost* cost, double frequency, double arrivals)
{
   double set = arrivals * comes_first(1e9 / frequency, cost->tick);
   return (frequency * cost->interrupt * LOST_BESIDE + set * cost->setting) / 1e9;
}
