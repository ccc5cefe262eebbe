/* SPDX-License-Identifier: GPL-2.0-or-later

   For a second by the clock, starts a child that sleeps for 100 ms and waits for it:
   natively ten times at most.  */

#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void)
{
   const struct timespec span = {0, 100000000L};
   int rounds = 0;
   for (const long until = now() + 1000000000L; now() < until; rounds++) {
      const pid_t child = fork();
      if (child == 0) {
         nanosleep(&span, NULL);
         _exit(0);
      }
      if (waitpid(child, NULL, 0) != child)
         return 1;
   }
   puts(rounds <= 10 ? "at most ten rounds" : "more rounds");
   return 0;
}
