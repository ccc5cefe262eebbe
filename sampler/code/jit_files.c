/* SPDX-License-Identifier: GPL-2.0-or-later

   See jit_files.h.  */

#include "code/jit_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAP_FOLDER "/tmp"

/* No clock ticks less often, in nanoseconds.  */
#define TICK 10000000

static int64_t start_time;

void jit_files_set_start(int64_t time) { start_time = time; }

static int64_t nanoseconds(struct timespec time)
{
   return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* When a file was last written, by CLOCK_MONOTONIC.  */
static int64_t written_at(const struct stat* status)
{
   struct timespec real, monotonic;
   clock_gettime(CLOCK_MONOTONIC, &monotonic);
   clock_gettime(CLOCK_REALTIME, &real);
   return nanoseconds(status->st_mtim) - nanoseconds(real) + nanoseconds(monotonic);
}

/* The times of files are those of the clock's last tick.  */
static bool was_written_by(const JitOwner* owner, const struct stat* status)
{
   int64_t written = written_at(status);
   return status->st_mtime >= start_time &&
          (owner->began == 0 || written + TICK >= (int64_t)owner->began) &&
          (owner->ended == 0 || written <= (int64_t)owner->ended);
}

bool jit_files_is_of_owner(const JitOwner* owner, int fd)
{
   struct stat status;
   return fstat(fd, &status) == 0 && was_written_by(owner, &status);
}

/* Gives an open file back if it may be the program's; else closes it, and returns -1.  */
static int checked(const JitOwner* owner, int fd)
{
   struct stat status;
   if (fd < 0)
      return -1;
   if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
       (status.st_uid == geteuid() || (int64_t)status.st_uid == owner->view.user) &&
       was_written_by(owner, &status))
      return fd;
   close(fd);
   return -1;
}

#define FILE_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)

int jit_files_open_dump(JitOwner* owner, const char* path)
{
   process_view_refresh(&owner->view);
   return checked(owner, process_view_open(&owner->view, path, FILE_FLAGS));
}

/* --- Perf maps ---------------------------------------------------------------------- */

static bool is_map(const char* name)
{
   unsigned number;
   int end = 0;
   return sscanf(name, "perf-%u.map%n", &number, &end) == 1 && end != 0 &&
          name[end] == '\0';
}

/* The perf map that was last written between the program's beginning and its end; -1 if
   there are several, or none.  */
static int open_only_map(const JitOwner* owner)
{
   int found = -1;
   unsigned count = 0;
   if (owner->began == 0 || owner->exited == 0)
      return -1;
   int folder = process_view_open(&owner->view, MAP_FOLDER, O_RDONLY | O_DIRECTORY);
   DIR* entries = folder >= 0 ? fdopendir(folder) : NULL;
   if (entries == NULL) {
      if (folder >= 0)
         close(folder);
      return -1;
   }
   for (struct dirent* entry; count < 2 && (entry = readdir(entries)) != NULL;) {
      struct stat status;
      int fd = is_map(entry->d_name)
                  ? checked(owner, openat(folder, entry->d_name, FILE_FLAGS))
                  : -1;
      if (fd < 0)
         continue;
      if (fstat(fd, &status) != 0 || written_at(&status) > (int64_t)owner->exited ||
          ++count > 1)
         close(fd);
      else
         found = fd;
   }
   closedir(entries);
   if (count > 1 && found >= 0) {
      close(found);
      found = -1;
   }
   return found;
}

int jit_files_open_map(JitOwner* owner)
{
   char path[64];
   int fd = -1;
   process_view_refresh(&owner->view);
   if (owner->view.inner_pid != 0) {
      snprintf(path, sizeof path, MAP_FOLDER "/perf-%u.map", owner->view.inner_pid);
      fd = checked(owner, process_view_open(&owner->view, path, FILE_FLAGS));
   }
   return fd < 0 && !owner->view.is_seen ? open_only_map(owner) : fd;
}
