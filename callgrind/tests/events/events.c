/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Functions whose events are known: atomic instructions, and system calls.

      locked       8 atomic instructions, two more that are none
      spin(n)      n atomic instructions
      ask          1 system call
      ask_often(n) n system calls, made by ask
      in_handler   3 atomic instructions by way of spin, and 1 system call by way of ask;
                   raise's system call and the return from the handler are raise's
*/

#define _GNU_SOURCE

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

int number;
__attribute__((aligned(16))) char sixteen_bytes[16];

OPAQUE void locked(void)
{
   __asm__ volatile("lock addl $1,%0\n\t"
                    "xchgl %%eax,%0\n\t"
                    "lock btsl $1,%0\n\t"
                    "lock incl %0\n\t"
                    "xaddl %%eax,%0\n\t"
                    "lock xaddl %%eax,%0\n\t"
                    "lock cmpxchgl %%ecx,%0\n\t"
                    "cmpxchgl %%ecx,%0\n\t"
                    "lock cmpxchg8b %1\n\t"
                    "lock cmpxchg16b %1"
                    : "+m"(number), "+m"(sixteen_bytes)
                    :
                    : "eax", "ecx", "edx", "rbx", "memory", "cc");
}

OPAQUE void spin(int n)
{
   for (int i = 0; i < n; i++)
      __asm__ volatile("lock incl %0" : "+m"(number) : : "cc");
}

/* getppid, not by way of libc.  */
OPAQUE long ask(void)
{
   long result;
   __asm__ volatile("syscall" : "=a"(result) : "0"(110) : "rcx", "r11", "memory");
   return result;
}

OPAQUE void ask_often(int n)
{
   for (int i = 0; i < n; i++)
      ask();
}

OPAQUE void in_handler(int signal)
{
   (void)signal;
   spin(3);
   ask();
   NO_TAIL_CALL;
}

/* tgkill(getpid(), gettid(), SIGUSR1), which the handler interrupts.  */
OPAQUE void send(int pid, int tid)
{
   long result;
   __asm__ volatile("syscall"
                    : "=a"(result)
                    : "0"(234), "D"(pid), "S"(tid), "d"(SIGUSR1)
                    : "rcx", "r11", "memory");
}

OPAQUE void* work(void* unused)
{
   (void)unused;
   usleep(10000);
   ask_often(2);
   spin(10);
   return NULL;
}

OPAQUE void unseen(void)
{
   CALLGRIND_TOGGLE_COLLECT;
   ask_often(5);
   spin(5);
   CALLGRIND_TOGGLE_COLLECT;
   ask();
   NO_TAIL_CALL;
}

OPAQUE void deep(int n)
{
   if (n > 0)
      deep(n - 1);
   else
      spin(1);
   spin(1);
   NO_TAIL_CALL;
}

int main(void)
{
   locked();
   spin(100);
   ask_often(7);
   unseen();
   deep(50);
   signal(SIGUSR1, in_handler);
   int pid = getpid(), tid = gettid();
   send(pid, tid);
   pthread_t thread;
   pthread_create(&thread, NULL, work, NULL);
   pthread_join(thread, NULL);
   return 0;
}
