/* SPDX-License-Identifier: GPL-2.0-or-later

   The FIFOs, and descriptors in their place; see control.h.

   Commands are read from an end that sees when the last writer has gone.  Then it is
   opened anew, before the old one is closed, so that there is always a reader.  Answers
   are written to an end that is open for reading, too.  So it can be opened before
   there is a client, and answers that a client did not read can be removed.

   Descriptors that were inherited are shared with others, and stay as they are: they are
   asked before each read and write whether it would wait.  When the last writer has gone
   there, no other can come.  */

#include "control/control.h"

#include "base/message.h"
#include "control/perf_protocol.h"
#include "control/runner_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
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
static int locked = -1;      /* the user's FIFO, open for nothing but its lock */
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

/* Two profilers would each get a part of the messages.  This program holds a lock, which
   goes with the descriptor.  */
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
       one.st_dev == other.st_dev && one.st_ino == other.st_ino &&
       !S_ISSOCK(one.st_mode)) /* which has two ways */
      message_refuse("%s: commands and answers need a FIFO each", command_path);
}

static void forget_old_answers(void)
{
   char old[4096];
   while (answers_are_old && read(answers, old, sizeof old) > 0)
      continue;
   answers_are_old = false;
}

static bool is_ready(int fd, short what)
{
   struct pollfd asked = {fd, what, 0};
   return poll(&asked, 1, 0) == 1;
}

/* As write(), to a descriptor whose reader may have gone: no signal comes.  */
static ssize_t write_shared(int fd, const void* bytes, size_t size)
{
   const struct timespec at_once = {0, 0};
   sigset_t broken, former;
   sigemptyset(&broken);
   sigaddset(&broken, SIGPIPE);
   pthread_sigmask(SIG_BLOCK, &broken, &former);
   ssize_t written = is_ready(fd, POLLOUT) ? write(fd, bytes, size) : -1;
   if (written < 0 && errno == EPIPE && sigismember(&former, SIGPIPE) == 0)
      sigtimedwait(&broken, NULL, &at_once);
   pthread_sigmask(SIG_SETMASK, &former, NULL);
   return written;
}

static void send_bytes(const void* bytes, size_t size)
{
   if (answers < 0)
      return;
   forget_old_answers();
   ssize_t written = choice == ControlDescriptor ? write_shared(answers, bytes, size)
                                                 : write(answers, bytes, size);
   if (written == (ssize_t)size)
      return;
   if (!answer_was_dropped)
      message_print("%s: nobody reads the answers; what finds no room is dropped",
                    answer_path);
   answer_was_dropped = true;
}

static void open_runner(void)
{
   command_path = RUNNER_COMMANDS;
   answer_path = RUNNER_ANSWERS;
   check_fifo(command_path, true);
   check_fifo(answer_path, true);
   answers = open_fifo(answer_path, O_RDWR);
   answers_are_old = true;
   refuse_other_readers();
   lock(answers, answer_path);
   commands = open_fifo(command_path, O_RDONLY);
}

static void open_fifos(const Options* options)
{
   command_path = options->command_fifo;
   answer_path = options->answer_fifo;
   check_fifo(command_path, false);
   if (answer_path != NULL) {
      check_fifo(answer_path, false);
      answers = open_fifo(answer_path, O_RDWR);
   }
   locked = open_fifo(command_path, O_RDONLY);
   commands = open_fifo(command_path, O_RDONLY);
   refuse_one_for_both();
   lock(locked, command_path);
}

static void take_descriptors(const Options* options)
{
   command_path = "--control=fd";
   answer_path = command_path;
   commands = options->command_descriptor;
   answers = options->answer_descriptor;
   refuse_one_for_both();
}

void control_open(const Options* options, const ControlActions* actions)
{
   choice = options->control;
   switch (choice) {
   case ControlNone: return;
   case ControlRunner: open_runner(); break;
   case ControlFifo: open_fifos(options); break;
   case ControlDescriptor: take_descriptors(options); break;
   }
   if (choice == ControlRunner)
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
   if (choice == ControlDescriptor) {
      commands = -1;
      return;
   }
   int fresh = open_fifo(command_path, O_RDONLY);
   close(commands);
   commands = fresh;
   answers_are_old = answers >= 0;
   clock_gettime(CLOCK_MONOTONIC, &gone_at);
}

/* As read(); -1 if there is nothing now, 0 if nothing can come any more.  */
static ssize_t read_commands(char* bytes, size_t size)
{
   if (choice != ControlDescriptor)
      return read(commands, bytes, size);
   if (!is_ready(commands, POLLIN))
      return -1;
   ssize_t got = read(commands, bytes, size);
   return got < 0 && errno != EAGAIN && errno != EINTR ? 0 : got;
}

void control_handle(void)
{
   char bytes[4096];
   /* Not for ever: the rings must be drained, too.  */
   for (unsigned rounds = 0; rounds < 16 && commands >= 0; rounds++) {
      ssize_t size = read_commands(bytes, sizeof bytes);
      if (size == 0) {
         writers_are_gone();
         return;
      }
      if (size < 0) {
         if (choice != ControlRunner)
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
   if (answers >= 0 && answers != commands)
      close(answers);
   if (locked >= 0)
      close(locked);
   commands = answers = locked = -1;
}
