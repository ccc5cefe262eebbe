/* SPDX-License-Identifier: GPL-2.0-or-later

   See launcher_version.h.  Relies on config.h, that of the tool.  */

#include "launcher_version.h"

#include "config.h"
#include "core_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL_OPTION "--tool="

#define TEXT(value) #value
#define PART(condition, part, without) {TEXT(condition), part, without},

static const struct {
   const char* is_there; /* "1", or the name of what configure has not defined */
   const char* part;
   const char* without;
} parts[] = {CORE_PARTS(PART)};

static int is_one_of(const char* word, const char* one, const char* other)
{
   return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

/* Options end at the first word that is none, or behind `--`.  */
static int asks_for_version(char** words)
{
   int version = 0, verbose = 0;
   for (; *words != NULL && **words == '-' && strcmp(*words, "--") != 0; words++) {
      version |= strcmp(*words, "--version") == 0;
      verbose |= is_one_of(*words, "-v", "--verbose");
      if (strncmp(*words, TOOL_OPTION, strlen(TOOL_OPTION)) == 0 &&
          strcmp(*words + strlen(TOOL_OPTION), "callgrind") != 0)
         return 0;
   }
   return version && verbose;
}

static void print_parts(void)
{
   printf("callgrind-exact %s, with the core of Valgrind %s, %s\n", CT_VERSION,
          CORE_VERSION, CORE_PLATFORM);
   for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
      if (strcmp(parts[i].is_there, "1") == 0)
         printf("core %s: %s: yes\n", CORE_VERSION, parts[i].part);
      else
         printf("core %s: %s: no, %s\n", CORE_VERSION, parts[i].part, parts[i].without);
}

void launcher_add_to_version(char** words)
{
   int status;
   pid_t child = asks_for_version(words) ? fork() : -1;
   if (child <= 0)
      return;
   if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
      exit(1);
   if (WEXITSTATUS(status) == 0)
      print_parts();
   exit(fflush(stdout) == 0 ? WEXITSTATUS(status) : 1);
}
