/* SPDX-License-Identifier: GPL-2.0-or-later

   count_steps PROGRAM: executes it instruction by instruction, and prints how many they
   were.  Status 2: this system lets nobody do that.  */

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv)
{
   int status;
   long n = 0;
   const pid_t child = argc < 2 ? -1 : fork();
   if (child == 0) {
      if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
         execv(argv[1], argv + 1);
      _exit(127);
   }
   if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
      return 2;
   do {
      if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) != 0 || waitpid(child, &status, 0) < 0)
         return 2;
      n++; /* the last one is the system call that ends it */
   } while (WIFSTOPPED(status));
   printf("%ld\n", n);
   return 0;
}
