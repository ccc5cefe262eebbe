/* SPDX-License-Identifier: GPL-2.0-or-later

   callgrind_sample: profiles a program by the clock.  docs/sample.md says what it does for
   its users; this file says in which order.

   Two threads.  This one starts the program, drains the rings by the clock, listens to
   signals and to the control.  The other takes the records, in the order of their times,
   and makes the profile of them: it reads files, and may be late.  When the program has
   ended, the rest is drained, the other thread ends, and the file is written.  */

#include "control/control.h"
#include "perf/event.h"
#include "code/jit_names.h"
#include "base/memory.h"
#include "base/message.h"
#include "options/options.h"
#include "profile/profile.h"
#include "control/program.h"
#include "perf/queue.h"
#include "profile/tree_file.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long a record may take from its time stamp into a ring.  */
#define ORDER_DELAY 20000000u /* nanoseconds */
#define PROGRESS_INTERVAL 1000000000u

/* How long a program that is to end may take for it.  */
#define TIME_TO_END 3000000000u

static bool sampling_on;
static uint64_t run_ended_at; /* by the control; 0: it goes on */

static uint64_t now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* --- What the control does ------------------------------------------------------------ */

static void mark(MarkKind kind, uint32_t pid, const char* text)
{
   queue_add(record_mark(kind, pid, now(), text));
}

/* The mark of ON stands before the first sample, that of OFF behind the last.  */
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

static void end_run(void)
{
   if (run_ended_at == 0)
      run_ended_at = now();
}

static const ControlActions actions = {switch_sampling, is_sampling, mark, mark_moment,
                                       end_run};

/* --- The unwinding thread ------------------------------------------------------------- */

static void* make_profile(void* unused)
{
   Record* record;
   while ((record = queue_take()) != NULL) {
      profile_take(record);
      free(record);
   }
   return unused;
}

/* --- The loop ------------------------------------------------------------------------- */

static void drain(void)
{
   uint64_t before = now();
   event_drain(queue_add);
   queue_release(before > ORDER_DELAY ? before - ORDER_DELAY : 0);
}

static void tell_progress(uint64_t started)
{
   ProfileFigures figures = profile_figures();
   message_print("%.0f s: sampling is %s, %llu samples, %llu lost",
                 (double)(now() - started) / 1e9, sampling_on ? "on" : "off",
                 (unsigned long long)figures.samples,
                 (unsigned long long)(figures.lost + queue_dropped()));
}

static bool has_ended(pid_t pid)
{
   char path[64], state = 'Z';
   snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
   FILE* file = fopen(path, "r");
   if (file == NULL)
      return true;
   if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
      state = 'R';
   fclose(file);
   return state == 'Z' || state == 'X';
}

/* When the control has ended the run: asks the program to end, or makes it.  True if there
   is nothing to wait for.  */
static bool end_program(const Options* options)
{
   static bool asked;
   if (run_ended_at == 0)
      return false;
   if (options->attach != 0)
      return true; /* the process is not ours to end */
   if (!asked)
      program_terminate(false);
   else if (now() - run_ended_at > TIME_TO_END)
      program_terminate(true);
   asked = true;
   return false;
}

/* Until the program has ended; its wait status.  */
static int watch(const Options* options, int signals)
{
   int wait_status = 0;
   uint64_t started = now(), told = started;
   for (;;) {
      struct pollfd watched[2] = {{signals, POLLIN, 0},
                                  {control_descriptor(), POLLIN, 0}};
      int count = poll(watched, 2, event_drain_interval());
      if (count > 0 && watched[1].revents != 0)
         control_handle();
      control_tick();
      drain();
      if (count > 0 && watched[0].revents != 0 &&
          program_signals(options->attach != 0, &wait_status))
         return wait_status;
      if (end_program(options))
         return 0;
      if (options->attach != 0 && has_ended(options->attach))
         return 0;
      if (options->verbose && now() - told >= PROGRESS_INTERVAL) {
         told = now();
         tell_progress(started);
      }
   }
}

/* --- The end -------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t whole)
{
   return whole != 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void tell_summary(const char* path, bool written)
{
   struct rusage usage;
   ProfileFigures figures = profile_figures();
   getrusage(RUSAGE_SELF, &usage);
   double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
   message_print(
      "%llu samples of %s, %llu lost, %.1f%% truncated, %.1f%% without a name, "
      "%.2f s of CPU time for sampling%s%s",
      (unsigned long long)figures.samples, event_name(),
      (unsigned long long)(figures.lost + queue_dropped()),
      share(figures.truncated, figures.samples), share(figures.unnamed, figures.samples),
      seconds, written ? "; wrote " : "", written ? path : "");
}

static bool write_profile(const Options* options, const char* path)
{
   const TreeFileEvent event = {event_name(), strcmp(event_name(), "cycles") == 0,
                                options->frequency, event_has_kernel()};
   errno = 0;
   if (tree_file_write(path, profile_parts(), &event))
      return true;
   message_print("%s: cannot be written: %s", path, strerror(errno));
   return false;
}

/* A file that cannot be written is to be told before the program has run for an hour.  */
static void check_output(const char* path)
{
   char folder[PATH_MAX];
   struct stat status;
   snprintf(folder, sizeof folder, "%s", path);
   char* slash = strrchr(folder, '/');
   if (slash != NULL)
      slash[slash == folder] = '\0';
   else
      snprintf(folder, sizeof folder, ".");
   if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
      message_refuse("%s: is a folder; name a file with -o", path);
   if (access(folder, W_OK) != 0 && access(path, W_OK) != 0)
      message_refuse("%s: cannot be written: %s; name another file with -o", path,
                     strerror(errno));
}

/* In the folder that we were started in, wherever we are at the end.  */
static char* output_path(const Options* options, pid_t pid)
{
   char name[64], here[PATH_MAX];
   snprintf(name, sizeof name, "callgrind.sample.%d", (int)pid);
   const char* path = options->output != NULL ? options->output : name;
   if (path[0] == '/' || getcwd(here, sizeof here) == NULL)
      return memory_copy_text(path);
   char* whole = memory_allocate(strlen(here) + strlen(path) + 2);
   sprintf(whole, "%s/%s", here, path);
   return whole;
}

int main(int count, char** arguments)
{
   Options options = options_read(count, arguments);
   bool attached = options.attach != 0;
   const char* reason;
   int status = 0;
   pthread_t thread;

   object_skip_patterns(options.skipped, options.skipped_count);
   process_set_backfill(options.backfills);
   if (options.compares)
      profile_compare();
   if (!options.has_room)
      profile_set_max_nodes(16);
   jit_names_set_start(attached ? 0 : (int64_t)time(NULL));
   int signals = program_watch_signals();
   if (attached && has_ended(options.attach))
      message_refuse("-p %d: there is no such process", (int)options.attach);
   pid_t pid = attached ? options.attach : program_prepare(options.program);
   char* path = output_path(&options, pid);
   check_output(path);
   if (!event_open(&options, pid, attached, &reason)) {
      program_drop();
      message_refuse("%s", reason);
   }
   control_open(&options, &actions);
   if (!attached)
      process_begin((uint32_t)pid, options.program);
   if (pthread_create(&thread, NULL, make_profile, NULL) != 0) {
      program_drop();
      message_refuse("cannot start a thread");
   }
   if (options.starts_on) {
      sampling_on = true;
      mark(MarkOn, 0, NULL);
   }
   if (attached) {
      mark(MarkAttached, (uint32_t)pid, NULL);
      event_switch(options.starts_on);
   } else if (!program_release(&status)) {
      message_print("%s: cannot be executed: %s", options.program[0], strerror(errno));
      control_close();
      exit(status);
   }

   int wait_status = watch(&options, signals);
   event_switch(false);
   event_drain(queue_add);
   control_close();
   queue_finish();
   pthread_join(thread, NULL);
   event_close();
   profile_finish();
   bool written = write_profile(&options, path);
   tell_summary(path, written);
   if (options.compares) {
      const uint64_t* agreements = profile_agreements();
      message_print(
         "libdw's unwinder: %llu agree, %llu end earlier, %llu go on, %llu differ",
         (unsigned long long)agreements[AgreementWhole],
         (unsigned long long)agreements[AgreementOursGoesOn],
         (unsigned long long)agreements[AgreementOursStops],
         (unsigned long long)agreements[AgreementNone]);
   }
   if (run_ended_at != 0)
      exit(MESSAGE_STATUS_REFUSED);
   if (attached)
      exit(written ? 0 : MESSAGE_STATUS_REFUSED);
   program_end_like(wait_status);
}
