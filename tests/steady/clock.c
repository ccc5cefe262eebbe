/* SPDX-License-Identifier: GPL-2.0-or-later

   Prints what time it is, and how much of it goes by in each call that sleeps for 20 ms:
   a line each.  With an argument it sleeps by timers as well, of which the system alone
   knows when they end.  */

#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

enum { Milliseconds = 20 };
#define NANOSECONDS (Milliseconds * 1000000L)
/* By timers it is ten times as long: they may not end before they are waited for.  */
#define TIMER_NANOSECONDS (10 * NANOSECONDS)

static const struct timespec span = {0, NANOSECONDS};
static struct timespec until;
static int64_t wanted = NANOSECONDS; /* by soon() */

static int64_t now(clockid_t clock)
{
   struct timespec time;
   clock_gettime(clock, &time);
   return time.tv_sec * 1000000000L + time.tv_nsec;
}

static struct timespec* soon(clockid_t clock)
{
   const int64_t then = now(clock) + wanted;
   until = (struct timespec){then / 1000000000L, then % 1000000000L};
   return &until;
}

static void by_nanosleep(void) { nanosleep(&span, NULL); }
static void by_clock_sleep(void) { clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL); }
static void by_poll(void) { poll(NULL, 0, Milliseconds); }
static void by_ppoll(void) { ppoll(NULL, 0, &span, NULL); }

static void until_up_time(void)
{
   clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, soon(CLOCK_MONOTONIC), NULL);
}

static void until_time_of_day(void)
{
   clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, soon(CLOCK_REALTIME), NULL);
}

static void by_select(void)
{
   struct timeval time = {0, Milliseconds * 1000};
   select(0, NULL, NULL, NULL, &time);
}

static void by_pselect(void) { pselect(0, NULL, NULL, NULL, &span, NULL); }

static void by_epoll(void)
{
   struct epoll_event event;
   const int file = epoll_create1(0);
   epoll_wait(file, &event, 1, Milliseconds);
   close(file);
}

static void by_signal_wait(void)
{
   sigset_t set;
   sigemptyset(&set);
   sigaddset(&set, SIGUSR1);
   sigtimedwait(&set, NULL, &span);
}

static void by_semaphore(void)
{
   sem_t semaphore;
   sem_init(&semaphore, 0, 0);
   if (sem_timedwait(&semaphore, soon(CLOCK_REALTIME)) == 0 || errno != ETIMEDOUT)
      abort();
}

static void by_old_semaphore(void)
{
   struct sembuf take = {0, -1, 0};
   const int set = semget(IPC_PRIVATE, 1, 0600);
   if (semtimedop(set, &take, 1, &span) == 0 || errno != EAGAIN)
      abort();
   semctl(set, 0, IPC_RMID);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void by_condition(clockid_t clock)
{
   pthread_condattr_t attributes;
   pthread_cond_t condition;
   pthread_condattr_init(&attributes);
   pthread_condattr_setclock(&attributes, clock);
   pthread_cond_init(&condition, &attributes);
   pthread_mutex_lock(&lock);
   if (pthread_cond_timedwait(&condition, &lock, soon(clock)) != ETIMEDOUT)
      abort();
   pthread_mutex_unlock(&lock);
}

static void by_condition_of_day(void) { by_condition(CLOCK_REALTIME); }
static void by_condition_up(void) { by_condition(CLOCK_MONOTONIC); }

static sem_t has_waited;

/* Until the other thread has given up: a busy machine may be late with either.  */
static void* hold_lock(void* argument)
{
   (void)argument;
   pthread_mutex_lock(&lock);
   sem_wait(&has_waited);
   pthread_mutex_unlock(&lock);
   return NULL;
}

static void by_mutex(void)
{
   pthread_t thread;
   sem_init(&has_waited, 0, 0);
   pthread_create(&thread, NULL, hold_lock, NULL);
   while (pthread_mutex_trylock(&lock) == 0) {
      pthread_mutex_unlock(&lock);
      sched_yield();
   }
   if (pthread_mutex_timedlock(&lock, soon(CLOCK_REALTIME)) != ETIMEDOUT)
      abort();
   sem_post(&has_waited);
   pthread_join(thread, NULL);
}

/*--------------------------------------------------------------------*/
/* Timers                                                              */

static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
   (void)signal;
   signals++;
}

/* As a loop of events does: nothing is done before its time, whoever says so.  */
static void by_timer_file(int flags)
{
   const int file = timerfd_create(CLOCK_MONOTONIC, 0);
   const int64_t end = now(CLOCK_MONOTONIC) + TIMER_NANOSECONDS;
   uint64_t times;
   while (now(CLOCK_MONOTONIC) < end) {
      const int64_t rest = flags != 0 ? end : end - now(CLOCK_MONOTONIC);
      struct itimerspec timer = {
         .it_value = {rest / 1000000000L, rest > 0 ? rest % 1000000000L : 1}};
      timerfd_settime(file, flags, &timer, NULL);
      if (read(file, &times, sizeof times) != sizeof times)
         abort();
   }
   close(file);
}

static void by_timer_file_for(void) { by_timer_file(0); }
static void by_timer_file_until(void) { by_timer_file(TFD_TIMER_ABSTIME); }

/* A timer that rings again and again; what was missed is told by the second read.  */
static void by_timer_file_again(void)
{
   const int file = timerfd_create(CLOCK_MONOTONIC, 0);
   const struct timespec part = {0, TIMER_NANOSECONDS};
   const struct itimerspec timer = {part, part};
   uint64_t times, all = 0;
   timerfd_settime(file, 0, &timer, NULL);
   for (; all < 3; all += times) {
      if (read(file, &times, sizeof times) != sizeof times)
         abort();
   }
   close(file);
}

static void block(int how)
{
   sigset_t alarm;
   sigemptyset(&alarm);
   sigaddset(&alarm, SIGALRM);
   sigprocmask(how, &alarm, NULL);
}

/* The signal comes here alone.  */
static void until_signal(void)
{
   sigset_t none;
   sigemptyset(&none);
   while (signals == 0)
      sigsuspend(&none);
   signals = 0;
   block(SIG_UNBLOCK);
}

static void by_interval_timer(void)
{
   const struct itimerval timer = {.it_value = {0, TIMER_NANOSECONDS / 1000}};
   block(SIG_BLOCK);
   setitimer(ITIMER_REAL, &timer, NULL);
   until_signal();
}

static void by_alarm(void)
{
   block(SIG_BLOCK);
   alarm(1);
   until_signal();
}

static void by_timer_of_clock(void)
{
   const struct itimerspec timer = {.it_value = {0, TIMER_NANOSECONDS}};
   struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
   timer_t made;
   block(SIG_BLOCK);
   timer_create(CLOCK_MONOTONIC, &event, &made);
   timer_settime(made, 0, &timer, NULL);
   until_signal();
   timer_delete(made);
}

/* The handler runs while the thread waits for a time, and it waits on.  */
static void interrupted(void)
{
   const struct itimerval timer = {.it_value = {0, TIMER_NANOSECONDS / 1000}};
   wanted = 2 * TIMER_NANOSECONDS;
   setitimer(ITIMER_REAL, &timer, NULL);
   by_condition(CLOCK_MONOTONIC);
}

/*--------------------------------------------------------------------*/

static void measure(const char* name, void (*sleep)(void))
{
   const int64_t began = now(CLOCK_MONOTONIC);
   until = (struct timespec){0, 0};
   sleep();
   const int64_t end = now(CLOCK_MONOTONIC);
   printf("%s %" PRId64 "\n", name, end - began);
   if (until.tv_sec > 1000000)
      printf("until %s\n",
             now(CLOCK_REALTIME) >= until.tv_sec * 1000000000L + until.tv_nsec
                ? "over"
                : "not over");
   else if (until.tv_sec > 0)
      printf("until %s\n",
             end >= until.tv_sec * 1000000000L + until.tv_nsec ? "over" : "not over");
}

static void print_clocks(void)
{
   struct timeval day;
   struct rusage usage;
   struct tms used;
   gettimeofday(&day, NULL);
   getrusage(RUSAGE_SELF, &usage);
   printf("time %ld day %ld up %" PRId64 " tai %" PRId64 "\n", (long)time(NULL),
          (long)day.tv_sec, now(CLOCK_MONOTONIC) / 1000000000L,
          now(CLOCK_TAI) / 1000000000L);
   printf("process %" PRId64 " thread %" PRId64 " clock %ld\n",
          now(CLOCK_PROCESS_CPUTIME_ID), now(CLOCK_THREAD_CPUTIME_ID), (long)clock());
   const long ticks = (long)times(&used);
   printf("user %ld system %ld faults %ld ticks %ld used %ld\n",
          (long)usage.ru_utime.tv_usec, (long)usage.ru_stime.tv_usec, usage.ru_minflt,
          ticks, (long)used.tms_utime);
}

int main(int count, char** arguments)
{
   (void)arguments;
   signal(SIGALRM, on_signal);
   print_clocks();
   measure("nothing", print_clocks);
   measure("nanosleep", by_nanosleep);
   measure("clock_nanosleep", by_clock_sleep);
   measure("until_up_time", until_up_time);
   measure("until_time_of_day", until_time_of_day);
   measure("poll", by_poll);
   measure("ppoll", by_ppoll);
   measure("select", by_select);
   measure("pselect", by_pselect);
   measure("epoll", by_epoll);
   measure("sigtimedwait", by_signal_wait);
   measure("sem_timedwait", by_semaphore);
   measure("semtimedop", by_old_semaphore);
   measure("condition_of_day", by_condition_of_day);
   measure("condition_up", by_condition_up);
   if (count > 1) {
      measure("mutex", by_mutex);
      measure("timer_file_for", by_timer_file_for);
      measure("timer_file_until", by_timer_file_until);
      measure("timer_file_again", by_timer_file_again);
      measure("interval_timer", by_interval_timer);
      measure("alarm", by_alarm);
      measure("timer_of_clock", by_timer_of_clock);
      measure("interrupted", interrupted);
   }
   return 0;
}
