/* SPDX-License-Identifier: GPL-2.0-or-later

   The tool folder of a launcher; see tool_folder.h.  */

#include "tool_folder.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Noreturn void launcher_refuse(const char* what)
{
   fprintf(stderr, "valgrind (callgrind-exact): %s: %s\n", what, strerror(errno));
   exit(errno == ENOENT ? 127 : 126);
}

void join_path(char path[PATH_MAX], const char* left, const char* between,
               const char* right)
{
   if (snprintf(path, PATH_MAX, "%s%s%s", left, between, right) >= PATH_MAX) {
      errno = ENAMETOOLONG;
      launcher_refuse(left);
   }
}

int launcher_file(char self[PATH_MAX])
{
   ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
   if (length <= 0)
      return 0;
   self[length] = '\0';
   return self[0] == '/';
}

int tool_folder_beside(char folder[PATH_MAX], const char* beside)
{
   char self[PATH_MAX], path[PATH_MAX];
   struct stat status;
   if (!launcher_file(self))
      return 0;
   *strrchr(self, '/') = '\0';
   join_path(path, self, "/", beside);
   return realpath(path, folder) != NULL && stat(folder, &status) == 0 &&
          S_ISDIR(status.st_mode);
}

/* --- A tool folder whose name the core cannot take ---------------------------------- */

/* A name for `text` that no other text is likely to have: FNV-1a.  */
static void name_of(char name[24], const char* text)
{
   uint64_t hash = 14695981039346656037u;
   for (const char* at = text; *at != '\0'; at++)
      hash = (hash ^ (unsigned char)*at) * 1099511628211u;
   snprintf(name, 24, "%016llx", (unsigned long long)hash);
}

/* Makes the folder `path` and those above it; what is there already stays.  */
static void make_folders(const char* path)
{
   char part[PATH_MAX];
   for (const char* at = path + 1; at[-1] != '\0'; at++) {
      if (*at == '/' || *at == '\0') {
         snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
         mkdir(part, 0700);
      }
   }
}

static int leads_to(const char* link, const char* target)
{
   char found[PATH_MAX];
   ssize_t length = readlink(link, found, sizeof found - 1);
   return length == (ssize_t)strlen(target) && memcmp(found, target, (size_t)length) == 0;
}

/* Makes the symbolic link at once, in place of one that leads elsewhere.  */
static int make_link(const char* link, const char* target)
{
   char fresh[PATH_MAX], number[24];
   snprintf(number, sizeof number, ".%ld", (long)getpid());
   join_path(fresh, link, number, "");
   if (symlink(target, fresh) == 0 && rename(fresh, link) != 0)
      unlink(fresh);
   return leads_to(link, target);
}

/* Sets `link` to a link in `folder` that leads to `target`, and that has no separator in
   its path.  0 if there can be none.  */
static int link_in(char link[PATH_MAX], const char* folder, const char* target)
{
   char name[24];
   name_of(name, target);
   join_path(link, folder, "/", name);
   return strpbrk(link, " :") == NULL &&
          (leads_to(link, target) || make_link(link, target));
}

/* The folder below /tmp where nobody else can put a link: others may have made it before,
   and then it is not used.  */
static int make_temporary_folder(char folder[PATH_MAX])
{
   struct stat status;
   snprintf(folder, PATH_MAX, "/tmp/callgrind-exact-%lu", (unsigned long)geteuid());
   mkdir(folder, 0700);
   return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
          status.st_uid == geteuid() && (status.st_mode & 022) == 0;
}

/* The core names a library in the tool folder in LD_PRELOAD, where a space or a colon
   ends a name.  */
static int link_without_separators(char link[PATH_MAX], const char* target)
{
   char folder[PATH_MAX];
   const char* cache = getenv("XDG_CACHE_HOME");
   const char* home = getenv("HOME");
   if (cache != NULL && cache[0] != '\0')
      join_path(folder, cache, "/", "callgrind-exact");
   else if (home != NULL && home[0] != '\0')
      join_path(folder, home, "/.cache/", "callgrind-exact");
   else
      folder[0] = '\0';
   if (folder[0] == '/') {
      make_folders(folder);
      if (link_in(link, folder, target))
         return 1;
   }
   return make_temporary_folder(folder) && link_in(link, folder, target);
}

void hand_tool_folder_over(const char* folder)
{
   char link[PATH_MAX];
   if (strpbrk(folder, " :") != NULL && link_without_separators(link, folder))
      folder = link;
   if (setenv("VALGRIND_LIB", folder, 1) != 0)
      launcher_refuse("VALGRIND_LIB");
}
