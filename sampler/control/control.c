/* SPDX-License-Identifier: GPL-2.0-or-later

   The FIFOs; see control.h.

   Commands are read from an end that sees when the last writer has gone.  Then it is
   opened anew, before the old one is closed, so that there is always a reader.  Answers
   are written to an end that is open for reading, too.  So it can be opened before
   there is a client, and answers that a client did not read can be removed.  */

#include "control/control.h"

#include "base/message.h"
#include "control/perf_protocol.h"
#include "control/runner_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RUNNER_COMMANDS "/tmp/runner.ctl.fifo"
#define RUNNER_ANSWERS "/tmp/runner.ack.fifo"
/* A client may close the commands before it reads its answer, for which it then has so
   many seconds.  */
#define TIME_TO_READ 0.1

static ControlChoice choice;
static const char* command_path;
static const char* answer_path; /* NULL: no answers */
static int commands = -1;
static int answers = -1;
static bool answers_are_old; /* what is in the FIFO is for a client that has gone */
static struct timespec gone_at;
static bool answer_was_dropped; /* which is told once */

/* --- Opening ------------------------------------------------------------------------ */

/* Makes sure that there is a FIFO that we may use.  With `make`, makes it if need be.  */
static void check_fifo(const char* path, bool make)
{
   struct stat status;
   if (make && mkfifo(path, 0700) != 0 && errno != EEXIST)
      message_refuse("%s: cannot be made: %s", path, strerror(errno));
   if (lstat(path, &status) != 0)
      message_refuse("%s: %s; make it with mkfifo first", path, strerror(errno));
   if (!make && S_ISLNK(status.st_mode) && stat(path, &status) != 0)
      message_refuse("%s: %s", path, strerror(errno));
   if (!S_ISFIFO(status.st_mode))
      message_refuse("%s: is there, but is no FIFO; remove it", path);
   if (make && status.st_uid != geteuid())
      message_refuse("%s: belongs to another user; remove it", path);
}

static int open_fifo(const char* path, int flags)
{
   int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
   if (fd < 0)
      message_refuse("%s: %s", path, strerror(errno));
   return fd;
}

/* Two profilers would each get a part of the messages.  This program holds a lock.  */
static void lock(int fd, const char* path)
{
   if (flock(fd, LOCK_EX | LOCK_NB) != 0)
      message_refuse("%s: another callgrind_sample is using it; wait until it has ended",
                     path);
}

/* Only profilers read the runner's FIFO.  One that the user has made may be open for
   reading in the script that made it.  */
static void refuse_other_readers(void)
{
   int probe = open(command_path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
   if (probe >= 0)
      message_refuse("%s: another profiler is reading it; wait until it has ended",
                     command_path);
   if (errno != ENXIO)
      message_refuse("%s: %s", command_path, strerror(errno));
}

/* What is answered would be taken for commands, and be answered, for ever.  */
static void refuse_one_for_both(void)
{
   struct stat one, other;
   if (answers >= 0 && fstat(commands, &one) == 0 && fstat(answers, &other) == 0 &&
       one.st_dev == other.st_dev && one.st_ino == other.st_ino)
      message_refuse("%s: commands and answers need a FIFO each", command_path);
}

static void forget_old_answers(void)
{
   char old[4096];
   while (answers_are_old && read(answers, old, sizeof old) > 0)
      continue;
   answers_are_old = false;
}

static void send_bytes(const void* bytes, size_t size)
{
   if (answers < 0)
      return;
   forget_old_answers();
   if (write(answers, bytes, size) == (ssize_t)size)
      return;
   if (!answer_was_dropped)
      message_print("%s: nobody reads the answers; what finds no room is dropped",
                    answer_path);
   answer_was_dropped = true;
}

void control_open(const Options* options, const ControlActions* actions)
{
   choice = options->control;
   if (choice == ControlNone)
      return;
   bool is_runner = choice == ControlRunner;
   command_path = is_runner ? RUNNER_COMMANDS : options->command_fifo;
   answer_path = is_runner ? RUNNER_ANSWERS : options->answer_fifo;
   check_fifo(command_path, is_runner);
   if (answer_path != NULL) {
      check_fifo(answer_path, is_runner);
      answers = open_fifo(answer_path, O_RDWR);
      answers_are_old = is_runner;
   }
   if (is_runner) {
      refuse_other_readers();
      lock(answers, answer_path);
   }
   commands = open_fifo(command_path, O_RDONLY);
   refuse_one_for_both();
   if (!is_runner)
      lock(commands, command_path);
   if (is_runner)
      runner_protocol_begin(actions, send_bytes);
   else
      perf_protocol_begin(actions, command_path, send_bytes);
}

int control_descriptor(void) { return commands; }

/* --- Commands ----------------------------------------------------------------------- */

static void writers_are_gone(void)
{
   if (choice == ControlRunner)
      runner_protocol_gone();
   else
      perf_protocol_gone();
   int fresh = open_fifo(command_path, O_RDONLY);
   close(commands);
   commands = fresh;
   if (choice == ControlFifo)
      flock(commands, LOCK_EX | LOCK_NB);
   answers_are_old = answers >= 0;
   clock_gettime(CLOCK_MONOTONIC, &gone_at);
}

void control_handle(void)
{
   char bytes[4096];
   /* Not for ever: the rings must be drained, too.  */
   for (unsigned rounds = 0; rounds < 16; rounds++) {
      ssize_t size = read(commands, bytes, sizeof bytes);
      if (size == 0) {
         writers_are_gone();
         return;
      }
      if (size < 0) {
         if (choice == ControlFifo)
            perf_protocol_pause();
         return;
      }
      if (choice == ControlRunner)
         runner_protocol_take(bytes, (size_t)size);
      else
         perf_protocol_take(bytes, (size_t)size);
   }
}

void control_tick(void)
{
   struct timespec now;
   if (!answers_are_old)
      return;
   clock_gettime(CLOCK_MONOTONIC, &now);
   if ((double)(now.tv_sec - gone_at.tv_sec) +
          (double)(now.tv_nsec - gone_at.tv_nsec) / 1e9 >
       TIME_TO_READ)
      forget_old_answers();
}

void control_close(void)
{
   if (commands < 0)
      return;
   if (choice == ControlRunner) {
      unlink(command_path);
      unlink(answer_path);
   }
   close(commands);
   if (answers >= 0)
      close(answers);
   commands = answers = -1;
}
