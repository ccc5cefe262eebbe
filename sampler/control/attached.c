/* SPDX-License-Identifier: GPL-2.0-or-later

   Watching a process that is not ours; see attached.h.  Its folder in /proc is kept open:
   the kernel binds an open folder to the process, not to the number, and finds nothing in
   it once the process is gone.  Unlike a pidfd, all kernels that can sample have it.  */

#include "control/attached.h"

#include "base/process_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int folder = -1; /* /proc/PID */

bool attached_open(pid_t pid)
{
   char path[64];
   snprintf(path, sizeof path, "%s", process_folder((uint32_t)pid).text);
   folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   return folder >= 0 && !attached_has_ended();
}

bool attached_has_ended(void)
{
   char text[1024], state;
   long threads;
   int fd = openat(folder, "stat", O_RDONLY | O_CLOEXEC);
   if (fd < 0)
      return errno == ENOENT || errno == ESRCH;
   ssize_t size = read(fd, text, sizeof text - 1);
   close(fd);
   if (size <= 0)
      return true;
   text[size] = '\0';
   /* "PID (NAME) STATE ...": the name may have parentheses, too.  Field 20, 17 fields
      after the state, is the number of threads.  */
   const char* name_end = strrchr(text, ')');
   if (name_end == NULL ||
       sscanf(name_end + 1,
              " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld",
              &state, &threads) != 2)
      return false;
   /* A main thread that has ended is a zombie for as long as other threads work.  */
   return state == 'X' || (state == 'Z' && threads <= 1);
}
