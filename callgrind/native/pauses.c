/* SPDX-License-Identifier: GPL-2.0-or-later

   See pauses.h.  */

#include "native/pauses.h"

#ifdef CORE_CAN_RUN_NATIVELY

/* Of as many calls, the mean time between decides.  They take some hundredths of a second
   more than translated, at least once.  */
#define CALLS 20000
#define TICKS_BETWEEN 1000 /* of the processor's counter: less than half a microsecond */

/* A pause ends when there is more between the calls: a superblock takes some ten
   nanoseconds more than natively, and a call two microseconds less.  */
#define WINDOW_BLOCKS 300000
#define WINDOW_CALLS 1000

static Bool time_is_read;
static Bool is_due, is_paused;
static UInt n_pauses;

/* Of the calls at hand, while code runs natively.  */
static UInt n_calls;
static UInt calls_wanted = CALLS; /* more after each pause */
static ULong ticks, entered;

/* In a pause.  */
static ULong window_start;
static UInt window_calls;

static ULong counter(void)
{
   UInt low, high;
   __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
   return (ULong)high << 32 | low;
}

void native_pauses_init(Bool reads_time) { time_is_read = reads_time; }

void native_pauses_in(void)
{
   if (time_is_read)
      entered = counter();
}

void native_pauses_out(Bool calls)
{
   if (!time_is_read)
      return;
   ticks += counter() - entered;
   n_calls += calls;
   if (LIKELY(n_calls < calls_wanted))
      return;
   is_due = ticks / TICKS_BETWEEN < n_calls;
   n_calls = 0;
   ticks = 0;
}

Bool native_pauses_begin(void)
{
   if (LIKELY(!is_due))
      return False;
   enum { Most = 1 << 24 };
   if (calls_wanted < Most)
      calls_wanted *= 2;
   is_due = False;
   is_paused = True;
   n_pauses++;
   window_start = 0;
   window_calls = 0;
   return True;
}

Bool native_pauses_is_on(void) { return is_paused; }

void native_pauses_called(void) { window_calls++; }

Bool native_pauses_end(ULong blocks_run, Bool is_off)
{
   if (!is_off || window_start == 0) {
      window_start = blocks_run;
      window_calls = 0;
   }
   if (blocks_run - window_start < WINDOW_BLOCKS)
      return False;
   is_paused = window_calls >= WINDOW_CALLS;
   window_start = blocks_run;
   window_calls = 0;
   return !is_paused;
}

UInt native_pauses_count(void) { return n_pauses; }

#endif
