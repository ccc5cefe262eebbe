/* SPDX-License-Identifier: GPL-2.0-or-later

   Names objects to be skipped, and executes a program:

      add_skips N LENGTH PROGRAM [ARGUMENT]...

   N paths of LENGTH bytes, of which none is there, by CALLGRIND_ADD_OBJ_SKIP.  The
   program is executed by a child, and what it ends with is the status; 126 if it cannot
   be executed.  */

#include "callgrind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int n, char** arguments)
{
   if (n < 4)
      return 2;
   size_t length = (size_t)atol(arguments[2]);
   char* path = malloc(length + 32);
   memset(path, 'x', length);
   path[0] = '/';
   for (int i = 0; i < atoi(arguments[1]); i++) {
      sprintf(path + length - 8, "%08d", i);
      CALLGRIND_ADD_OBJ_SKIP(path);
   }
   free(path);
   if (fork() == 0) {
      execv(arguments[3], arguments + 3);
      _exit(126);
   }
   int status;
   wait(&status);
   return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
