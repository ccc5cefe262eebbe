/* SPDX-License-Identifier: GPL-2.0-or-later

   See preemption.h.  */

#include "native/preemption.h"

#include "core/system_call.h"
#include "native/signal_sets.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"

#ifdef CORE_CAN_RUN_NATIVELY

enum { Monotonic = 1, ThreadTime = 3 }; /* clocks */
enum { ToThread = 4 };                  /* SIGEV_THREAD_ID */
enum { FromTimer = -2 };                /* si_code: SI_TIMER */

#define MARK 0x6e617469UL /* of our own timers: "nati" */

#define NANOSECONDS_A_MICROSECOND 1000L
#define TICK 5000      /* microseconds of processor time */
#define SHORT_TICK 300 /* likewise by the clock, if others wait */
#define WAY 50         /* that others have to take the lock */

typedef struct {
   UWord value;
   Int signal, notify, thread;
   Int unused[11];
} Event;

typedef struct {
   Long seconds, nanoseconds;
} Time;

typedef struct {
   Time interval, first;
} Setting;

static UInt n_waiting;
static Bool gives_way;        /* the thread that had the lock last was pre-empted */
static NativeTimers* running; /* of the thread that runs natively; NULL: none does */

static SysRes make_timer(Int clock, Int thread, Int* timer)
{
   Event event;
   VG_(memset)(&event, 0, sizeof event);
   event.value = MARK;
   event.signal = NATIVE_TICK;
   event.notify = ToThread;
   event.thread = thread;
   return VG_(do_syscall)(__NR_timer_create, (UWord)clock, (UWord)&event, (UWord)timer, 0,
                          0, 0, 0, 0);
}

static void set_timer(Int timer, UInt microseconds, Bool again)
{
   const Time time = {0, (Long)microseconds * NANOSECONDS_A_MICROSECOND};
   const Setting setting = {again ? time : (Time){0, 0}, time};
   VG_(do_syscall)(__NR_timer_settime, (UWord)timer, 0, (UWord)&setting, 0, 0, 0, 0, 0);
}

static void set_run_timer(NativeTimers* timers)
{
   set_timer(timers->by_run_time, TICK, True);
   timers->is_paused = False;
}

static void delete_timer(Int timer)
{
   VG_(do_syscall)(__NR_timer_delete, (UWord)timer, 0, 0, 0, 0, 0, 0, 0);
}

const HChar* native_preemption_set_up(void)
{
   Int timer;
   if (sr_isError(make_timer(ThreadTime, VG_(gettid)(), &timer)))
      return "there is no timer of a thread's processor time";
   delete_timer(timer);
   return NULL;
}

void native_preemption_end(NativeTimers* timers)
{
   if (timers->process == VG_(getpid)()) {
      delete_timer(timers->by_run_time);
      delete_timer(timers->by_clock);
   }
   VG_(memset)(timers, 0, sizeof *timers);
}

/* A thread's number in the core may have been another's.  */
Bool native_preemption_begin(NativeTimers* timers, Int thread)
{
   native_preemption_end(timers);
   if (sr_isError(make_timer(ThreadTime, thread, &timers->by_run_time)))
      return False;
   if (sr_isError(make_timer(Monotonic, thread, &timers->by_clock))) {
      delete_timer(timers->by_run_time);
      return False;
   }
   timers->process = VG_(getpid)();
   set_run_timer(timers);
   return True;
}

/* Others may send this signal, too.  */
static void take_pending_ticks(void)
{
   vki_siginfo_t info;
   vki_sigset_t set = signal_set_none();
   const Time at_once = {0, 0};
   signal_set_add(&set, NATIVE_TICK);
   while (True) {
      SysRes got = VG_(do_syscall)(__NR_rt_sigtimedwait, (UWord)&set, (UWord)&info,
                                   (UWord)&at_once, sizeof set, 0, 0, 0, 0);
      if (sr_isError(got))
         return;
      if (native_is_tick(NATIVE_TICK, &info))
         continue;
      VG_(do_syscall)(__NR_rt_tgsigqueueinfo, (UWord)VG_(getpid)(), (UWord)VG_(gettid)(),
                      NATIVE_TICK, (UWord)&info, 0, 0, 0, 0);
      return;
   }
}

void native_preemption_pause(NativeTimers* timers)
{
   if (timers->process == 0)
      return;
   if (!timers->is_paused) {
      set_timer(timers->by_run_time, 0, False);
      set_timer(timers->by_clock, 0, False);
   }
   timers->is_paused = True;
   timers->is_short = False;
   take_pending_ticks();
}

static void set_short(NativeTimers* timers)
{
   if (timers->is_short || timers->process == 0)
      return;
   timers->is_short = True;
   set_timer(timers->by_clock, SHORT_TICK, False);
}

void native_preemption_enter(NativeTimers* timers)
{
   if (UNLIKELY(timers->is_paused))
      set_run_timer(timers);
   __atomic_store_n(&running, timers, __ATOMIC_RELEASE);
   if (UNLIKELY(__atomic_load_n(&n_waiting, __ATOMIC_ACQUIRE) != 0))
      set_short(timers);
}

void native_preemption_leave(void) { __atomic_store_n(&running, NULL, __ATOMIC_RELEASE); }

void native_preemption_ticked(NativeTimers* timers)
{
   timers->is_short = False;
   __atomic_store_n(&gives_way, True, __ATOMIC_RELEASE);
}

Bool native_is_tick(Int signal, const vki_siginfo_t* info)
{
   return signal == NATIVE_TICK && info->si_code == FromTimer &&
          (UWord)info->_sifields._timer._sigval.sival_ptr == MARK;
}

/* Others are woken when the lock is free, which takes longer than to take it again.  */
static void give_way(void)
{
   const Time time = {0, WAY * NANOSECONDS_A_MICROSECOND};
   if (__atomic_exchange_n(&gives_way, False, __ATOMIC_ACQ_REL))
      VG_(do_syscall)(__NR_nanosleep, (UWord)&time, 0, 0, 0, 0, 0, 0, 0);
}

/* The thread that runs does not see who has come: its timer is set by who has.  If it has
   left meanwhile, a tick finds nothing to do.  */
void native_preemption_waits(void)
{
   if (__atomic_fetch_add(&n_waiting, 1, __ATOMIC_ACQ_REL) > 0)
      give_way();
   NativeTimers* timers = __atomic_load_n(&running, __ATOMIC_ACQUIRE);
   if (timers != NULL)
      set_short(timers);
}

void native_preemption_has(void) { __atomic_fetch_sub(&n_waiting, 1, __ATOMIC_RELEASE); }

#endif
