/* SPDX-License-Identifier: GPL-2.0-or-later

   See leaving.h.  */

#include "control/processes/leaving.h"

#include "base/system_filter.h"
#include "control/limits/call_filters.h"
#include "control/limits/read_ahead.h"
#include "control/parts/part_names.h"
#include "translation_cache/translation_cache.h"
#include "write/outside.h"

/* Linux's numbers, which the core's headers do not have.  */
#define NEW_FILE_SYSTEMS 0x20000 /* CLONE_NEWNS */
#define FORBID_FILES 446         /* landlock_restrict_self, everywhere */

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

void leaving_before_call(UInt call, const UWord* arguments)
{
   const Bool leaves = is_leaving(call, arguments);
   if (leaves || is_forbidding(call, arguments))
      read_ahead();
   else if (changes_user(call))
      read_ahead_for_others();
   if (leaves)
      keep_what_paths_lead_to();
   if (call_filters_opening(call, arguments) == OpenByNone && !system_filter_is_on())
      part_names_open_all();
}

void leaving_after_call(UInt call, const UWord* arguments, SysRes result)
{
   if (!sr_isError(result))
      system_filter_after_call(call, arguments);
   else if (is_leaving_now)
      outside_drop();
   is_leaving_now = False;
}
