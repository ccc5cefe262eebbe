/* SPDX-License-Identifier: GPL-2.0-or-later

   The launcher: a `valgrind` command that runs the installed Valgrind with a tool folder
   of ours, found beside the launcher.  All but --tool=callgrind is the distribution's.

   launcher_paths.h, which make_launcher_paths.sh writes, defines

      LAUNCHER_VALGRIND   the installed launcher
      LAUNCHER_BESIDE     the tool folder as seen from the launcher's own folder, so that
                          an installation can be moved as a whole
      LAUNCHER_OTHERWISE  its absolute path, where the parts were moved apart

   Owns: how a tool folder is handed to the core, namely in VALGRIND_LIB.  The core passes
   that variable on to every program it traces, so children stay in our tool as well.

   A program and no script: a shell opens files, needs a pipe for each word that it works
   out, and prints messages where the working folder is gone.  This opens nothing.  */

#include "launcher_paths.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void refuse(const char* what)
{
   fprintf(stderr, "valgrind (callgrind-exact): %s: %s\n", what, strerror(errno));
   exit(errno == ENOENT ? 127 : 126);
}

/* Puts `left`, `between` and `right` together.  */
static void join(char path[PATH_MAX], const char* left, const char* between,
                 const char* right)
{
   if (snprintf(path, PATH_MAX, "%s%s%s", left, between, right) >= PATH_MAX) {
      errno = ENAMETOOLONG;
      refuse(left);
   }
}

/* Sets `library` to the absolute path of the tool folder, without links: a traced program
   may change its folder before it runs another one.  */
static void find_library(char library[PATH_MAX])
{
   char self[PATH_MAX], path[PATH_MAX];
   struct stat status;
   ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
   char* slash = NULL;
   if (length > 0) {
      self[length] = '\0';
      slash = strrchr(self, '/');
   }
   if (slash != NULL) {
      *slash = '\0';
      join(path, self, "/", LAUNCHER_BESIDE);
      if (realpath(path, library) != NULL && stat(library, &status) == 0 &&
          S_ISDIR(status.st_mode))
         return;
   }
   join(library, LAUNCHER_OTHERWISE, "", "");
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
   join(fresh, link, number, "");
   if (symlink(target, fresh) == 0 && rename(fresh, link) != 0)
      unlink(fresh);
   return leads_to(link, target);
}

/* The core names a library in the tool folder in LD_PRELOAD, where a space or a colon
   ends a name.  Puts a link without them, in the user's cache, in place of such a
   folder.  */
static void avoid_separators(char library[PATH_MAX])
{
   char folder[PATH_MAX], link[PATH_MAX], name[24];
   const char* cache = getenv("XDG_CACHE_HOME");
   const char* home = getenv("HOME");
   if (strpbrk(library, " :") == NULL)
      return;
   if (cache != NULL && cache[0] != '\0')
      join(folder, cache, "/", "callgrind-exact");
   else if (home != NULL && home[0] != '\0')
      join(folder, home, "/.cache/", "callgrind-exact");
   else
      return;
   name_of(name, library);
   join(link, folder, "/", name);
   if (!leads_to(link, library)) {
      make_folders(folder);
      if (!make_link(link, library))
         return;
   }
   join(library, link, "", "");
}

int main(int count, char** arguments)
{
   char library[PATH_MAX];
   char valgrind[] = LAUNCHER_VALGRIND;
   find_library(library);
   avoid_separators(library);
   if (count < 1 || setenv("VALGRIND_LIB", library, 1) != 0)
      refuse("VALGRIND_LIB");
   arguments[0] = valgrind;
   execv(valgrind, arguments);
   refuse(valgrind);
}
