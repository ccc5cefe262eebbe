/* SPDX-License-Identifier: GPL-2.0-or-later

   See set_timers.h.  Owns: the timers that are on.

   A timer ends when the system says so.  What the program has then executed differs from
   run to run, but if it sleeps until then, the clock that it sees can say exactly the
   time for which the timer was set.  So each timer has two ends: one by the system's
   clock, which says whether it has ended, and one by the program's, which says what time
   it is then.  The clock is never before the end of a timer that has ended.

   Timers of a processor's time end while something is executed, and say nothing of
   waits.  */

#include "surroundings/set_timers.h"

#include "core/system_call.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* What sets it: with the number of a file or timer it is known again.  */
typedef enum { Alarm, OfFile, OfSignal, OfProcessor } Kind;

typedef struct {
   Kind kind;
   UWord number;
   ULong until, host_until; /* by both clocks */
   ULong interval;          /* 0: once */
} Timer;

/* Longer is for ever, and many times as long still fits.  */
#define LONGEST 1000000000000000000ULL

static Timer* timers; /* those that are on */
static UInt n_timers, room;
static ULong next_end = ~0ULL; /* by the system's clock: none ends before */

static UInt find(Kind kind, UWord number)
{
   UInt i = 0;
   while (i < n_timers && (timers[i].kind != kind || timers[i].number != number))
      i++;
   return i;
}

static void remove_at(UInt i)
{
   if (i < n_timers)
      timers[i] = timers[--n_timers];
}

static Timer* add(void)
{
   if (n_timers == room) {
      room = room == 0 ? 8 : 2 * room;
      timers = VG_(realloc)("set_timers.timers", timers, room * sizeof *timers);
   }
   return &timers[n_timers++];
}

static void note_next_end(void)
{
   next_end = ~0ULL;
   for (UInt i = 0; i < n_timers; i++)
      next_end = timers[i].host_until < next_end ? timers[i].host_until : next_end;
}

static Kind kind_of(UInt call)
{
   switch (call) {
   case __NR_timerfd_settime: return OfFile;
   case __NR_timer_settime:
   case __NR_timer_delete: return OfSignal;
   default: return Alarm;
   }
}

Bool set_timers_are_for(UInt call)
{
   switch (call) {
   case __NR_timerfd_settime:
   case __NR_timer_settime:
   case __NR_timer_delete:
   case __NR_setitimer: return True;
#ifdef __NR_alarm
   case __NR_alarm: return True;
#endif
   default: return False;
   }
}

void set_timers_note(UInt call, const UWord* arguments, ULong span, ULong interval,
                     ULong up_time, ULong host_time)
{
   const Kind kind = kind_of(call);
   const UWord number = kind == Alarm ? 0 : arguments[0];
   if (call == __NR_timer_delete)
      remove_at(find(OfProcessor, number));
   if ((call == __NR_setitimer && arguments[0] != 0) ||
       (kind == OfSignal && find(OfProcessor, number) < n_timers))
      return;
   remove_at(find(kind, number));
   if (span != 0) {
      span = span < LONGEST ? span : LONGEST;
      interval = interval < LONGEST ? interval : LONGEST;
      *add() = (Timer){kind, number, up_time + span, host_time + span, interval};
   }
   note_next_end();
}

void set_timers_of_processor(UWord number)
{
   remove_at(find(OfProcessor, number));
   *add() = (Timer){OfProcessor, number, LONGEST, ~0ULL, 0};
}

void set_timers_close(UWord first, UWord last)
{
   for (UInt i = 0; i < n_timers;) {
      if (timers[i].kind == OfFile && timers[i].number >= first &&
          timers[i].number <= last)
         remove_at(i);
      else
         i++;
   }
   note_next_end();
}

Bool set_timers_are_on(void) { return n_timers != 0; }

/* When it has ended for the last time, by both clocks, `host_time` being now.  Sets it to
   its next end; returns False if it has none.  */
static Bool begin_again(Timer* timer, ULong host_time, ULong* end, ULong* host_end)
{
   const ULong more =
      timer->interval != 0 ? (host_time - timer->host_until) / timer->interval : 0;
   *end = timer->until + more * timer->interval;
   *host_end = timer->host_until + more * timer->interval;
   timer->until = *end + timer->interval;
   timer->host_until = *host_end + timer->interval;
   return timer->interval != 0;
}

Bool set_timers_ended(ULong up_time, ULong host_time, ULong* behind, ULong* since)
{
   ULong latest = up_time, host_latest = 0;
   if (host_time < next_end)
      return False;
   for (UInt i = 0; i < n_timers;) {
      ULong end, host_end;
      if (timers[i].host_until > host_time) {
         i++;
         continue;
      }
      const Bool is_on = begin_again(&timers[i], host_time, &end, &host_end);
      latest = latest < end ? end : latest;
      host_latest = host_latest < host_end ? host_end : host_latest;
      if (is_on)
         i++;
      else
         remove_at(i);
   }
   note_next_end();
   *behind = latest - up_time;
   *since = host_time - host_latest;
   return host_latest != 0;
}

ULong set_timers_left(ULong up_time)
{
   ULong left = 0;
   for (UInt i = 0; i < n_timers; i++) {
      const ULong until = timers[i].until;
      const ULong own = until > up_time ? until - up_time : 1;
      if (left == 0 || own < left)
         left = own;
   }
   return left;
}

void set_timers_in_child(void)
{
   for (UInt i = 0; i < n_timers;) {
      if (timers[i].kind == OfFile)
         i++;
      else
         remove_at(i);
   }
   note_next_end();
}
