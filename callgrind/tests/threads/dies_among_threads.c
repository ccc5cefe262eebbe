/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Ends while there are threads in several states.  Each thread has called leaf once, and
   called the function of its state, in which it is.  The arguments say who ends the
   process, how, and which states there are; without that, seven of them:

      main         the first thread
      thread       another one
      alone        another one, when the first thread has ended

      segv fpe bus ill trap    by a fault: no memory there, a division by zero, a file's
                               end, no such instruction, a breakpoint
      blocked      by a fault whose signal is blocked
      handler      by a fault in a signal handler
      overflow     by running out of stack
      abort term   by a signal that it sends: to itself, or to the process
      others       by one that another thread gets: one in a system call, if there is one
      pipe         by writing to a pipe that nobody reads
      alarm        by a timer
      size         by writing a file beyond the limit
      time         by running beyond the limit of processor time
      hardtime     by running beyond the hard limit, which is SIGKILL
      kill tkill tgkill queue queuethread pidfd killgroup
                   by sending itself SIGKILL
      seccomp seccompthread seccomptrap
                   by a system call that a filter forbids; the second one ends its thread
                   alone, if there are others
      exit         by _exit(5)
      return       by exit(4)
      exec         by executing another program, which ends with status 6
      noexec       by _exit(3), having failed to execute one
      vfork        by _exit(2), as a child of vfork has died of a fault

      running yielding making handling    run, give way, make threads, handle a signal
      reading writing waiting joining conditioned locked sleeping polling epolling
      sigwaiting accepting parent         wait: in a system call each
      none                                there are none  */

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

static sem_t is_there, never;
static int no_data[2];
static pthread_t target; /* the last of them that waits in a system call, or any */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t free_one = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_met = PTHREAD_COND_INITIALIZER;

OPAQUE static void arrive(void)
{
   leaf();
   sem_post(&is_there);
}

OPAQUE static void* running(void* unused)
{
   arrive();
   for (volatile unsigned i = 0;; i++)
      ;
   return unused;
}

OPAQUE static void* yielding(void* unused)
{
   arrive();
   for (;;)
      sched_yield();
   return unused;
}

OPAQUE static void* reading(void* unused)
{
   char byte;
   arrive();
   while (read(no_data[0], &byte, 1) != 1)
      ;
   return unused;
}

OPAQUE static void* waiting(void* unused)
{
   arrive();
   sem_wait(&never);
   return unused;
}

OPAQUE static void* sleeping(void* unused)
{
   const struct timespec long_time = {1000000, 0};
   arrive();
   for (;;)
      nanosleep(&long_time, NULL);
   return unused;
}

OPAQUE static void handle(int signal)
{
   (void)signal;
   arrive();
   for (;;)
      pause();
}

OPAQUE static void* handling(void* unused)
{
   raise(SIGUSR1);
   return unused;
}

OPAQUE static void* short_lived(void* unused) { return unused; }

OPAQUE static void* making(void* unused)
{
   arrive();
   for (;;) {
      pthread_t thread;
      if (pthread_create(&thread, NULL, short_lived, NULL) == 0)
         pthread_join(thread, NULL);
   }
   return unused;
}

OPAQUE static void* writing(void* unused)
{
   static char much[1 << 20];
   int full[2];
   if (pipe(full) != 0)
      exit(2);
   arrive();
   while (write(full[1], much, sizeof much) != 0)
      ;
   return unused;
}

OPAQUE static void* waiting_in_silence(void* unused)
{
   sem_wait(&never);
   return unused;
}

OPAQUE static void* joining(void* unused)
{
   pthread_t thread;
   pthread_create(&thread, NULL, waiting_in_silence, NULL);
   arrive();
   pthread_join(thread, NULL);
   return unused;
}

OPAQUE static void* conditioned(void* unused)
{
   pthread_mutex_lock(&free_one);
   arrive();
   for (;;)
      pthread_cond_wait(&never_met, &free_one);
   return unused;
}

OPAQUE static void* locked(void* unused)
{
   arrive();
   pthread_mutex_lock(&held);
   return unused;
}

OPAQUE static void* polling(void* unused)
{
   struct pollfd waited = {.fd = no_data[0], .events = POLLIN};
   arrive();
   while (poll(&waited, 1, -1) != 1)
      ;
   return unused;
}

OPAQUE static void* epolling(void* unused)
{
   struct epoll_event event = {.events = EPOLLIN};
   const int set = epoll_create1(0);
   epoll_ctl(set, EPOLL_CTL_ADD, no_data[0], &event);
   arrive();
   while (epoll_wait(set, &event, 1, -1) != 1)
      ;
   return unused;
}

OPAQUE static void* sigwaiting(void* unused)
{
   sigset_t set;
   int number;
   sigemptyset(&set);
   sigaddset(&set, SIGUSR2);
   pthread_sigmask(SIG_BLOCK, &set, NULL);
   arrive();
   sigwait(&set, &number);
   return unused;
}

OPAQUE static void* accepting(void* unused)
{
   const struct sockaddr_un unnamed = {.sun_family = AF_UNIX};
   const int server = socket(AF_UNIX, SOCK_STREAM, 0);
   bind(server, (const struct sockaddr*)&unnamed, sizeof unnamed.sun_family);
   listen(server, 1);
   arrive();
   while (accept(server, NULL, NULL) < 0)
      ;
   return unused;
}

/* The child ends when this process does.  */
OPAQUE static void* parent(void* unused)
{
   int until_end[2];
   char byte;
   if (pipe(until_end) != 0)
      exit(2);
   const pid_t child = fork();
   if (child == 0) {
      close(until_end[1]);
      while (read(until_end[0], &byte, 1) < 0)
         ;
      _exit(0);
   }
   arrive();
   while (waitpid(child, NULL, 0) < 0)
      ;
   return unused;
}

OPAQUE static int overflow(int depth)
{
   volatile char room[4096];
   room[0] = (char)depth;
   return overflow(depth + 1) + room[0];
}

static void read_behind_end(void)
{
   FILE* file = tmpfile();
   volatile char* map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
   (void)*map;
}

static void divide(void)
{
#if defined(__aarch64__)
   raise(SIGFPE); /* where a division gives 0 */
#else
   volatile int zero = 0;
   zero = 12345 / zero;
#endif
}

static void fault(void) { *(volatile int*)0x58 = 1; }

OPAQUE static void fault_in_handler(int signal)
{
   (void)signal;
   fault();
}

static void write_to_nobody(void)
{
   int ends[2];
   if (pipe(ends) == 0 && close(ends[0]) == 0 && write(ends[1], "", 1) != 1)
      pause();
}

static void limit(int which, rlim_t soft, rlim_t hard)
{
   const struct rlimit given = {soft, hard};
   setrlimit(which, &given);
}

static void write_too_much(void)
{
   const int file = fileno(tmpfile());
   limit(RLIMIT_FSIZE, 10, RLIM_INFINITY);
   while (write(file, "0123456789", 10) == 10)
      ;
}

static void run_too_long(int is_hard)
{
   struct timespec used;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
   limit(RLIMIT_CPU, (rlim_t)used.tv_sec + 1,
         is_hard ? (rlim_t)used.tv_sec + 1 : RLIM_INFINITY);
   for (volatile unsigned i = 0;; i++)
      ;
}

static void have_timer_end_it(void)
{
   const struct itimerspec soon = {.it_value = {0, 1000}};
   timer_t timer;
   timer_create(CLOCK_MONOTONIC, NULL, &timer);
   timer_settime(timer, 0, &soon, NULL);
}

/* Forbids getppid to this thread.  */
static void filter(unsigned action)
{
   struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
   };
   struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
   prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
   prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
   getppid();
}

static void end_by_child(void)
{
   int status = 0;
   const pid_t child = vfork();
   if (child == 0) {
      fault();
      _exit(0);
   }
   waitpid(child, &status, 0);
   _exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? 2 : 9);
}

/* Sends itself SIGKILL.  */
static void kill_itself(const char* how)
{
   siginfo_t info = {.si_code = SI_QUEUE};
   const pid_t own = getpid();
   const long thread = syscall(SYS_gettid);
   if (strcmp(how, "kill") == 0)
      kill(own, SIGKILL);
   else if (strcmp(how, "tkill") == 0)
      syscall(SYS_tkill, thread, SIGKILL);
   else if (strcmp(how, "tgkill") == 0)
      syscall(SYS_tgkill, own, thread, SIGKILL);
   else if (strcmp(how, "queue") == 0)
      syscall(SYS_rt_sigqueueinfo, own, SIGKILL, &info);
   else if (strcmp(how, "queuethread") == 0)
      syscall(SYS_rt_tgsigqueueinfo, own, thread, SIGKILL, &info);
   else if (strcmp(how, "killgroup") == 0) {
      setpgid(0, 0);
      kill(0, SIGKILL);
   } else if (strcmp(how, "pidfd") == 0) {
      const long process = syscall(434 /* pidfd_open */, own, 0);
      if (process < 0 || syscall(424 /* pidfd_send_signal */, process, SIGKILL, NULL, 0))
         kill(own, SIGKILL);
   }
}

static void block_and_fault(void)
{
   sigset_t set;
   sigemptyset(&set);
   sigaddset(&set, SIGSEGV);
   pthread_sigmask(SIG_BLOCK, &set, NULL);
   fault();
}

static void trap(void)
{
#if defined(__aarch64__)
   __asm__ volatile("brk #0");
#else
   __asm__ volatile("int3");
#endif
}

/* As a fault, or as a signal that comes to a thread.  */
static void end_by_signal(const char* how)
{
   if (strcmp(how, "segv") == 0)
      fault();
   else if (strcmp(how, "fpe") == 0)
      divide();
   else if (strcmp(how, "bus") == 0)
      read_behind_end();
   else if (strcmp(how, "ill") == 0)
      __builtin_trap();
   else if (strcmp(how, "trap") == 0)
      trap();
   else if (strcmp(how, "blocked") == 0)
      block_and_fault();
   else if (strcmp(how, "handler") == 0) {
      signal(SIGUSR2, fault_in_handler);
      raise(SIGUSR2);
   } else if (strcmp(how, "overflow") == 0)
      overflow(0);
   else if (strcmp(how, "abort") == 0)
      abort();
   else if (strcmp(how, "term") == 0)
      kill(getpid(), SIGTERM);
   else if (strcmp(how, "others") == 0)
      pthread_kill(target, SIGTERM);
   else if (strcmp(how, "pipe") == 0)
      write_to_nobody();
   else if (strcmp(how, "alarm") == 0)
      have_timer_end_it();
   else if (strcmp(how, "size") == 0)
      write_too_much();
   else if (strcmp(how, "time") == 0 || strcmp(how, "hardtime") == 0)
      run_too_long(how[0] == 'h');
}

OPAQUE static void end(const char* how)
{
   leaf();
   end_by_signal(how);
   kill_itself(how);
   if (strncmp(how, "seccomp", 7) == 0)
      filter(how[7] == '\0'                 ? SECCOMP_RET_KILL_PROCESS
             : strcmp(how + 7, "trap") == 0 ? SECCOMP_RET_TRAP
                                            : SECCOMP_RET_KILL_THREAD);
   else if (strcmp(how, "exit") == 0)
      _exit(5);
   else if (strcmp(how, "return") == 0)
      exit(4);
   else if (strcmp(how, "exec") == 0)
      execl("/bin/sh", "sh", "-c", "exit 6", (char*)NULL);
   else if (strcmp(how, "noexec") == 0)
      _exit(execl("/nowhere", "nowhere", (char*)NULL) < 0 ? 3 : 0);
   else if (strcmp(how, "vfork") == 0)
      end_by_child();
   for (;;) /* the signal comes at any moment */
      pause();
}

/* Of the thread that makes it end; the first one, in case that it ends itself.  */
static pthread_t first;

OPAQUE static void* ending(void* how)
{
   end(how);
   return NULL;
}

OPAQUE static void* ending_alone(void* how)
{
   pthread_join(first, NULL);
   if (pthread_equal(target, first)) /* there are no others */
      target = pthread_self();
   end(how);
   return NULL;
}

typedef struct {
   const char* name;
   void* (*function)(void*);
   int is_target; /* in a system call, where a signal can end it */
} State;

static const State states[] = {
   {"running", running, 0},     {"yielding", yielding, 0},
   {"reading", reading, 1},     {"waiting", waiting, 1},
   {"sleeping", sleeping, 1},   {"handling", handling, 1},
   {"making", making, 0},       {"writing", writing, 1},
   {"joining", joining, 1},     {"conditioned", conditioned, 1},
   {"locked", locked, 1},       {"polling", polling, 1},
   {"epolling", epolling, 1},   {"sigwaiting", sigwaiting, 1},
   {"accepting", accepting, 1}, {"parent", parent, 1},
};
#define N_STATES (sizeof states / sizeof *states)
#define N_USUAL 7

static void begin(const State* state)
{
   pthread_t thread;
   if (pthread_create(&thread, NULL, state->function, NULL) != 0)
      exit(2);
   if (state->is_target || pthread_equal(target, first))
      target = thread;
   while (sem_wait(&is_there) != 0)
      ;
}

static void begin_named(const char* name)
{
   for (size_t i = 0; i < N_STATES; i++)
      if (strcmp(states[i].name, name) == 0)
         begin(&states[i]);
}

int main(int argc, char** argv)
{
   pthread_t thread;
   if (argc < 3)
      return 2;
   limit(RLIMIT_CORE, 0, 0);
   signal(SIGUSR1, handle);
   sem_init(&is_there, 0, 0);
   sem_init(&never, 0, 0);
   pthread_mutex_lock(&held);
   target = first = pthread_self();
   if (pipe(no_data) != 0)
      return 2;
   for (int i = 3; i < argc; i++)
      begin_named(argv[i]);
   for (int i = 0; argc == 3 && i < N_USUAL; i++)
      begin(&states[i]);
   if (strcmp(argv[1], "main") == 0)
      end(argv[2]);
   const int is_alone = strcmp(argv[1], "alone") == 0;
   pthread_create(&thread, NULL, is_alone ? ending_alone : ending, argv[2]);
   if (is_alone)
      pthread_exit(NULL);
   pthread_join(thread, NULL);
   return 0;
}
