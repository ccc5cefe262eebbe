/* SPDX-License-Identifier: GPL-2.0-or-later

   See timeline_file.h.

   Each writing replaces the file as a whole, by a rename (write/output.h): it is always a
   valid one, and what has become too short since is gone.  As the times between grow with
   the run, all writing together takes a small part of it.  */

#include "control/parts/timeline_file.h"

#include "base/text.h"
#include "control/limits/limits.h"
#include "control/parts/part_names.h"
#include "guest/jit/jit_functions.h"
#include "options/options.h"
#include "stack/frames/timed_frames.h"
#include "stack/threads/thread.h"
#include "write/output.h"
#include "write/timeline_writer.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

/* Instructions between two writings, at least: all together, and for each byte that is
   written, so that writing takes a small part of the time; and the part of the run.  */
#define LEAST_STEP 40000000
#define STEP_PER_BYTE 100
#define PART_OF_RUN 9

static UInt n_before; /* timelines of programs that ran in this process before */
static Bool is_written;
static ULong next_writing; /* when so much has been executed */

/* True if that worked, otherwise *reason is set.  */
static Bool write_to(TargetPath path, const HChar** reason)
{
   OutputBefore before;
   Output* output = output_open(path, False, reason);
   if (output == NULL)
      return False;
   timeline_writer_write(output, timed_frames_for_open);
   if (!output_close(output, False, &before, reason))
      return False;
   output_settle(&before);
   return True;
}

/* Writes it to the first place that takes it, and says which that is.  */
static void write_elsewhere(void)
{
   const HChar* reason = "";
   for (UInt attempt = 0;; attempt++) {
      TargetPath path = part_names_fallback(n_before + 1, 0, FileOfTimeline, attempt);
      if (path.path == NULL)
         break;
      Bool done = write_to(path, &reason);
      if (done)
         text_say("the timeline is in '%s' %s\n", path.path, "instead");
      VG_(free)(path.path);
      if (done)
         return;
   }
   VG_(umsg)("nor elsewhere: %s; the timeline is lost\n", reason);
}

/* Brings everything up to now.  False if there is nothing to be written.  */
static Bool settle(void)
{
   timed_frames_advance();
   jit_functions_take_late_names();
   return timeline_settle();
}

static TargetPath own_path(void)
{
   return part_names_timeline(n_before == 0 ? 0 : n_before + 1);
}

void timeline_file_write(void)
{
   const HChar* reason = "";
   if (!options.timeline || !settle())
      return;
   TargetPath path = own_path();
   is_written = True;
   if (!write_to(path, &reason)) {
      text_say("cannot write the timeline to '%s': %s\n", path.path, reason);
      write_elsewhere();
   }
   VG_(free)(path.path);
}

UInt timeline_file_count(void) { return n_before + (is_written ? 1 : 0); }

/* When `total` has been executed.  */
static ULong step_to_next_writing(ULong total)
{
   ULong step = total / PART_OF_RUN;
   ULong for_size = timeline_size() * STEP_PER_BYTE;
   if (step < for_size)
      step = for_size;
   return step < LEAST_STEP ? LEAST_STEP : step;
}

/* At the start of a thread's slice.  That it cannot be written is said at the end.  */
static void write_now_and_then(void)
{
   const HChar* reason;
   Bool is_pipe;
   timed_frames_advance();
   ULong total = timeline_total();
   if (total < next_writing)
      return;
   TargetPath path = own_path();
   limits_lift();
   if (!output_is_stream(path, &is_pipe) && settle() && write_to(path, &reason))
      is_written = True;
   limits_restore();
   VG_(free)(path.path);
   next_writing = total + step_to_next_writing(total);
}

void timeline_file_restart(void)
{
   n_before = 0;
   is_written = False;
   next_writing = LEAST_STEP;
}

void timeline_file_init(void)
{
   timeline_file_restart();
   n_before = options.timelines_before;
   if (options.timeline)
      thread_at_slice(write_now_and_then);
}
