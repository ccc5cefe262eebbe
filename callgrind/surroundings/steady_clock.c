/* SPDX-License-Identifier: GPL-2.0-or-later

   See steady_clock.h.

   All clocks advance by NANOSECONDS_A_BLOCK with each superblock that is executed, about
   as quickly as a program runs here, and by as much as the program wanted to sleep when
   it has slept that long.  They begin at fixed times.

   The system sleeps by its own clock.  How long, it is told as ever; until when is
   translated for the time of the call, where the program has written it, and then put
   back.  What others decide, and not the time, counts by a rule (wait_rule.h), or a loop
   until a deadline would never end.  A program that has the system tell it when time is
   over (timers that send signals, or are files) may sleep without saying how long: then
   it sleeps until one of them ends (set_timers.h).

   Layouts are those of Linux on 64-bit machines.  */

#include "surroundings/steady_clock.h"

#include "core/system_call.h"
#include "options/options.h"
#include "surroundings/guest_memory.h"
#include "surroundings/idle_time.h"
#include "surroundings/set_timers.h"
#include "surroundings/wait_rule.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#define SECOND 1000000000ULL
#define MICROSECONDS 1000000 /* in a second */
#define MILLISECOND 1000000ULL
#define NANOSECONDS_A_BLOCK 10

/* When the program starts: 2026-01-01, 0 o'clock UTC, on a machine that has run for as
   long as `sysinfo` says.  */
#define REAL_TIME_THEN (1767225600 * SECOND)
#define UP_TIME_THEN (1000 * SECOND)

/* Longer than anybody waits; as nanoseconds it and the day fit.  */
#define MOST_SECONDS 10000000000ULL

#define TICKS_A_SECOND 100 /* AT_CLKTCK */

#define ERROR_TIMED_OUT 110
#define ERROR_AGAIN 11

enum {
   ClockReal,
   ClockMonotonic,
   ClockProcess,
   ClockThread,
   ClockRaw,
   ClockRealCoarse,
   ClockMonotonicCoarse,
   ClockBoot,
   ClockRealAlarm,
   ClockBootAlarm,
   ClockTai = 11
};

enum { Absolute = 1 }; /* TIMER_ABSTIME, and the same of timerfd_settime */

/* Operations of futex that wait; all but the first take the time when they end.  */
enum {
   FutexWait = 0,
   FutexLock = 6,
   FutexWaitSet = 9,
   FutexWaitRequeue = 11,
   FutexLock2 = 13,
   FutexReal = 256, /* by the clock of the day, not since the machine was started */
   FutexOperation = 127
};

typedef struct {
   ULong seconds, parts; /* nanoseconds, or microseconds */
} Time;

/* What a thread's system call wants, and until it ends.  */
typedef struct {
   Bool is_begun;
   ULong until;          /* the up time, if it is not woken before; 0: for ever */
   WaitKind kind;        /* what it may be woken by */
   Time* replaced;       /* the program's; NULL: nothing is replaced */
   Time given;           /* what the program has there */
   ULong span, interval; /* of the timer that it sets, */
   ULong begun_at;       /* by the system's clock */
} Call;

static ULong slept;
static Call* calls; /* by ThreadId */

static ULong run_time(ULong blocks) { return blocks * NANOSECONDS_A_BLOCK; }

static ULong up_time(ULong blocks) { return UP_TIME_THEN + run_time(blocks) + slept; }

static Bool is_of_the_day(UWord clock)
{
   return clock == ClockReal || clock == ClockRealCoarse || clock == ClockRealAlarm ||
          clock == ClockTai;
}

/* Others are of a process or thread, by number.  */
static Bool is_since_start(UWord clock)
{
   return clock == ClockMonotonic || clock == ClockRaw || clock == ClockMonotonicCoarse ||
          clock == ClockBoot || clock == ClockBootAlarm;
}

static ULong time_by(UWord clock, ULong blocks)
{
   if (is_of_the_day(clock))
      return up_time(blocks) + REAL_TIME_THEN - UP_TIME_THEN;
   return is_since_start(clock) ? up_time(blocks) : run_time(blocks);
}

static ULong in_nanoseconds(const Time* time, ULong parts_a_second)
{
   if (time->seconds > MOST_SECONDS)
      return MOST_SECONDS * SECOND;
   return time->seconds * SECOND + time->parts * (SECOND / parts_a_second);
}

/*--------------------------------------------------------------------*/
/* How long a call wants to sleep                                      */

static ULong told_time(UWord address, ULong parts_a_second)
{
   Time time;
   return guest_memory_copy(&time, address, sizeof time)
             ? in_nanoseconds(&time, parts_a_second)
             : 0;
}

/* It sleeps for the time at `address` at most; for ever without one.  */
static void sleep_for(Call* call, UWord address, ULong parts_a_second, ULong blocks)
{
   if (address != 0)
      call->until = up_time(blocks) + told_time(address, parts_a_second);
}

static void sleep_for_milliseconds(Call* call, UWord milliseconds, ULong blocks)
{
   if ((Int)milliseconds >= 0)
      call->until = up_time(blocks) + (UInt)milliseconds * MILLISECOND;
}

/* The program gets back what translate() has replaced, if its memory is still there:
   other threads have run.  */
static void give_back(Call* call)
{
   Time* time = guest_room((UWord)call->replaced, sizeof *time);
   if (time != NULL)
      *time = call->given;
}

/* The time at `address` by the program's clock becomes that by the system's.  Where the
   program itself may not write, the call is left as it is.  */
static void translate(Call* call, UWord address, UWord clock, ULong blocks)
{
   Time* time = guest_room(address, sizeof *time);
   if (time == NULL || !(is_of_the_day(clock) || is_since_start(clock)))
      return;
   const ULong wanted = in_nanoseconds(time, SECOND);
   const ULong now = time_by(clock, blocks);
   const ULong host = host_time(clock) + (wanted > now ? wanted - now : 0);
   call->until = up_time(blocks) + (wanted > now ? wanted - now : 0);
   call->replaced = time;
   call->given = *time;
   *time = (Time){host / SECOND, host % SECOND};
}

static void begin_futex(Call* call, const UWord* arguments, ULong blocks)
{
   switch (arguments[1] & FutexOperation) {
   case FutexWait: sleep_for(call, arguments[3], SECOND, blocks); break;
   case FutexLock: translate(call, arguments[3], ClockReal, blocks); break;
   case FutexWaitSet:
   case FutexWaitRequeue:
   case FutexLock2:
      translate(call, arguments[3],
                (arguments[1] & FutexReal) != 0 ? ClockReal : ClockMonotonic, blocks);
      break;
   default: break;
   }
}

static void begin_clock_sleep(Call* call, const UWord* arguments, ULong blocks)
{
   if ((arguments[1] & Absolute) != 0)
      translate(call, arguments[2], arguments[0], blocks);
   else
      sleep_for(call, arguments[2], SECOND, blocks);
}

/* A timer of any kind; which clock it goes by, only its maker knows.  The usual one is
   taken, except where the time could only be that of a day.  */
static void begin_timer(Call* call, const UWord* arguments, ULong blocks)
{
   const UWord time = arguments[2] + sizeof(Time); /* behind the interval */
   const ULong wanted = told_time(time, SECOND);
   call->span = wanted;
   call->interval = told_time(arguments[2], SECOND);
   if ((arguments[1] & Absolute) != 0 && wanted != 0) {
      const UWord clock = wanted < REAL_TIME_THEN ? ClockMonotonic : ClockReal;
      const ULong now = time_by(clock, blocks);
      translate(call, time, clock, blocks);
      call->span = wanted > now ? wanted - now : 1;
   }
   call->until = 0;
}

static void begin_interval_timer(Call* call, const UWord* arguments)
{
   if (arguments[1] == 0)
      return;
   call->interval = told_time(arguments[1], MICROSECONDS);
   call->span = told_time(arguments[1] + sizeof(Time), MICROSECONDS);
}

static void begin_call(Call* call, UInt number, const UWord* arguments, ULong blocks)
{
   switch (number) {
   case __NR_nanosleep: sleep_for(call, arguments[0], SECOND, blocks); break;
   case __NR_clock_nanosleep: begin_clock_sleep(call, arguments, blocks); break;
   case __NR_futex: begin_futex(call, arguments, blocks); break;
   case __NR_epoll_pwait: sleep_for_milliseconds(call, arguments[3], blocks); break;
   case __NR_ppoll: sleep_for(call, arguments[2], SECOND, blocks); break;
   case __NR_pselect6: sleep_for(call, arguments[4], SECOND, blocks); break;
   case __NR_rt_sigtimedwait: sleep_for(call, arguments[2], SECOND, blocks); break;
   case __NR_io_getevents: sleep_for(call, arguments[4], SECOND, blocks); break;
   case __NR_semtimedop: sleep_for(call, arguments[3], SECOND, blocks); break;
   case __NR_mq_timedsend:
   case __NR_mq_timedreceive: translate(call, arguments[4], ClockReal, blocks); break;
   case __NR_timerfd_settime:
   case __NR_timer_settime: begin_timer(call, arguments, blocks); break;
   case __NR_setitimer: begin_interval_timer(call, arguments); break;
#ifdef __NR_epoll_pwait2
   case __NR_epoll_pwait2: sleep_for(call, arguments[3], SECOND, blocks); break;
#endif
#ifdef __NR_alarm /* and with it all that older machines have */
   case __NR_alarm: call->span = (UInt)arguments[0] * SECOND; break;
   case __NR_poll: sleep_for_milliseconds(call, arguments[2], blocks); break;
   case __NR_epoll_wait: sleep_for_milliseconds(call, arguments[3], blocks); break;
   case __NR_select: sleep_for(call, arguments[4], 1000000, blocks); break;
#endif
   default: break;
   }
}

/*--------------------------------------------------------------------*/
/* Whether it has                                                      */

/* Has it come to the end of its time?  Those that wait for files return that none is
   ready.  */
static Bool has_slept(UInt number, SysRes result)
{
   if (sr_isError(result))
      return sr_Err(result) == ERROR_TIMED_OUT ||
             (sr_Err(result) == ERROR_AGAIN &&
              (number == __NR_rt_sigtimedwait || number == __NR_semtimedop));
   return sr_Res(result) == 0 && number != __NR_futex && number != __NR_semtimedop &&
          number != __NR_mq_timedsend && number != __NR_mq_timedreceive;
}

static ULong time_left(const Call* call, ULong blocks)
{
   return call->until > up_time(blocks) ? call->until - up_time(blocks) : 0;
}

/* The clock is not before the end of a timer that has ended.  Returns whether one has,
   and how long that is past.  */
static Bool keep_up_with_timers(ULong blocks, ULong* since)
{
   ULong behind;
   if (!set_timers_are_on() ||
       !set_timers_ended(up_time(blocks), host_time(ClockMonotonic), &behind, since))
      return False;
   slept += behind;
   return True;
}

/* What a call counts that has come to no limit.  Before its own, and before the next
   timer ends, it was in time.  Where one has ended, the rest of the time is that in which
   it was woken, or went on waiting.  */
static void count_others(const Call* call, Bool has_ended_well, ULong passed,
                         ULong blocks)
{
   ULong since;
   ULong left = time_left(call, blocks);
   const Bool is_over = call->until != 0 && left == 0;
   if (keep_up_with_timers(blocks, &since)) {
      slept += wait_counts(WaitForDisk, False, passed < since ? passed : since, 0);
      return;
   }
   if (set_timers_are_on()) {
      const ULong until_timer = set_timers_left(up_time(blocks));
      left = left == 0 || until_timer < left ? until_timer : left;
   }
   if (!is_over)
      slept += wait_counts(call->kind, has_ended_well, passed, left);
}

static void end_call(Call* call, ThreadId thread, UInt number, const UWord* arguments,
                     SysRes result, ULong blocks)
{
   ULong since;
   give_back(call);
   const ULong passed = idle_time_after_call(thread, call->kind == WaitForThread);
   const ULong of_socket =
      passed > 0 ? wait_limit_of_socket(number, arguments, result) : 0;
   if (of_socket == 0 && (call->until == 0 || !has_slept(number, result)))
      count_others(call, !sr_isError(result), passed, blocks);
   else
      slept += time_left(call, blocks) + of_socket;
   keep_up_with_timers(blocks, &since);
}

/* The core begins a call anew that a signal has interrupted.  */
static void end_interrupted_call(Call* call, ThreadId thread, ULong blocks)
{
   give_back(call);
   const ULong passed = idle_time_after_call(thread, call->kind == WaitForThread);
   count_others(call, False, passed, blocks);
}

/* Timers that the call has set, or put an end to.  */
static void note_timers(const Call* call, UInt number, const UWord* arguments,
                        ULong blocks)
{
   Int made;
   if (number == __NR_timer_create && !is_of_the_day(arguments[0]) &&
       !is_since_start(arguments[0]) &&
       guest_memory_copy(&made, arguments[2], sizeof made))
      set_timers_of_processor((UWord)made);
   else if (set_timers_are_for(number))
      set_timers_note(number, arguments, call->span, call->interval, up_time(blocks),
                      call->begun_at);
   else if (!set_timers_are_on())
      return;
   else if (number == __NR_close)
      set_timers_close(arguments[0], arguments[0]);
   else if (number == __NR_dup3)
      set_timers_close(arguments[1], arguments[1]);
#ifdef __NR_dup2
   else if (number == __NR_dup2 && arguments[0] != arguments[1])
      set_timers_close(arguments[1], arguments[1]);
#endif
#ifdef __NR_close_range
   else if (number == __NR_close_range)
      set_timers_close((UInt)arguments[0], (UInt)arguments[1]);
#endif
}

/*--------------------------------------------------------------------*/
/* What time it is                                                     */

static void tell(UWord address, ULong time, ULong parts_a_second)
{
   Time* told = guest_room(address, sizeof *told);
   if (told != NULL)
      *told = (Time){time / SECOND, time % SECOND / (SECOND / parts_a_second)};
}

#ifdef __NR_time
static void tell_seconds(ThreadId thread, UWord address, ULong time)
{
   ULong* told = guest_room(address, sizeof *told);
   if (told != NULL)
      *told = time / SECOND;
   guest_set_result(thread, time / SECOND);
}
#endif

/* Of this process, and those that it has waited for.  */
static void tell_ticks(ThreadId thread, UWord address, ULong blocks)
{
   ULong* told = guest_room(address, 4 * sizeof *told);
   if (told != NULL) {
      VG_(memset)(told, 0, 4 * sizeof *told);
      told[0] = run_time(blocks) / (SECOND / TICKS_A_SECOND);
   }
   guest_set_result(thread, up_time(blocks) / (SECOND / TICKS_A_SECOND));
}

/* What it has used; the number of faults, switches and pages is that of the system.  */
static void tell_usage(UWord who, UWord address, ULong blocks)
{
   enum { Words = 18 }; /* struct rusage: two times first */
   UWord* told = guest_room(address, Words * sizeof *told);
   if (told == NULL || (Int)who == -1) /* of children */
      return;
   VG_(memset)(told, 0, Words * sizeof *told);
   tell(address, run_time(blocks), 1000000);
}

static void tell_time(ThreadId thread, UInt number, const UWord* arguments, ULong blocks)
{
   switch (number) {
   case __NR_clock_gettime:
      tell(arguments[1], time_by(arguments[0], blocks), SECOND);
      break;
   case __NR_gettimeofday: tell(arguments[0], time_by(ClockReal, blocks), 1000000); break;
   case __NR_times: tell_ticks(thread, arguments[0], blocks); break;
   case __NR_getrusage: tell_usage(arguments[0], arguments[1], blocks); break;
#ifdef __NR_time
   case __NR_time: tell_seconds(thread, arguments[0], time_by(ClockReal, blocks)); break;
#endif
   default: break;
   }
}

/*--------------------------------------------------------------------*/

void steady_clock_before_call(ThreadId thread, UInt call, const UWord* arguments,
                              ULong blocks)
{
   ULong since;
   if (LIKELY(!options.steady) || !options.steady_clock)
      return;
   if (calls == NULL)
      calls = VG_(calloc)("steady_clock.calls", VG_N_THREADS, sizeof *calls);
   Call* begun = &calls[thread];
   if (begun->is_begun)
      end_interrupted_call(begun, thread, blocks);
   VG_(memset)(begun, 0, sizeof *begun);
   if (call == __NR_rt_sigreturn) /* has no end */
      return;
   /* Before times are translated: who gets a processor late has slept, too.  */
   keep_up_with_timers(blocks, &since);
   idle_time_before_call(thread);
   begun->is_begun = True;
   begun->kind = wait_kind(call, arguments);
   if (set_timers_are_for(call))
      begun->begun_at = host_time(ClockMonotonic);
   begin_call(begun, call, arguments, blocks);
}

void steady_clock_after_call(ThreadId thread, UInt call, const UWord* arguments,
                             SysRes result, ULong blocks)
{
   if (calls == NULL)
      return;
   end_call(&calls[thread], thread, call, arguments, result, blocks);
   if (!sr_isError(result)) {
      note_timers(&calls[thread], call, arguments, blocks);
      tell_time(thread, call, arguments, blocks);
   }
   VG_(memset)(&calls[thread], 0, sizeof calls[thread]);
}
