/* SPDX-License-Identifier: GPL-2.0-or-later

   See other_process.h.  */

#include "other_process.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t waiter;
pid_t other;

void need(int holds)
{
   if (!holds) {
      perror("waits");
      abort();
   }
}

int64_t now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int is_asleep(int thread)
{
   char path[64], text[256];
   snprintf(path, sizeof path, "/proc/%d/task/%d/stat", waiter, thread);
   const int file = open(path, O_RDONLY);
   const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
   close(file);
   text[size > 0 ? size : 0] = '\0';
   const char* end = strrchr(text, ')');
   return end != NULL && end[2] == 'S';
}

void pass_time(void)
{
   const struct timespec span = {0, Milliseconds * 1000000L};
   while (!is_asleep(waiter))
      sched_yield();
   nanosleep(&span, NULL);
}

void later(void (*event)(void))
{
   other = fork();
   need(other >= 0);
   if (other != 0)
      return;
   pass_time();
   if (event != NULL)
      event();
   _exit(0);
}

void reap(void) { need(waitpid(other, NULL, 0) == other); }
