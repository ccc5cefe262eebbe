/* SPDX-License-Identifier: GPL-2.0-or-later

   Start, signals and end of the program; see program.h.  The child waits at a pipe.  A
   second pipe, which a successful exec closes, says whether exec has failed.  */

#include "control/program.h"

#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int watched[] = {SIGCHLD, SIGHUP,  SIGINT,  SIGQUIT,
                              SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

static pid_t child;
static int gate = -1;   /* a byte written to it lets the child go on */
static int report = -1; /* the errno of exec is read from it; nothing if it succeeded */
static int signals = -1;
static sigset_t former_mask;

int program_watch_signals(void)
{
   sigset_t set;
   sigemptyset(&set);
   for (unsigned i = 0; i < sizeof watched / sizeof watched[0]; i++)
      sigaddset(&set, watched[i]);
   /* An ignored SIGCHLD would take the exit status away.  */
   signal(SIGCHLD, SIG_DFL);
   sigprocmask(SIG_BLOCK, &set, &former_mask);
   signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
   if (signals < 0)
      message_refuse("cannot watch signals: %s", strerror(errno));
   return signals;
}

static _Noreturn void execute(char** command, int wait_at, int tell)
{
   char byte;
   prctl(PR_SET_PDEATHSIG, SIGKILL);
   ssize_t got = read(wait_at, &byte, 1);
   if (got != 1)
      _exit(MESSAGE_STATUS_REFUSED);
   prctl(PR_SET_PDEATHSIG, 0);
   sigprocmask(SIG_SETMASK, &former_mask, NULL);
   execvp(command[0], command);
   int error = errno;
   ssize_t told = write(tell, &error, sizeof error);
   (void)told;
   _exit(error == ENOENT ? 127 : 126);
}

pid_t program_prepare(char** command)
{
   int gates[2], reports[2];
   if (pipe2(gates, O_CLOEXEC) != 0 || pipe2(reports, O_CLOEXEC) != 0)
      message_refuse("cannot make a pipe: %s", strerror(errno));
   child = fork();
   if (child < 0)
      message_refuse("cannot start a process: %s", strerror(errno));
   if (child == 0) {
      close(gates[1]);
      close(reports[0]);
      execute(command, gates[0], reports[1]);
   }
   close(gates[0]);
   close(reports[1]);
   gate = gates[1];
   report = reports[0];
   return child;
}

bool program_release(int* status)
{
   int error = 0;
   ssize_t size;
   ssize_t sent = write(gate, "", 1);
   (void)sent; /* a child that was killed shows as one that ended */
   close(gate);
   do
      size = read(report, &error, sizeof error);
   while (size < 0 && errno == EINTR);
   close(report);
   if (size != (ssize_t)sizeof error)
      return true;
   waitpid(child, status, 0);
   *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 126;
   errno = error;
   return false;
}

void program_drop(void)
{
   int ignored;
   if (child <= 0)
      return;
   kill(child, SIGKILL);
   waitpid(child, &ignored, 0);
}

void program_terminate(bool at_once) { kill(child, at_once ? SIGKILL : SIGTERM); }

bool program_signals(bool attached, int* wait_status)
{
   struct signalfd_siginfo info;
   bool ended = false;
   while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
      int number = (int)info.ssi_signo;
      if (number == SIGCHLD) {
         if (!attached && waitpid(child, wait_status, WNOHANG) == child)
            ended = true;
      } else if (attached) {
         ended = ended || (number != SIGWINCH && number != SIGUSR1 && number != SIGUSR2);
      } else if (info.ssi_code <= 0 && !ended) {
         kill(child, number);
      }
   }
   return ended;
}

void program_end_like(int wait_status)
{
   if (WIFSIGNALED(wait_status)) {
      int number = WTERMSIG(wait_status);
      /* A core file of ours would say nothing about the program.  */
      struct rlimit none = {0, 0};
      setrlimit(RLIMIT_CORE, &none);
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, number);
      signal(number, SIG_DFL);
      sigprocmask(SIG_UNBLOCK, &set, NULL);
      kill(getpid(), number);
      _exit(128 + number);
   }
   _exit(WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1);
}
