/* SPDX-License-Identifier: GPL-2.0-or-later

   Writing a file safely; see output.h.  */

#include "profile/output.h"

#include "base/memory.h"
#include "base/message.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct Output {
   FILE* file;
   const char* path;
   bool is_direct; /* written under its own name */
   char temporary[PATH_MAX + 32];
};

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

void output_check(const char* path)
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

Output* output_open(const char* path)
{
   struct stat status;
   Output* output = memory_allocate(sizeof *output);
   output->path = path;
   output->is_direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
   snprintf(output->temporary, sizeof output->temporary,
            output->is_direct ? "%s" : "%s.new-%d", path, (int)getpid());
   errno = 0;
   output->file = fopen(output->temporary, "w");
   if (output->file != NULL)
      return output;
   int error = errno;
   free(output);
   errno = error;
   return NULL;
}

FILE* output_file(const Output* output) { return output->file; }

bool output_close(Output* output)
{
   /* Where something could not be written before, errno still says why.  */
   bool good = ferror(output->file) == 0 && fflush(output->file) == 0;
   int error = errno;
   if (fclose(output->file) != 0 && good) {
      error = errno;
      good = false;
   }
   if (good && !output->is_direct && rename(output->temporary, output->path) != 0) {
      error = errno;
      good = false;
   }
   if (!good && !output->is_direct)
      unlink(output->temporary);
   free(output);
   errno = error;
   return good;
}
