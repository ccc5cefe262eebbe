/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Threads whose instruction counts do not depend on how they are scheduled.

   pthread_join takes a longer way when it has to wait, and a race would decide whether
   it has to.  So main runs no thread beside another, and waits for each one's end itself,
   in one system call, in which nothing is executed however long it takes: the kernel
   writes 0 to a word of the thread's choice, and wakes who waits there, when the thread
   is no more.
*/

#define _GNU_SOURCE

#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define THREADS 3

static NOINLINE long fibonacci(long n)
{
   return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE long sum_of(long n)
{
   long sum = 0;
   for (long i = 0; i < n; i++)
      sum += fibonacci(i % 6);
   return sum;
}

static int is_alive;

static void *work(void *argument)
{
   syscall(SYS_set_tid_address, &is_alive);
   long *cell = argument;
   *cell = sum_of(*cell);
   return NULL;
}

/* Not by way of libc, which looks at the result: it tells whether the end came first.  */
static void wait_for_end(void)
{
   long result;
   register const void *no_limit __asm__("r10") = NULL;
   __asm__ volatile("syscall"
                    : "=a"(result)
                    : "0"((long)SYS_futex), "D"(&is_alive), "S"((long)FUTEX_WAIT),
                      "d"(1L), "r"(no_limit)
                    : "rcx", "r11", "memory");
}

int main(void)
{
   long cells[THREADS] = {40, 60, 80};
   pthread_attr_t detached;
   pthread_attr_init(&detached);
   pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
   for (int i = 0; i < THREADS; i++) {
      pthread_t thread;
      is_alive = 1;
      if (pthread_create(&thread, &detached, work, &cells[i]) != 0)
         return EXIT_FAILURE;
      wait_for_end();
   }
   printf("%ld %ld %ld %ld\n", cells[0], cells[1], cells[2], sum_of(100));
   return EXIT_SUCCESS;
}
