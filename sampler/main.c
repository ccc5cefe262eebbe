/* SPDX-License-Identifier: GPL-2.0-or-later

   callgrind_sample: profiles a program by samples of its time.  docs/sample.md says
   what it does for its users.  It works with two threads.  The main thread starts the
   program, drains the kernel's ring buffers at intervals, and listens to signals and to
   the control.  The unwinding thread takes the records in the order of their times and
   makes the profile of them; it reads files, and may lag behind.  When the program has
   ended, the main thread drains the rest, waits for the other one, and writes the
   file.

   docs/layers.txt lists the folders, from top to bottom.  */

#include "base/memory.h"
#include "base/message.h"
#include "base/process_folder.h"
#include "code/jit_files.h"
#include "code/object.h"
#include "control/attached.h"
#include "control/control.h"
#include "control/program.h"
#include "options/options.h"
#include "perf/event.h"
#include "perf/queue.h"
#include "perf/rate.h"
#include "perf/waiting_threads.h"
#include "profile/output.h"
#include "profile/places.h"
#include "profile/profile.h"
#include "profile/tree_file.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Times are in nanoseconds.  */

/* How long a record may take from its time stamp until it is in a ring.  */
#define ORDER_DELAY 20000000u
#define PROGRESS_INTERVAL 1000000000u
#define RATE_INTERVAL 500000000u

/* How long a program that is asked to end may take, before it is killed.  */
#define TIME_TO_END 3000000000u

static bool sampling_on;
static uint64_t end_asked_at; /* when a client wanted the program to end; 0: none did */
static bool end_is_failure;   /* with end_asked_at: what was measured means nothing */

static uint64_t now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* --- What clients of the control can have done -------------------------------------- */

static void mark(MarkKind kind, uint32_t pid, const char* text)
{
   queue_add(record_mark(kind, pid, now(), text));
}

/* The mark of ON comes before the first sample, that of OFF after the last.  */
static void switch_sampling(bool on)
{
   if (on == sampling_on)
      return;
   sampling_on = on;
   if (on)
      mark(MarkOn, 0, NULL);
   event_switch(on);
   if (!on)
      mark(MarkOff, 0, NULL);
}

static bool is_sampling(void) { return sampling_on; }

static void mark_moment(uint32_t pid, uint64_t moment, const char* text)
{
   Record* record = record_mark(MarkMoment, pid, now(), text);
   record->as.mark.moment = moment;
   queue_add(record);
}

static void ask_to_end(void)
{
   if (end_asked_at == 0)
      end_asked_at = now();
}

static void stop(void)
{
   switch_sampling(false);
   ask_to_end();
}

static void give_up(void)
{
   end_is_failure = true;
   ask_to_end();
}

static const ControlActions actions = {
   .switch_sampling = switch_sampling,
   .is_sampling = is_sampling,
   .event = event_name,
   .mark = mark,
   .mark_moment = mark_moment,
   .stop = stop,
   .end_program = give_up,
};

/* --- The unwinding thread ----------------------------------------------------------- */

static void* make_profile(void* unused)
{
   Record* record;
   while ((record = queue_take()) != NULL) {
      profile_take(record);
   }
   return unused;
}

/* --- The main thread's loop --------------------------------------------------------- */

static void take_record(Record* record)
{
   rate_note_record(record);
   queue_add(record);
}

static void drain(void)
{
   uint64_t before = now();
   event_drain(take_record);
   queue_release(before > ORDER_DELAY ? before - ORDER_DELAY : 0);
}

/* Samples as often as the program can bear.  */
static void adapt_rate(void)
{
   static uint64_t read_at;
   if (now() - read_at < RATE_INTERVAL)
      return;
   read_at = now();
   event_go_on_at(rate_decide(rate_read_activity()));
}

static void print_progress(uint64_t started)
{
   ProfileFigures figures = profile_figures();
   message_print("%.0f s: sampling is %s, %llu samples, %llu lost, %u a second, "
                 "stacks of %u bytes",
                 (double)(now() - started) / 1e9, sampling_on ? "on" : "off",
                 (unsigned long long)figures.samples,
                 (unsigned long long)(figures.lost + queue_dropped()), event_frequency(),
                 event_copy_size());
}

/* If a client wants the program to end: asks the program; where it was wrong to run it,
   kills it later.  True if there is nothing to wait for.  */
static bool end_program(bool attached)
{
   static bool asked;
   if (end_asked_at == 0)
      return false;
   if (attached)
      return true; /* the process is not ours to end */
   if (!asked)
      program_terminate(false);
   else if (end_is_failure && now() - end_asked_at > TIME_TO_END)
      program_terminate(true);
   asked = true;
   return false;
}

/* Samples until the program has ended, or the process that we are attached to, or until
   sampling that process is to end.  Returns the program's wait status; 0 if attached.  */
static int watch(const Options* options, int signals)
{
   bool attached = options->attach != 0;
   int wait_status = 0;
   uint64_t started = now(), printed = started;
   for (;;) {
      struct pollfd watched[] = {{signals, POLLIN, 0},
                                 {control_descriptor(), POLLIN, 0},
                                 {event_descriptor(), POLLIN, 0}};
      int count = poll(watched, 3, event_drain_interval());
      if (count > 0 && watched[1].revents != 0)
         control_handle();
      control_tick();
      drain();
      if (event_can_slow(options))
         adapt_rate();
      if (count > 0 && watched[0].revents != 0 && program_signals(attached, &wait_status))
         return wait_status;
      if (end_program(attached))
         return 0;
      if (attached && attached_has_ended())
         return 0;
      if (options->verbose && now() - printed >= PROGRESS_INTERVAL) {
         printed = now();
         print_progress(started);
      }
   }
}

/* --- The end ------------------------------------------------------------------------ */

static double percent(uint64_t part, uint64_t whole)
{
   return whole != 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* How many samples were taken at lower rates: "1128 of them at 249 a second, ".  */
static void describe_slow(char* text, size_t size, unsigned frequency,
                          const ProfileFigures* figures)
{
   size_t length = 0;
   text[0] = '\0';
   for (unsigned step = 1; step < RATE_STEPS; step++) {
      if (figures->at_step[step] != 0)
         length += (size_t)snprintf(
            text + length, size - length, "%llu of them at %u a second, ",
            (unsigned long long)figures->at_step[step], rate_frequency(frequency, step));
   }
}

/* `path` is NULL if the profile could not be written.  */
static void print_summary(const char* path, unsigned frequency)
{
   struct rusage usage;
   ProfileFigures figures = profile_figures();
   getrusage(RUSAGE_SELF, &usage);
   double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
   uint64_t stacks = figures.samples + figures.waits;
   char waits[64] = "", slow[128];
   describe_slow(slow, sizeof slow, frequency, &figures);
   if (event_has_waits())
      snprintf(waits, sizeof waits, "%llu waits, ", (unsigned long long)figures.waits);
   message_print(
      "%llu samples of %s, %s%s%llu lost, %.1f%% truncated, %.1f%% without a name, "
      "%.2f s of CPU time for sampling%s%s",
      (unsigned long long)figures.samples, event_name(), slow, waits,
      (unsigned long long)(figures.lost + queue_dropped()),
      percent(figures.truncated, stacks), percent(figures.unnamed, stacks), seconds,
      path != NULL ? "; wrote " : "", path != NULL ? path : "");
}

static int write_tree_file(const char* path, bool is_named, const void* event)
{
   return tree_file_write(path, is_named, profile_parts(), event);
}

/* False if the profile is not in its own file.  */
static bool write_profile(const Options* options, const char* path, pid_t pid)
{
   const TreeFileEvent event = {
      .name = event_name(),
      .is_cycles = strcmp(event_name(), "cycles") == 0,
      .has_waits = event_has_waits(),
      .frequency = options->frequency,
      .slowdown = options->slowdown,
      .has_kernel = event_has_kernel(),
   };
   return places_write(path, options->output != NULL, pid, write_tree_file, &event);
}

/* Takes what is left of the records, and writes the file.  False if that fails.  */
static bool finish(const Options* options, const char* path, pid_t pid,
                   pthread_t unwinding)
{
   mark(MarkEnd, 0, NULL);
   event_switch(false);
   event_drain(queue_add);
   control_close();
   queue_finish();
   pthread_join(unwinding, NULL);
   event_close();
   profile_finish();
   bool written = write_profile(options, path, pid);
   print_summary(written ? path : NULL, options->frequency);
   return written;
}

/* --- The start ---------------------------------------------------------------------- */

#define OTHER_NAMESPACE                                                                  \
   "/proc shows another PID namespace than ours; mount it anew (unshare --mount-proc)"

static void set_up(const Options* options)
{
   if (!process_folders_are_ours()) {
      if (options->attach != 0)
         message_refuse(OTHER_NAMESPACE);
      message_print(OTHER_NAMESPACE ", or what only /proc tells is missing");
   }
   object_skip_patterns(options->skipped, options->skipped_count);
   process_set_backfill(options->backfills);
   if (!options->has_room)
      profile_set_max_nodes(16);
   jit_files_set_start(options->attach != 0 ? 0 : (int64_t)time(NULL));
}

/* Finds the process, or makes one for the program, which does not start yet.  */
static pid_t prepare(const Options* options)
{
   if (options->attach == 0)
      return program_prepare(options->program);
   if (!attached_open(options->attach))
      message_refuse("-p %d: there is no such process", (int)options->attach);
   return options->attach;
}

/* What samples cost here decides how often they may be taken.  */
static void begin_rate(const Options* options)
{
   if (!event_can_slow(options))
      return;
   TimerCost cost = cost_measure();
   if (options->has_dear_timer)
      cost.interrupt = 1e9;
   rate_begin(options->slowdown / 100.0, options->frequency, &cost);
   profile_set_rates(options->frequency);
   if (options->verbose)
      message_print("a sample's interrupt takes %.1f us, setting its timer %.1f us",
                    cost.interrupt / 1e3, cost.setting / 1e3);
}

/* Begins to sample the process, with the unwinding thread.  */
static pthread_t start(const Options* options, pid_t pid)
{
   bool attached = options->attach != 0;
   const char* reason;
   pthread_t unwinding;
   if (!event_open(options, pid, attached, &reason)) {
      program_drop();
      message_refuse("%s", reason);
   }
   begin_rate(options);
   control_open(options, &actions);
   if (!attached)
      process_begin((uint32_t)pid, options->program);
   if (pthread_create(&unwinding, NULL, make_profile, NULL) != 0) {
      program_drop();
      message_refuse("cannot start a thread");
   }
   if (options->starts_on) {
      sampling_on = true;
      mark(MarkOn, 0, NULL);
   }
   if (attached) {
      uint64_t before = now();
      mark(MarkAttached, (uint32_t)pid, NULL);
      event_switch(options->starts_on);
      if (event_has_waits())
         waiting_threads_read((uint32_t)pid, before, queue_add);
   }
   return unwinding;
}

int main(int count, char** arguments)
{
   Options options = options_read(count, arguments);
   bool attached = options.attach != 0;
   int status = 0;
   set_up(&options);
   int signals = program_watch_signals();
   pid_t pid = prepare(&options);
   char* path = output_path(options.output, pid);
   output_check(path, options.output != NULL);
   pthread_t unwinding = start(&options, pid);
   if (!attached && !program_release(&status)) {
      message_print("%s: cannot be executed: %s", options.program[0], strerror(errno));
      control_close();
      exit(status);
   }
   int wait_status = watch(&options, signals);
   bool written = finish(&options, path, pid, unwinding);
   free(path);
   if (end_is_failure)
      exit(MESSAGE_STATUS_REFUSED);
   if (attached)
      exit(written ? 0 : MESSAGE_STATUS_REFUSED);
   program_end_like(wait_status);
}
