/* SPDX-License-Identifier: GPL-2.0-or-later

   See leaving.h.  */

#include "control/processes/leaving.h"

#include "base/system_filter.h"
#include "control/limits/call_filters.h"
#include "control/limits/read_ahead.h"
#include "control/parts/dump.h"
#include "control/parts/part_names.h"
#include "control/parts/timeline_file.h"
#include "core/system_call.h"
#include "lines/late_lines.h"
#include "translation_cache/translation_cache.h"
#include "write/outside.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"

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

/* From here on the core may end the process whenever it needs memory, and there will be
   no time to write.  */
static void keep_what_was_counted(void)
{
   static Bool is_kept;
   if (is_kept)
      return;
   is_kept = True;
   dump_all_threads("Filter forbids memory");
   timeline_file_write();
   if (VG_(clo_verbosity) > 0)
      VG_(umsg)("Warning: a filter of the program's forbids mmap, which the core needs: "
                "what has been counted so far is a part of its own\n");
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

#define HERE ((UWord)(Word) - 100) /* AT_FDCWD: relative to the working folder */

/* As newfstatat() fills it in: the first two fields are the same everywhere.  */
typedef struct {
   ULong device, inode;
   UChar others[128];
} FileStatus;

/* The path is the program's: what is wrong with it, the call will say.  */
static void note_removed(UWord folder, UWord path)
{
   enum { NotFollowed = 0x100 }; /* AT_SYMLINK_NOFOLLOW */
   FileStatus status;
   if (late_lines_wait() &&
       !sr_isError(VG_(do_syscall)(__NR_newfstatat, folder, path, (UWord)&status,
                                   NotFollowed, 0, 0, 0, 0)))
      late_lines_before_removal(status.device, status.inode);
}

/* What is renamed is as lost as what it replaces.  */
static void note_removals(UInt call, const UWord* arguments)
{
   switch (call) {
#ifdef __NR_unlink
   case __NR_unlink: note_removed(HERE, arguments[0]); break;
   case __NR_rename:
      note_removed(HERE, arguments[0]);
      note_removed(HERE, arguments[1]);
      break;
#endif
   case __NR_unlinkat: note_removed(arguments[0], arguments[1]); break;
   case __NR_renameat:
   case __NR_renameat2:
      note_removed(arguments[0], arguments[1]);
      note_removed(arguments[2], arguments[3]);
      break;
   default: break;
   }
}

/*--------------------------------------------------------------------*/

void leaving_before_call(UInt call, const UWord* arguments)
{
   note_removals(call, arguments);
   const Bool leaves = is_leaving(call, arguments);
   if (leaves || is_forbidding(call, arguments))
      read_ahead();
   else if (changes_user(call))
      read_ahead_for_others();
   if (leaves)
      keep_what_paths_lead_to();
   if (call_filters_forbid_memory(call, arguments))
      keep_what_was_counted();
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
