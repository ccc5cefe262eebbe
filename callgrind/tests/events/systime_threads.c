/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -pthread
   Threads that wait, each in one system call of the function that it is named after:

      before_futex, before_epoll, before_read
                  from before START until within the measurement
      over_zero   within, from before all costs are set to zero until after
      over_dump   within, from one part to the next
      within      within
      until_off   from within until after STOP
      over_pause  from within over STOP and another START

   Prints for how many nanoseconds at least `within` has waited.
*/

#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

typedef struct {
   void (*wait)(int fd);
   long number; /* of the system call */
   int fd;      /* an eventfd: writing to it ends the wait */
   int polled;  /* what the system call gets as its first argument, if that is not `fd` */
   atomic_int id;
   pthread_t thread;
} Waiter;

static int futex_word;

static inline __attribute__((always_inline)) long call(long number, long first,
                                                       const void* second, long third)
{
   long result;
   register long fourth __asm__("r10") = number == SYS_epoll_wait ? -1 : 0;
   __asm__ volatile("syscall"
                    : "=a"(result)
                    : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth)
                    : "rcx", "r11", "memory");
   return result;
}

static char unused[64];

OPAQUE static void before_futex(int fd)
{
   (void)fd;
   call(SYS_futex, (long)&futex_word, (void*)FUTEX_WAIT, 0);
}

OPAQUE static void before_epoll(int fd) { call(SYS_epoll_wait, fd, unused, 1); }

#define READS(NAME)                                                                      \
   OPAQUE static void NAME(int fd) { call(SYS_read, fd, unused, 8); }
READS(before_read)
READS(over_zero)
READS(within)
READS(over_dump)
READS(until_off)
READS(over_pause)

static void fail(const char* what)
{
   perror(what);
   exit(1);
}

static void* run(void* argument)
{
   Waiter* waiter = argument;
   waiter->id = gettid();
   waiter->wait(waiter->polled);
   return NULL;
}

/* Is the thread in the system call?  */
static int is_waiting(const Waiter* waiter)
{
   char path[64], text[64], expected[64];
   snprintf(path, sizeof path, "/proc/self/task/%d/syscall", waiter->id);
   long argument = waiter->wait == before_futex ? (long)&futex_word : waiter->polled;
   int length =
      snprintf(expected, sizeof expected, "%ld 0x%lx ", waiter->number, argument);
   FILE* file = fopen(path, "r");
   if (file == NULL)
      return 0; /* it has no number yet */
   int is_read = fgets(text, sizeof text, file) != NULL;
   fclose(file);
   return is_read && strncmp(text, expected, (size_t)length) == 0;
}

static void begin(Waiter* waiter, void (*wait)(int fd), long number)
{
   waiter->wait = wait;
   waiter->number = number;
   waiter->polled = waiter->fd = eventfd(0, 0);
   if (number == SYS_epoll_wait) {
      struct epoll_event event = {.events = EPOLLIN};
      waiter->polled = epoll_create1(0);
      if (epoll_ctl(waiter->polled, EPOLL_CTL_ADD, waiter->fd, &event) != 0)
         fail("epoll_ctl");
   }
   if (pthread_create(&waiter->thread, NULL, run, waiter) != 0)
      fail("pthread_create");
   while (!is_waiting(waiter))
      sched_yield();
}

static void end(Waiter* waiter)
{
   static const long one = 1;
   if (waiter->number == SYS_futex) {
      futex_word = 1;
      syscall(SYS_futex, &futex_word, FUTEX_WAKE, 1, NULL, NULL, 0);
   } else if (write(waiter->fd, &one, sizeof one) != sizeof one)
      fail("write");
   pthread_join(waiter->thread, NULL);
}

static long now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(void)
{
   Waiter before[3] = {0}, zeroed = {0}, inside = {0}, dumped = {0}, off = {0},
          pause = {0};
   begin(&before[0], before_futex, SYS_futex);
   begin(&before[1], before_epoll, SYS_epoll_wait);
   begin(&before[2], before_read, SYS_read);
   CALLGRIND_START_INSTRUMENTATION;
   begin(&zeroed, over_zero, SYS_read);
   CALLGRIND_ZERO_STATS;
   end(&zeroed);
   for (int i = 0; i < 3; i++)
      end(&before[i]);
   begin(&dumped, over_dump, SYS_read);
   CALLGRIND_DUMP_STATS;
   end(&dumped);
   begin(&inside, within, SYS_read);
   long since = now();
   for (int i = 0; i < 100; i++)
      leaf();
   long waited = now() - since;
   end(&inside);
   begin(&off, until_off, SYS_read);
   begin(&pause, over_pause, SYS_read);
   CALLGRIND_STOP_INSTRUMENTATION;
   end(&off);
   CALLGRIND_START_INSTRUMENTATION;
   end(&pause);
   CALLGRIND_STOP_INSTRUMENTATION;
   printf("%ld\n", waited);
   return 0;
}
