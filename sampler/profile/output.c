/* SPDX-License-Identifier: GPL-2.0-or-later

   Writing a file safely; see output.h.

   The stream that is written to ends in take_bytes(), so that each error of a write is
   seen where it comes about.  */

#include "profile/output.h"

#include "base/memory.h"
#include "base/message.h"
#include "profile/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* How often to try again: where a random name is taken, or a name cannot be removed; and
   where signals interrupt a call.  */
#define MAX_TRIES 10
#define MAX_INTERRUPTIONS 1000

/* How long to wait for the reader of a full pipe, between looks at signals.  */
#define WAIT_MILLISECONDS 100

struct Output {
   FILE* file;
   int fd;
   int error;          /* the first one; 0 if there was none */
   bool has_temporary; /* `fd` is of a file that has the name `temporary` */
   Target target;
   char temporary[40]; /* in the same folder */
};

/* --- Names -------------------------------------------------------------------------- */

char* output_path(const char* name, pid_t pid)
{
   char usual[64], here[PATH_MAX];
   snprintf(usual, sizeof usual, "callgrind.sample.%d", (int)pid);
   const char* path = name != NULL ? name : usual;
   if (path[0] == '/' || getcwd(here, sizeof here) == NULL)
      return memory_copy_text(path);
   char* whole = memory_allocate(strlen(here) + strlen(path) + 2);
   sprintf(whole, "%s/%s", here, path);
   return whole;
}

/* A number that nobody can foresee, as far as the system has some.  */
static unsigned long long random_number(void)
{
   unsigned long long number;
   static unsigned seed;
   if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
      return number;
   seed += (unsigned)getpid();
   return (unsigned)rand_r(&seed);
}

char* output_fallback(pid_t pid, unsigned attempt)
{
   const char* chosen = getenv("TMPDIR");
   const char* folders[] = {chosen != NULL ? chosen : "/tmp", "/tmp", "/var/tmp",
                            getenv("HOME")};
   const char* folder = attempt / 2 < 4 ? folders[attempt / 2] : NULL;
   char* path = NULL;
   if (folder == NULL)
      return NULL;
   int length = attempt % 2 == 0
                   ? asprintf(&path, "%s/callgrind.sample.%d", folder, (int)pid)
                   : asprintf(&path, "%s/callgrind.sample.%d.%016llx", folder, (int)pid,
                              random_number());
   return length >= 0 ? path : NULL;
}

void output_check(const char* path, bool is_named)
{
   Target target;
   int error = target_open(&target, path, is_named);
   if (error == TargetNoStartFolder)
      return; /* it will go elsewhere */
   if (error == EISDIR)
      message_refuse("%s: is a folder; name a file with -o", path);
   if (error == 0 && target.kind == TargetFile &&
       faccessat(target.folder, ".", W_OK, AT_EACCESS) != 0)
      error = errno;
   if (error != 0)
      message_refuse("%s: cannot be written: %s; name another file with -o", path,
                     target_error_text(error));
   target_close(&target);
}

/* --- Writing ------------------------------------------------------------------------ */

/* True if a signal waits that ends programs; the sampler blocks them.  */
static bool is_end_asked(void)
{
   sigset_t waiting;
   return sigpending(&waiting) == 0 &&
          (sigismember(&waiting, SIGHUP) == 1 || sigismember(&waiting, SIGINT) == 1 ||
           sigismember(&waiting, SIGQUIT) == 1 || sigismember(&waiting, SIGTERM) == 1);
}

/* Writes all of it, or sets the error.  */
static void write_all(Output* output, const char* bytes, size_t size)
{
   unsigned interruptions = 0;
   while (size > 0 && output->error == 0) {
      ssize_t written = write(output->fd, bytes, size);
      if (written > 0) {
         bytes += written;
         size -= (size_t)written;
      } else if (written < 0 && errno == EAGAIN) {
         struct pollfd watched = {output->fd, POLLOUT, 0};
         poll(&watched, 1, WAIT_MILLISECONDS);
         output->error = is_end_asked() ? (int)TargetEndAsked : 0;
      } else if (written < 0 && errno == EINTR && ++interruptions < MAX_INTERRUPTIONS) {
         continue;
      } else {
         output->error = written < 0 ? errno : ENOSPC;
      }
   }
}

/* The write function of the stream.  Errors are kept, and not passed on.  */
static ssize_t take_bytes(void* output, const char* bytes, size_t size)
{
   write_all(output, bytes, size);
   return (ssize_t)size;
}

/* --- Opening and closing ------------------------------------------------------------ */

static int create_temporary(Output* output)
{
   for (unsigned tries = 0; tries < MAX_TRIES; tries++) {
      snprintf(output->temporary, sizeof output->temporary, ".callgrind.%016llx.tmp",
               random_number());
      output->fd = target_open_at(output->target.folder, output->temporary,
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
      if (output->fd >= 0 || errno != EEXIST)
         break;
   }
   output->has_temporary = output->fd >= 0;
   return output->fd >= 0 ? 0 : errno;
}

static int open_stream(Output* output)
{
   const Target* target = &output->target;
   signal(SIGPIPE, SIG_IGN);
   output->fd = target->kind == TargetOpenFile
                   ? target_open_at(AT_FDCWD, target->name, O_WRONLY | O_APPEND)
                   : target_open_at(target->folder, target->name, O_WRONLY | O_NOFOLLOW);
   return output->fd >= 0 ? 0 : errno;
}

Output* output_open(const char* path, bool is_named, int* error)
{
   const cookie_io_functions_t functions = {.write = take_bytes};
   Output* output = memory_allocate(sizeof *output);
   output->fd = -1;
   output->error = target_open(&output->target, path, is_named);
   if (output->error == 0)
      output->error = output->target.kind == TargetFile ? create_temporary(output)
                                                        : open_stream(output);
   if (output->error == 0) {
      output->file = fopencookie(output, "w", functions);
      output->error = output->file == NULL ? ENOMEM : 0;
   }
   if (output->error == 0)
      return output;
   *error = output_close(output);
   return NULL;
}

FILE* output_file(const Output* output) { return output->file; }

static void remove_temporary(Output* output)
{
   for (unsigned tries = 0; output->has_temporary && tries < MAX_TRIES; tries++) {
      if (unlinkat(output->target.folder, output->temporary, 0) == 0)
         output->has_temporary = false;
   }
}

static int rename_temporary(Output* output)
{
   const Target* target = &output->target;
   if (renameat(target->folder, output->temporary, target->folder, target->name) != 0)
      return errno;
   output->has_temporary = false;
   return 0;
}

int output_close(Output* output)
{
   if (output->file != NULL)
      fclose(output->file);
   /* An interrupted close is one.  */
   if (output->fd >= 0 && close(output->fd) != 0 && errno != EINTR && output->error == 0)
      output->error = errno;
   if (output->error == 0 && output->has_temporary)
      output->error = rename_temporary(output);
   remove_temporary(output);
   int error = output->error;
   target_close(&output->target);
   free(output);
   return error;
}
