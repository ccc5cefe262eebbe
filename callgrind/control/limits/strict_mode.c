/* SPDX-License-Identifier: GPL-2.0-or-later

   See strict_mode.h.

   The system does not give the strict mode to a thread that has a filter.  So it is given
   one that lets everything pass, which takes a promise to gain no rights; a thread that
   may not execute anything cannot gain any.

   A call that is not allowed ends the process, as it does where there is one thread.  The
   system would end the thread alone; under the core that cannot be.  */

#include "control/limits/strict_mode.h"

#include "base/system_filter.h"
#include "control/limits/final_kill.h"
#include "surroundings/guest_memory.h"

#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

/* Linux's numbers, which the core's headers do not have.  */
#define GET_SECCOMP 21 /* prctl */
#define SET_SECCOMP 22
#define GAIN_NO_RIGHTS 38
#define MODE_STRICT 1 /* of prctl */
#define MODE_FILTER 2
#define SET_MODE_STRICT 0 /* of seccomp */
#define RETURN_CONSTANT 0x06
#define ALLOW 0x7fff0000u

/* An instruction and a program of the system's packet filters.  */
typedef struct {
   UShort code;
   UChar if_true, if_false;
   UInt constant;
} FilterStep;
typedef struct {
   UShort n;
   const FilterStep* steps;
} Filter;

static Bool* is_strict; /* by thread */
static ThreadId asking = VG_INVALID_THREADID;

static Bool asks_for_it(UInt call, const UWord* arguments)
{
#ifdef __NR_seccomp
   if (call == __NR_seccomp)
      return arguments[0] == SET_MODE_STRICT && arguments[1] == 0 && arguments[2] == 0;
#endif
   return call == __NR_prctl && arguments[0] == SET_SECCOMP &&
          arguments[1] == MODE_STRICT;
}

/* Has the system refuse the mode.  False if it would do so anyhow.  */
static Bool have_it_refused(void)
{
   static const FilterStep pass = {RETURN_CONSTANT, 0, 0, ALLOW};
   static const Filter filter = {1, &pass};
   /* First, so that ours is not taken for one of somebody else's.  */
   (void)system_filter_is_on();
   return VG_(prctl)(GET_SECCOMP, 0, 0, 0, 0) == 0 &&
          VG_(prctl)(GAIN_NO_RIGHTS, 1, 0, 0, 0) == 0 &&
          VG_(prctl)(SET_SECCOMP, MODE_FILTER, (UWord)&filter, 0, 0) == 0;
}

static Bool is_allowed(UInt call)
{
   return call == __NR_read || call == __NR_write || call == __NR_exit ||
          call == __NR_rt_sigreturn;
}

void strict_mode_before_call(ThreadId thread, UInt call, const UWord* arguments)
{
   if (is_strict[thread]) {
      if (!is_allowed(call))
         final_kill();
      if (call == __NR_exit)
         is_strict[thread] = False; /* another one may get its number */
   } else if (asks_for_it(call, arguments) && have_it_refused())
      asking = thread;
}

void strict_mode_after_call(ThreadId thread)
{
   if (asking != thread)
      return;
   asking = VG_INVALID_THREADID;
   is_strict[thread] = True;
   guest_set_result(thread, 0);
}

void strict_mode_init(void)
{
   is_strict = VG_(calloc)("strict_mode", VG_N_THREADS, sizeof *is_strict);
}
