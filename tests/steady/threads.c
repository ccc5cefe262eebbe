/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads that wait for each other, and write into a log who was first: a mutex that all
   want, a queue with a condition variable, a pipe, opened files, and threads that begin
   and end.  Prints the log.  With the argument "blocked" one thread waits all the time
   for a connection that nobody makes; with "fork" a child does the same as its parent,
   after it.  */

#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { Threads = 6, Rounds = 40, MostLog = 20000 };

static char text[MostLog];
static atomic_int length;

static void note(char what, int who)
{
   const int at = atomic_fetch_add(&length, 2);
   if (at + 2 < MostLog) {
      text[at] = what;
      text[at + 1] = (char)('0' + who);
   }
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int work, done;
static int pipe_ends[2];

static volatile unsigned sink;

static void spend(unsigned turns)
{
   for (unsigned i = 0; i < turns; i++)
      sink += i;
}

static void* worker(void* argument)
{
   const int self = (int)(long)argument;
   char byte = (char)self;
   while (1) {
      pthread_mutex_lock(&lock);
      while (work == 0 && !done)
         pthread_cond_wait(&filled, &lock);
      if (work == 0) {
         pthread_mutex_unlock(&lock);
         return NULL;
      }
      work--;
      note('w', self);
      pthread_mutex_unlock(&lock);
      spend(1000);
      const int file = open("/dev/null", O_WRONLY);
      note('f', file);
      if (write(file, text, 10) != 10 || write(pipe_ends[1], &byte, 1) != 1)
         abort();
      close(file);
   }
}

static void* reader(void* argument)
{
   char byte;
   (void)argument;
   while (read(pipe_ends[0], &byte, 1) == 1 && byte >= 0)
      note('r', byte);
   return NULL;
}

static void* waits_for_ever(void* argument)
{
   const int listening = socket(AF_INET, SOCK_STREAM, 0);
   struct sockaddr_in any = {.sin_family = AF_INET};
   (void)argument;
   if (bind(listening, (struct sockaddr*)&any, sizeof any) != 0 ||
       listen(listening, 1) != 0)
      abort();
   accept(listening, NULL, NULL);
   return NULL;
}

static void run(void)
{
   pthread_t threads[Threads], reading;
   char end = -1;
   work = done = length = 0;
   memset(text, 0, sizeof text);
   if (pipe(pipe_ends) != 0)
      abort();
   pthread_create(&reading, NULL, reader, NULL);
   for (long i = 0; i < Threads; i++)
      pthread_create(&threads[i], NULL, worker, (void*)i);
   for (int i = 0; i < Rounds; i++) {
      pthread_mutex_lock(&lock);
      work += 3;
      note('m', i % 10);
      pthread_cond_broadcast(&filled);
      pthread_mutex_unlock(&lock);
      spend(2000);
   }
   pthread_mutex_lock(&lock);
   done = 1;
   pthread_cond_broadcast(&filled);
   pthread_mutex_unlock(&lock);
   for (int i = 0; i < Threads; i++)
      pthread_join(threads[i], NULL);
   if (write(pipe_ends[1], &end, 1) != 1)
      abort();
   pthread_join(reading, NULL);
   close(pipe_ends[0]);
   close(pipe_ends[1]);
   puts(text);
   fflush(stdout);
}

int main(int count, char** arguments)
{
   pthread_t blocked;
   if (count > 1 && strcmp(arguments[1], "blocked") == 0)
      pthread_create(&blocked, NULL, waits_for_ever, NULL);
   run();
   if (count > 1 && strcmp(arguments[1], "fork") == 0) {
      const pid_t child = fork();
      if (child != 0)
         return waitpid(child, NULL, 0) == child ? 0 : 1;
      run();
   }
   return 0;
}
