/* SPDX-License-Identifier: GPL-2.0-or-later

   See limits.h.

   The program's call is made, with other values in its memory as long as it lasts: the
   core lets no other thread run meanwhile.  Where the program may not write there itself,
   what it has asked for holds, and is mended afterwards as far as the system lets it.  */

#include "control/limits/limits.h"

#include "base/system_filter.h"
#include "control/limits/memory_limit.h"
#include "control/limits/time_limit.h"
#include "surroundings/guest_memory.h"

#include "pub_tool_libcproc.h"

#include <asm/errno.h>

/* Linux's numbers, which the core's headers do not have.  */
#define LIMIT_TIME 0      /* RLIMIT_CPU, in seconds */
#define LIMIT_FILE_SIZE 1 /* RLIMIT_FSIZE */
#define LIMIT_MEMORY 9    /* RLIMIT_AS */
#define NO_LIMIT (~0UL)

typedef struct vki_rlimit Limit;

typedef struct {
   const Int which;
   Bool is_own; /* the program has set it */
   Limit own;   /* what it is told; `outer` as long as it has not set it */
   Limit outer; /* what it has come from, or may raise it to */
} OwnLimit;

static OwnLimit of_file_size = {.which = LIMIT_FILE_SIZE};
static OwnLimit of_memory = {.which = LIMIT_MEMORY};
static OwnLimit of_time = {.which = LIMIT_TIME};
static OwnLimit* const limits[] = {&of_file_size, &of_memory, &of_time};
#define N_LIMITS (sizeof limits / sizeof limits[0])

static ULong least(ULong one, ULong other) { return one < other ? one : other; }

static ULong most(ULong one, ULong other) { return one > other ? one : other; }

/* What the system is to be given.  */
static Limit applied(const OwnLimit* limit)
{
   Limit given = {limit->own.rlim_cur, most(limit->outer.rlim_max, limit->own.rlim_max)};
   if (limit == &of_memory)
      given.rlim_cur = most(limit->outer.rlim_cur, limit->own.rlim_cur);
   if (limit == &of_time) {
      given.rlim_cur = time_limit_soft(&limit->own);
      given.rlim_max = least(given.rlim_max, time_limit_hard(&limit->own));
   }
   given.rlim_cur = least(given.rlim_cur, given.rlim_max);
   return given;
}

static void take_over(void)
{
   memory_limit_set(of_memory.is_own ? of_memory.own.rlim_cur : NO_LIMIT);
   time_limit_set(of_time.is_own ? of_time.own.rlim_max : NO_LIMIT);
}

/*--------------------------------------------------------------------*/
/* The program's calls                                                 */

/* A call about limits; NULL if it is none, or about another process's or other limits. */
typedef struct {
   OwnLimit* limit;
   Addr set, told; /* where what is set lies, and where it is told; 0: it is not */
} Call;

static OwnLimit* limit_of(UWord which)
{
   for (UInt i = 0; i < N_LIMITS; i++)
      if (limits[i]->which == (Int)which)
         return limits[i];
   return NULL;
}

static Call understand(UInt call, const UWord* arguments)
{
   if (call == __NR_setrlimit)
      return (Call){limit_of(arguments[0]), arguments[1], 0};
   if (call == __NR_getrlimit)
      return (Call){limit_of(arguments[0]), 0, arguments[1]};
   if (call == __NR_prlimit64 &&
       (arguments[0] == 0 || (Int)arguments[0] == VG_(getpid)()))
      return (Call){limit_of(arguments[1]), arguments[2], arguments[3]};
   return (Call){NULL, 0, 0};
}

/* What the program is setting; `limit` is NULL if nothing.  */
static struct {
   OwnLimit* limit;
   Limit before; /* what it was told up to now */
   Limit asked;
   Limit* replaced; /* where it lies if it was replaced; otherwise NULL */
   Bool is_refused; /* the system, which has more, would grant it */
} setting;

static void begin_setting(OwnLimit* limit, Addr address)
{
   Limit asked;
   if (!guest_memory_copy(&asked, address, sizeof asked) ||
       asked.rlim_cur > asked.rlim_max)
      return; /* it fails */
   Bool may_raise = VG_(geteuid)() == 0;
   if (asked.rlim_max > limit->outer.rlim_max && !may_raise)
      return; /* it fails */
   setting.limit = limit;
   setting.asked = asked;
   setting.is_refused = asked.rlim_max > limit->own.rlim_max && !may_raise;
   if (!setting.is_refused)
      limit->own = asked;
   const Limit given = applied(limit);
   setting.replaced = guest_room(address, sizeof given);
   if (setting.replaced != NULL)
      *setting.replaced = given;
}

static void end_setting(ThreadId thread, SysRes result)
{
   OwnLimit* limit = setting.limit;
   setting.limit = NULL;
   if (setting.replaced != NULL)
      *setting.replaced = setting.asked;
   if (setting.is_refused)
      guest_set_result(thread, (UWord)-EPERM);
   else if (sr_isError(result))
      limit->own = setting.before;
   else {
      limit->is_own = True;
      limit->outer.rlim_max = most(limit->outer.rlim_max, limit->own.rlim_max);
      if (setting.replaced == NULL && !system_filter_is_on()) {
         const Limit given = applied(limit);
         VG_(setrlimit)(limit->which, &given);
      }
      take_over();
   }
}

void limits_before_call(UInt call, const UWord* arguments)
{
   const Call made = understand(call, arguments);
   if (made.limit != NULL) {
      setting.before = made.limit->own;
      if (made.set != 0)
         begin_setting(made.limit, made.set);
   } else
      memory_limit_before_call(call, arguments);
}

void limits_after_call(ThreadId thread, UInt call, const UWord* arguments, SysRes result)
{
   const Call made = understand(call, arguments);
   memory_limit_after_call();
   if (made.limit == NULL)
      return;
   const Bool was_own = made.limit->is_own;
   if (setting.limit != NULL)
      end_setting(thread, result);
   Limit* told = was_own && made.told != 0 && !sr_isError(result)
                    ? guest_room(made.told, sizeof *told)
                    : NULL;
   if (told != NULL)
      *told = setting.before;
}

/*--------------------------------------------------------------------*/
/* What the tool does meanwhile                                        */

static void give(const OwnLimit* limit, Limit given)
{
   if (VG_(setrlimit)(limit->which, &given) == 0)
      return;
   /* Without the right to that, as much as is allowed.  */
   Limit now;
   if (VG_(getrlimit)(limit->which, &now) == 0) {
      now.rlim_cur = least(given.rlim_cur, now.rlim_max);
      VG_(setrlimit)(limit->which, &now);
   }
}

/* How often they have been lifted without being restored.  */
static UInt n_lifted;

void limits_lift(void)
{
   if (n_lifted++ == 0 && of_file_size.is_own && !system_filter_is_on())
      give(&of_file_size,
           (Limit){of_file_size.outer.rlim_max, of_file_size.outer.rlim_max});
}

void limits_restore(void)
{
   if (--n_lifted == 0 && of_file_size.is_own && !system_filter_is_on())
      give(&of_file_size, applied(&of_file_size));
}

void limits_before_exec(void)
{
   for (UInt i = 0; i < N_LIMITS; i++)
      if (limits[i]->is_own && !system_filter_is_on())
         give(limits[i], limits[i]->own);
}

void limits_exec_failed(void)
{
   for (UInt i = 0; i < N_LIMITS; i++)
      if (limits[i]->is_own && !system_filter_is_on())
         give(limits[i], applied(limits[i]));
}

/* Of a limit from before the start, too, the profile is to be left.  */
static void begin_with_time(void)
{
   if (of_time.own.rlim_max == NO_LIMIT)
      return;
   Limit given = {time_limit_soft(&of_time.own), time_limit_hard(&of_time.own)};
   of_time.is_own = True;
   if (VG_(setrlimit)(LIMIT_TIME, &given) == 0)
      of_time.outer.rlim_max = given.rlim_max;
   else
      time_limit_is_early();
   take_over();
}

void limits_init(void)
{
   for (UInt i = 0; i < N_LIMITS; i++) {
      if (VG_(getrlimit)(limits[i]->which, &limits[i]->own) != 0)
         limits[i]->own = (Limit){NO_LIMIT, NO_LIMIT};
      limits[i]->outer = limits[i]->own;
   }
   begin_with_time();
}
