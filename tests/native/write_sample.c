/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes a file as the sampler does (sampler/profile/places.h), again and again, with
   faults.  Reads lines from stdin, `PATH FAULT` with FAULT as in faults.h or `none`, and
   does each in a process of its own.  What is said goes to stderr.  Then comes a line on
   stdout, `= CALLS NAME`: the number of calls on files, and the name of the one that
   failed first, or `-`.

   The linker leads the calls here (--wrap).  */

#include "faults.h"

#include "profile/output.h"
#include "profile/places.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than is buffered.  */
#define LINES 20000

int __real_openat(int folder, const char* name, int flags, ...);
ssize_t __real_write(int fd, const void* bytes, size_t size);
int __real_close(int fd);
int __real_renameat(int from, const char* old, int to, const char* new);
int __real_unlinkat(int folder, const char* name, int flags);
ssize_t __real_readlinkat(int folder, const char* name, char* text, size_t size);
int __real_fstat(int fd, struct stat* status);

/* True, with errno, if a call of `name` is to fail.  */
static int fails(const char* name)
{
   int error = fault_of(name);
   if (error > 0)
      errno = error;
   return error > 0;
}

int __wrap_openat(int folder, const char* name, int flags, ...)
{
   va_list arguments;
   va_start(arguments, flags);
   int mode = va_arg(arguments, int);
   va_end(arguments);
   return fails("open") ? -1 : __real_openat(folder, name, flags, mode);
}

ssize_t __wrap_write(int fd, const void* bytes, size_t size)
{
   int error = fd == STDERR_FILENO ? 0 : fault_of("write"); /* messages are no files */
   if (error > 0) {
      errno = error;
      return -1;
   }
   return __real_write(fd, bytes, error == FAULT_SHORT ? 1 : size);
}

/* The kernel closes a file whatever it answers.  */
int __wrap_close(int fd)
{
   int result = __real_close(fd);
   return fails("close") ? -1 : result;
}

int __wrap_renameat(int from, const char* old, int to, const char* new)
{
   return fails("rename") ? -1 : __real_renameat(from, old, to, new);
}

int __wrap_unlinkat(int folder, const char* name, int flags)
{
   return fails("unlink") ? -1 : __real_unlinkat(folder, name, flags);
}

ssize_t __wrap_readlinkat(int folder, const char* name, char* text, size_t size)
{
   return fails("readlink") ? -1 : __real_readlinkat(folder, name, text, size);
}

int __wrap_fstat(int fd, struct stat* status)
{
   return fails("stat") ? -1 : __real_fstat(fd, status);
}

static int write_lines(const char* path, bool is_named, const void* context)
{
   int error;
   Output* output = output_open(path, is_named, &error);
   (void)context;
   if (output == NULL)
      return error;
   for (unsigned i = 0; i < LINES; i++)
      fputs("a line\n", output_file(output));
   return output_close(output);
}

static void write_file(const char* path, const char* fault)
{
   faults_begin(strcmp(fault, "none") == 0 ? NULL : fault);
   places_write(path, true, 1, write_lines, NULL);
   fflush(stderr);
   printf("= %d %s\n", faults_calls(), faults_name()[0] != '\0' ? faults_name() : "-");
   fflush(stdout);
   _exit(0);
}

int main(void)
{
   char path[4096], fault[64];
   while (scanf("%4095s %63s", path, fault) == 2) {
      fflush(stdout);
      pid_t child = fork();
      if (child == 0)
         write_file(path, fault);
      int status = 0;
      waitpid(child, &status, 0);
      if (status != 0)
         printf("= 0 crashed\n");
      fflush(stdout);
   }
   return 0;
}
