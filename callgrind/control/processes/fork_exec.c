/* SPDX-License-Identifier: GPL-2.0-or-later

   See fork_exec.h.

   A forked child begins a profile of its own: costs from before the fork are its parent's
   only.  When a program executes another one, its profile is written before, and options
   tell the other program what it has to know (exec_options.h).

   The core runs vfork and posix_spawn as if they were fork.  */

#include "control/processes/fork_exec.h"

#include "base/text.h"
#include "control/limits/call_filters.h"
#include "control/limits/limits.h"
#include "control/limits/self_kill.h"
#include "control/limits/strict_mode.h"
#include "control/parts/dump.h"
#include "control/parts/part_files.h"
#include "control/parts/part_names.h"
#include "control/parts/timeline_file.h"
#include "control/processes/exec_room.h"
#include "control/processes/leaving.h"
#include "control/processes/lost_memory.h"
#include "control/processes/thread_naming.h"
#include "core/open_files.h"
#include "guest/jit/jit_functions.h"
#include "guest/memory.h"
#include "lines/stored_lines.h"
#include "model/allocations/alloc_owners.h"
#include "native/native.h"
#include "options/exec_options.h"
#include "options/options.h"
#include "options/unmatched.h"
#include "stack/frames/timed_frames.h"
#include "stack/threads/system_calls.h"
#include "stack/threads/thread.h"
#include "surroundings/idle_time.h"
#include "surroundings/set_timers.h"
#include "surroundings/steady_clock.h"
#include "surroundings/system_answers.h"
#include "surroundings/turns.h"
#include "translation_cache/translation_cache.h"
#include "translations/instr_state.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

/* The thread whose system call has just forked, and the one whose call is about to
   execute a program.  */
static ThreadId forking = VG_INVALID_THREADID;
static ThreadId executing = VG_INVALID_THREADID;

/*--------------------------------------------------------------------*/
/* Options for the program that is executed                            */

static ExecOption out_file = {"--callgrind-out-file", 0};
static ExecOption tree_file = {"--call-tree-out-file", 0};
static ExecOption parts_before = {"--ct-parts-before", 0};
static ExecOption combined_before = {"--ct-combined-before", 0};
static ExecOption tree_before = {"--ct-tree-before", 0};
static ExecOption timeline_file = {"--timeline-out-file", 0};
static ExecOption timelines_before = {"--ct-timelines-before", 0};

static void pass_parts(void)
{
   HChar number[16];
   if (dump_count() == 0 && options.parts_before == 0 && parts_before.index == 0)
      return; /* the default */
   VG_(snprintf)(number, sizeof number, "%u", dump_count());
   exec_options_set(&parts_before, number);
   if (part_files_combined_path() != NULL)
      exec_options_set(&combined_before, part_files_combined_path());
   if (part_files_tree_path() != NULL)
      exec_options_set(&tree_before, part_files_tree_path());
}

static void pass_timelines(void)
{
   HChar number[16];
   if (timeline_file_count() == 0 && timelines_before.index == 0)
      return; /* the default */
   VG_(snprintf)(number, sizeof number, "%u", timeline_file_count());
   exec_options_set(&timelines_before, number);
}

/*--------------------------------------------------------------------*/
/* Fork                                                                */

static void before_fork(ThreadId thread)
{
   (void)thread;
   jit_functions_before_fork();
}

static void in_parent(ThreadId thread)
{
   forking = thread;
   unmatched_in_parent();
}

static void in_child(ThreadId thread)
{
   lost_memory_in_child();
   system_calls_in_child(thread);
   jit_functions_in_child();
   thread_forget_others();
   thread_naming_in_child();
   idle_time_in_child(thread);
   set_timers_in_child();
   native_in_child();
   unmatched_in_child();
   if (part_names_add_process())
      exec_options_set(&out_file, options.out_file);
   if (part_names_add_process_to_tree())
      exec_options_set(&tree_file, options.call_tree_out_file);
   if (part_names_add_process_to_timeline())
      exec_options_set(&timeline_file, options.timeline_out_file);
   translation_cache_in_child();
   stored_lines_in_child();
   dump_restart();
   timed_frames_restart();
   if (options.collect_alloc)
      timed_frames_held(alloc_owners_held());
   timeline_file_restart();
}

/*--------------------------------------------------------------------*/
/* Exec                                                                */

/* The system takes no longer path.  */
#define MOST_PATH 4096

/* The program's path at `address`, newly allocated; NULL if it cannot be read, or is
   longer than the system lets one be.  */
static HChar* path_at(Addr address)
{
   HChar* path;
   if (guest_memory_text("fork_exec.path", address, MOST_PATH, &path) != TextTooLong)
      return path;
   VG_(free)(path);
   return NULL;
}

/* The path of the program that a system call executes, newly allocated; NULL if it does
   not, or if there is no path that could be executed.  */
static HChar* executed(UInt call, const UWord* arguments)
{
   if (call == __NR_execve)
      return path_at(arguments[0]);
#ifdef __NR_execveat
   if (call == __NR_execveat) {
      HChar* path = path_at(arguments[1]);
      const HChar* open_file;
      if (path != NULL && path[0] == '\0' &&
          core_path_of_open_file((Int)arguments[0], &open_file)) {
         VG_(free)(path);
         path = VG_(strdup)("fork_exec.path", open_file);
      }
      return path;
   }
#endif
   return NULL;
}

/* What is passed as far as there is room.  */
static void pass_repeated(UInt call, const UWord* arguments)
{
   static Bool has_warned;
   if (!exec_options_is_any_repeated())
      return;
   const UWord* texts = call == __NR_execve ? &arguments[1] : &arguments[2];
   UInt n_left = exec_options_pass_repeated(exec_room(texts[0], texts[1]));
   if (n_left > 0 && !has_warned)
      VG_(umsg)("Warning: %u objects of CALLGRIND_ADD_OBJ_SKIP are not skipped in the "
                "program that is executed: its arguments would be too long\n",
                n_left);
   has_warned |= n_left > 0;
}

static void begin_exec(ThreadId thread, UInt call, const UWord* arguments,
                       const HChar* path)
{
   struct vg_stat status;
   /* It fails at once, as calls do that try the folders of PATH in turn.  */
   if (call == __NR_execve && sr_isError(VG_(stat)(path, &status)))
      return;
   HChar* trigger = text_join("fork_exec.trigger", "Program execution", ": ", path);
   dump_before_exec(trigger);
   VG_(free)(trigger);
   stored_lines_hand_over();
   timed_frames_mark(MarkExec, path);
   limits_lift();
   timeline_file_write();
   pass_timelines();
   translation_cache_save();
   limits_restore();
   pass_parts();
   pass_repeated(call, arguments);
   native_before_exec();
   limits_before_exec();
   executing = thread;
}

static void before_call(ThreadId thread, UInt call, UWord* arguments, UInt n_arguments)
{
   (void)n_arguments;
   strict_mode_before_call(thread, call, arguments);
   call_filters_before_call(thread, call, arguments);
   self_kill_before_call(call, arguments);
   leaving_before_call(call, arguments);
   limits_before_call(call, arguments);
   native_before_call(call, arguments);
   HChar* path = executed(call, arguments);
   if (path != NULL)
      begin_exec(thread, call, arguments, path);
   VG_(free)(path);
   system_calls_begin(thread);
   turns_before_call(thread, call);
   steady_clock_before_call(thread, call, arguments, thread_blocks_run());
}

static void after_call(ThreadId thread, UInt call, UWord* arguments, UInt n_arguments,
                       SysRes result)
{
   (void)n_arguments;
   strict_mode_after_call(thread);
   leaving_after_call(call, arguments, result);
   limits_after_call(thread, call, arguments, result);
   steady_clock_after_call(thread, call, arguments, result, thread_blocks_run());
   system_answers_after_call(thread, call, arguments, result);
   native_after_call(sr_isError(result));
   if (!sr_isError(result)) {
      call_filters_after_call(thread, call, arguments);
      lost_memory_after_call(call, arguments);
      instr_state_after_call(call, arguments);
      thread_naming_after_call(thread, call, arguments, sr_Res(result));
   }
   /* After a successful exec the thread does not come here; others do, to end.  */
   if (executing == thread) {
      executing = VG_INVALID_THREADID;
      native_exec_failed();
      limits_exec_failed();
      exec_options_withdraw_repeated();
      dump_exec_failed();
   }
   system_calls_end(thread);
   if (forking != thread)
      return;
   forking = VG_INVALID_THREADID;
   if (!sr_isError(result) && (Int)sr_Res(result) > 0)
      dump_spawned((Int)sr_Res(result));
}

void fork_exec_register(void)
{
   VG_(atfork)(before_fork, in_parent, in_child);
   VG_(needs_syscall_wrapper)(before_call, after_call);
}
