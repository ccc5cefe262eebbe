/* SPDX-License-Identifier: GPL-2.0-or-later

   Makes parts of what has been counted; see dump.h.

   Owns the number of the part, the sum over parts, and what is queued for the next
   header.

   A program that executes another one has its last part written before.  Only then it
   turns out whether the other program can be started.  So costs are not set to zero, and
   what is queued is kept, until that is known.  The next program in the process goes on
   with the number of the part (--ct-parts-before), so that no file is written twice.  */

#include "control/parts/dump.h"

#include "control/limits/limits.h"
#include "control/parts/part_files.h"
#include "control/parts/part_names.h"
#include "control/parts/totals.h"
#include "guest/jit/jit_functions.h"
#include "model/tree/calltree.h"
#include "options/options.h"
#include "stack/frames/timed_frames.h"
#include "stack/threads/system_calls.h"
#include "stack/threads/thread.h"
#include "write/profile_total.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_xarray.h"

static UInt n_parts;      /* written so far in this process */
static UInt parts_before; /* those of programs that ran in it before */
static ULong total_of_parts[COST_MAX_EVENTS];

/* For the header of the next part.  */
static XArray* descriptions; /* of HChar*; owned */
static XArray* spawned;      /* of Int: processes forked since the last part */

/* The part that is rolled back if the program to be executed does not start.  */
static Bool is_exec_pending;
static ULong exec_total[COST_MAX_EVENTS]; /* its costs */

static void forget_queued(void)
{
   for (Word i = 0; i < VG_(sizeXA)(descriptions); i++)
      VG_(free)(*(HChar**)VG_(indexXA)(descriptions, i));
   VG_(dropTailXA)(descriptions, VG_(sizeXA)(descriptions));
   VG_(dropTailXA)(spawned, VG_(sizeXA)(spawned));
}

/*--------------------------------------------------------------------*/
/* Parts                                                               */

/* Writes one thread's section of a part, or the whole part if `thread` is 0.  `total` is
   its profile_total().  */
static void write_section(const HChar* trigger, UInt thread, const ULong* total,
                          Bool is_final)
{
   jit_functions_take_late_names();
   cost_add(total_of_parts, total);

   PartHeader header = {
      .part = n_parts,
      .thread = thread,
      .opens_program = n_parts == parts_before + 1,
      .trigger = trigger,
      .spawned = spawned,
      .descriptions = descriptions,
      .first_block = totals_first_block(),
      .last_block = thread_blocks_run(),
   };
   limits_lift();
   part_files_write(&header, total, is_final);
   if (options.call_tree) {
      const TreeHeader tree = {n_parts, thread, trigger, descriptions};
      calltree_split_inlined();
      part_files_write_tree(&tree);
   }
   limits_restore();
}

static void begin_part(Bool may_be_rolled_back)
{
   n_parts++;
   part_files_begin_part(may_be_rolled_back);
}

/* With --separate-threads: a section for each thread that has a cost, and for the running
   one.  `total` is that of all threads.  */
static void write_sections(const HChar* trigger, const ULong* total, Bool is_final)
{
   if (!options.separate_threads) {
      write_section(trigger, 0, total, is_final);
      return;
   }
   for (UInt thread = 1; thread < VG_N_THREADS; thread++) {
      if (thread != thread_running() && !thread_has_run(thread))
         continue;
      ULong of_thread[COST_MAX_EVENTS];
      profile_total(thread, of_thread);
      if (thread == thread_running() || !cost_is_zero(of_thread))
         write_section(trigger, thread, of_thread, is_final);
   }
}

void dump_part(const HChar* trigger)
{
   if (!options.separate_threads || options.dump_threads == DumpThreadsAll) {
      dump_all_threads(trigger);
      return;
   }
   ULong total[COST_MAX_EVENTS];
   totals_check(total);
   profile_total(thread_running(), total);
   timed_frames_mark(MarkDump, trigger);
   begin_part(False);
   write_section(trigger, thread_running(), total, False);
   forget_queued();
   totals_zero(thread_running());
}

void dump_all_threads(const HChar* trigger)
{
   ULong total[COST_MAX_EVENTS];
   totals_check(total);
   timed_frames_mark(MarkDump, trigger);
   begin_part(False);
   write_sections(trigger, total, False);
   forget_queued();
   totals_zero(0);
}

void dump_final(ULong* total)
{
   ULong of_part[COST_MAX_EVENTS];
   totals_check(of_part);
   begin_part(False);
   write_sections("Program termination", of_part, True);
   forget_queued();
   cost_copy(total, total_of_parts);
}

void dump_zero(void)
{
   timed_frames_mark(MarkZero, "");
   totals_zero(0);
   system_calls_forget();
}

void dump_describe(const HChar* text)
{
   HChar* copy = VG_(strdup)("dump.description", text);
   VG_(addToXA)(descriptions, &copy);
   timed_frames_mark(MarkDescription, text);
}

void dump_spawned(Int process)
{
   HChar number[16];
   VG_(addToXA)(spawned, &process);
   VG_(snprintf)(number, sizeof number, "%d", process);
   timed_frames_mark(MarkFork, number);
}

UInt dump_count(void) { return n_parts; }

/*--------------------------------------------------------------------*/
/* Exec and fork                                                       */

void dump_before_exec(const HChar* trigger)
{
   totals_check(exec_total);
   if (cost_is_zero(exec_total) && VG_(sizeXA)(descriptions) == 0 &&
       VG_(sizeXA)(spawned) == 0)
      return;
   begin_part(True);
   write_sections(trigger, exec_total, False);
   is_exec_pending = True;
}

void dump_exec_failed(void)
{
   if (!is_exec_pending)
      return;
   is_exec_pending = False;
   if (!part_files_rollback()) {
      forget_queued();
      totals_zero(0);
      return;
   }
   n_parts--;
   for (UInt e = 0; e < cost_n_events(); e++)
      total_of_parts[e] -= exec_total[e];
}

void dump_restart(void)
{
   n_parts = parts_before = 0;
   cost_zero(total_of_parts);
   forget_queued();
   totals_zero_in_child();
   part_files_restart();
}

/*--------------------------------------------------------------------*/

void dump_init(void)
{
   descriptions = VG_(newXA)(VG_(malloc), "dump.descriptions", VG_(free), sizeof(HChar*));
   spawned = VG_(newXA)(VG_(malloc), "dump.spawned", VG_(free), sizeof(Int));
   n_parts = parts_before = options.parts_before;
   part_files_init();
   part_names_keep_open_files();
}
