/* SPDX-License-Identifier: GPL-2.0-or-later

   See leaving.h.  Owns the limits that there were before the program lowered them.  */

#include "control/leaving.h"

#include "base/system_filter.h"
#include "control/part_names.h"
#include "control/read_ahead.h"
#include "translation_cache/translation_cache.h"
#include "write/outside.h"

#include "pub_tool_libcproc.h"

/* Linux's numbers, which the core's headers do not have.  */
#define NEW_FILE_SYSTEMS 0x20000 /* CLONE_NEWNS */
#define FORBID_FILES 446         /* landlock_restrict_self, everywhere */
#define LIMIT_FILE_SIZE 1        /* RLIMIT_FSIZE */
#define LIMIT_MEMORY 9           /* RLIMIT_AS */

/*--------------------------------------------------------------------*/
/* Paths                                                               */

/* May paths lead elsewhere after this call?  */
static Bool is_leaving(UInt call, const UWord* arguments)
{
   switch (call) {
   case __NR_chroot:
   case __NR_pivot_root:
#ifdef __NR_setns
   case __NR_setns:
#endif
      return True;
   case __NR_unshare:
   case __NR_clone: return (arguments[0] & NEW_FILE_SYSTEMS) != 0;
   default: return False;
   }
}

/* Does this call set a filter of system calls, or does it forbid files (Landlock)?  */
static Bool is_forbidding(UInt call, const UWord* arguments)
{
   return system_filter_is_set_by(call, arguments) || call == FORBID_FILES;
}

/* May the process be another user's after this call, or have less rights?  */
static Bool changes_user(UInt call)
{
   switch (call) {
   case __NR_setuid:
   case __NR_setgid:
   case __NR_setreuid:
   case __NR_setregid:
   case __NR_setresuid:
   case __NR_setresgid:
   case __NR_setfsuid:
   case __NR_setfsgid:
   case __NR_setgroups:
   case __NR_capset: return True;
   default: return False;
   }
}

static Bool is_leaving_now;

static void keep_what_paths_lead_to(void)
{
   if (!outside_begin())
      return;
   part_names_keep();
   translation_cache_keep();
   outside_end();
   is_leaving_now = True;
}

/*--------------------------------------------------------------------*/
/* Limits                                                              */

/* What a file may have, and all memory: the core has the others in hand.  */
static const Int limited[] = {LIMIT_FILE_SIZE, LIMIT_MEMORY};
#define N_LIMITS (sizeof limited / sizeof limited[0])

static struct {
   Bool is_known; /* the program has set it */
   struct vki_rlimit before, own;
} limits[N_LIMITS];

static void note_limit(Int which)
{
   for (UInt i = 0; i < N_LIMITS; i++)
      if (limited[i] == which && !limits[i].is_known)
         limits[i].is_known = VG_(getrlimit)(which, &limits[i].before) == 0;
}

static void note_limits(UInt call, const UWord* arguments)
{
   if (call == __NR_setrlimit)
      note_limit((Int)arguments[0]);
   else if (call == __NR_prlimit64 && arguments[2] != 0)
      note_limit((Int)arguments[1]);
}

/* What there was before, or, without the right to that, as much as is allowed.  */
static void lift(Int which, const struct vki_rlimit* before, const struct vki_rlimit* own)
{
   struct vki_rlimit most = *own;
   most.rlim_cur = own->rlim_max;
   if (own->rlim_cur < before->rlim_cur && VG_(setrlimit)(which, before) != 0)
      VG_(setrlimit)(which, &most);
}

void leaving_lift_limits(void)
{
   for (UInt i = 0; i < N_LIMITS; i++)
      if (limits[i].is_known && !system_filter_is_on() &&
          VG_(getrlimit)(limited[i], &limits[i].own) == 0)
         lift(limited[i], &limits[i].before, &limits[i].own);
}

void leaving_restore_limits(void)
{
   for (UInt i = 0; i < N_LIMITS; i++)
      if (limits[i].is_known && !system_filter_is_on())
         VG_(setrlimit)(limited[i], &limits[i].own);
}

/*--------------------------------------------------------------------*/

void leaving_before_call(UInt call, const UWord* arguments)
{
   const Bool leaves = is_leaving(call, arguments);
   if (leaves || is_forbidding(call, arguments))
      read_ahead();
   else if (changes_user(call))
      read_ahead_for_others();
   if (leaves)
      keep_what_paths_lead_to();
   note_limits(call, arguments);
}

void leaving_after_call(UInt call, const UWord* arguments, SysRes result)
{
   if (!sr_isError(result))
      system_filter_after_call(call, arguments);
   else if (is_leaving_now)
      outside_drop();
   is_leaving_now = False;
}
