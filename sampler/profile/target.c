/* SPDX-License-Identifier: GPL-2.0-or-later

   See target.h.  The last component of the path is looked at by itself.  If it is a link
   to be followed, the folder that its text names takes the place of the open one, and the
   last component of that text is looked at next.  */

#include "profile/target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel follows as many.  */
#define MAX_LINKS 40

#define MAX_INTERRUPTIONS 1000

static bool begins_with(const char* text, const char* start)
{
   return strncmp(text, start, strlen(start)) == 0;
}

/* Whether `path` leads to a file that some process has open.  Its links have texts that
   are no paths.  */
static bool is_open_file(const char* path)
{
   return begins_with(path, "/proc/") || begins_with(path, "/dev/fd/") ||
          strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0;
}

int target_open_at(int folder, const char* name, int flags)
{
   int fd;
   unsigned tries = 0;
   flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
   do
      fd = openat(folder, name, flags, 0600);
   while (fd < 0 && errno == EINTR && ++tries < MAX_INTERRUPTIONS);
   return fd;
}

void target_close(Target* target)
{
   if (target->folder >= 0)
      close(target->folder);
   target->folder = -1;
}

/* Opens the folder of `path`, which starts in the target's folder if it is relative, and
   takes both over.  */
static int enter(Target* target, const char* path)
{
   char folder_path[PATH_MAX];
   const char* slash = strrchr(path, '/');
   const char* name = slash == NULL ? path : slash + 1;
   size_t size = (size_t)(name - path);
   memcpy(folder_path, path, size);
   strcpy(folder_path + size, size == 0 ? "." : "");
   int folder = target_open_at(target->folder, folder_path, O_PATH | O_DIRECTORY);
   if (folder < 0)
      return errno;
   target_close(target);
   target->folder = folder;
   strcpy(target->name, name);
   return name[0] == '\0' ? EISDIR : 0;
}

/* Sets the kind of what is there.  If it is a link, sets `text` to that of the same
   link.  */
static int look_at(Target* target, struct stat* status, char* text)
{
   int fd = target_open_at(target->folder, target->name, O_PATH | O_NOFOLLOW);
   if (fd < 0)
      return errno;
   int error = 0;
   if (fstat(fd, status) != 0)
      error = errno;
   else if (S_ISLNK(status->st_mode)) {
      ssize_t length = readlinkat(fd, "", text, PATH_MAX);
      error = length < 0 ? errno : length >= PATH_MAX ? ENAMETOOLONG : 0;
      if (error == 0)
         text[length] = '\0';
   }
   close(fd);
   return error;
}

/* Looks at what is there, and whether it may be written to.  Sets *is_link if it is to be
   followed.  */
static int look(Target* target, bool is_named, bool is_linked, bool* is_link, char* text)
{
   struct stat status;
   *is_link = false;
   target->kind = TargetFile;
   int error = look_at(target, &status, text);
   if (error != 0)
      return error == ENOENT ? 0 : error;
   bool is_file = S_ISREG(status.st_mode);
   if (S_ISDIR(status.st_mode))
      return EISDIR;
   if (!is_named || (is_file && !is_linked))
      return 0;
   *is_link = S_ISLNK(status.st_mode);
   if (status.st_uid != 0 && status.st_uid != geteuid())
      return *is_link ? TargetForeignLink : TargetForeignFile;
   if (!*is_link && !is_file)
      target->kind = TargetStream;
   return 0;
}

static int follow(Target* target, const char* path, bool is_named)
{
   char text[PATH_MAX];
   bool is_link = true;
   int error = 0;
   strcpy(text, path);
   for (unsigned links = 0; is_link && error == 0; links++) {
      if (is_named && is_open_file(text)) {
         target_close(target);
         target->kind = TargetOpenFile;
         strcpy(target->name, text);
         return 0;
      }
      error = links > MAX_LINKS ? ELOOP : enter(target, text);
      if (error == 0)
         error = look(target, is_named, links > 0, &is_link, text);
   }
   return error;
}

int target_open(Target* target, const char* path, bool is_named)
{
   target->folder = -1;
   if (path[0] != '/')
      return TargetNoStartFolder;
   if (strlen(path) >= PATH_MAX)
      return ENAMETOOLONG;
   int error = follow(target, path, is_named);
   if (error != 0)
      target_close(target);
   return error;
}

const char* target_error_text(int error)
{
   switch (error) {
   case TargetNoStartFolder: return "the folder of the start is gone";
   case TargetForeignLink: return "it is another user's symbolic link";
   case TargetForeignFile: return "it is another user's";
   case TargetEndAsked: return "nobody reads it, and this program is to end";
   case ENXIO:
   case EPIPE: return "nobody reads it";
   default: return strerror(error);
   }
}
