/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes the parts of a profile as the tool does (part_files.h in
   callgrind/control/parts), again and again, with faults.  Reads lines from stdin:

      MODE FAULT       FAULT as in faults.h, or `none`

   and does each in a process of its own: writes the sections that the mode asks for, of
   the profile to `out`, of the call tree to `tree`, in the folder that it was started in.
   What is said goes to stdout, then a line `= CALLS NAME`: how many calls on files there
   were, and the name of the one that failed first.

   A section is a line `begin WHAT PART`, dots, and a line `end WHAT PART`.  */

#include "faults.h"

#include "control/limits/limits.h"
#include "control/parts/part_files.h"
#include "control/parts/timeline_file.h"
#include "guest/jit/jit_functions.h"
#include "options/options.h"
#include "stack/frames/timed_frames.h"
#include "stack/threads/thread.h"
#include "write/profile_writer.h"
#include "write/timeline_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than is buffered, in the buffer that the test has set.  */
#define SECTION_SIZE (BUFFER_SIZE + BUFFER_SIZE / 16)

const HChar options_out_file[] = "out";
const HChar options_call_tree_out_file[] = "tree";
const HChar options_timeline_out_file[] = "";
Options options;

/*--------------------------------------------------------------------*/
/* In place of the writers                                             */

static void write_section(Output* output, const HChar* what, UInt part)
{
   HChar line[64];
   snprintf(line, sizeof line, "begin %s %u\n", what, part);
   output_text(output, line);
   for (UInt i = 0; i < SECTION_SIZE; i++)
      output_char(output, '.');
   snprintf(line, sizeof line, "\nend %s %u\n", what, part);
   output_text(output, line);
}

void profile_writer_write(Output* output, const PartHeader* header, const ULong* total)
{
   (void)total;
   write_section(output, "part", header->part);
}

void tree_writer_write(Output* output, const TreeHeader* header)
{
   write_section(output, "tree", header->part);
}

/*--------------------------------------------------------------------*/
/* A timeline without a program                                        */

static void (*at_slice)(void); /* what writes it now and then */
static ULong n_executed;
static UInt timeline_version; /* what is written next */

void thread_at_slice(void (*hook)(void)) { at_slice = hook; }
void jit_functions_take_late_names(void) {}
void limits_lift(void) {}
void limits_restore(void) {}
void timed_frames_advance(void) {}
void timed_frames_for_open(const TimelineTrack* track,
                           void (*visit)(const TimelineCall* call))
{
   (void)track, (void)visit;
}
Bool timeline_settle(void) { return True; }
ULong timeline_total(void) { return n_executed; }
ULong timeline_size(void) { return 0; }

void timeline_writer_write(Output* output, TimelineForOpen* for_open)
{
   (void)for_open;
   write_section(output, "timeline", timeline_version);
}

/* Long enough for the timeline to be written again.  */
static void run_long(void)
{
   n_executed += 1000000000;
   at_slice();
}

/* Writes the timeline in the middle of the program, before an exec that fails, and at the
   end; what comes before the end is version 0.  */
static void write_timeline(Bool is_exec)
{
   timeline_version = 0;
   timeline_file_init();
   run_long();
   if (is_exec)
      timeline_file_write();
   run_long();
   timeline_version = 2;
   timeline_file_write();
}

/*--------------------------------------------------------------------*/
/* Modes                                                               */

static void write_part(UInt part, Bool is_final, Bool may_be_rolled_back)
{
   PartHeader header = {.part = part};
   const TreeHeader tree = {.part = part};
   part_files_begin_part(may_be_rolled_back);
   part_files_write(&header, NULL, is_final);
   if (options.call_tree)
      part_files_write_tree(&tree);
}

static Bool is(const char* mode, const char* name) { return strcmp(mode, name) == 0; }

/* Writes part 2 before an exec that fails, and what comes after it.  */
static void write_around_exec(void)
{
   write_part(2, False, True);
   write_part(part_files_rollback() ? 2 : 3, True, False);
}

static void write_mode(const char* mode)
{
   Bool is_exec_first = is(mode, "exec-first");
   options.out_file = is(mode, "named") ? "link" : options_out_file;
   options.call_tree_out_file = options_call_tree_out_file;
   options.combine_dumps = is(mode, "combined") || is(mode, "exec");
   options.call_tree = is(mode, "tree") || is_exec_first;
   options.timeline_out_file = "timeline";
   options.timeline = is(mode, "timeline") || is(mode, "timeline-exec");
   if (options.timeline) {
      write_timeline(is(mode, "timeline-exec"));
      return;
   }
   part_files_init();
   if (!is(mode, "plain") && !is(mode, "named") && !is_exec_first)
      write_part(1, False, False);
   if (is(mode, "exec") || is_exec_first)
      write_around_exec();
   else
      write_part(2, True, False);
}

static void do_line(const char* mode, const char* fault)
{
   faults_begin(strcmp(fault, "none") == 0 ? NULL : fault);
   write_mode(mode);
   printf("= %d %s\n", faults_calls(), faults_name());
   fflush(stdout);
   _exit(0);
}

int main(void)
{
   char mode[32], fault[64];
   while (scanf("%31s %63s", mode, fault) == 2) {
      fflush(stdout);
      pid_t child = fork();
      if (child == 0)
         do_line(mode, fault);
      int status = 0;
      waitpid(child, &status, 0);
      if (status != 0)
         printf("= crashed %d\n", status);
      fflush(stdout);
   }
   return 0;
}
