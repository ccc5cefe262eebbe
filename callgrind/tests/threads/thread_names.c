/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Threads with names: given by the thread itself, by its creator, more than once, and to
   the process's first thread by another one.  The fourth thread has none, though it has
   inherited one.  Of two that have the number 5 one after the other, each has its own.
   With an argument a child does nothing but leave, which the third thread has forked.
*/

#define _GNU_SOURCE
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_t first;
static int forks;
static pthread_barrier_t all_there;

static void* named_by_its_creator(void* unused)
{
   pthread_barrier_wait(&all_there);
   return unused;
}

static void* names_itself(void* unused)
{
   prctl(PR_SET_NAME, "too early");
   prctl(PR_SET_NAME, (void*)1); /* which fails */
   prctl(PR_SET_NAME, "it\\self and more than fits");
   pthread_setname_np(first, "the first");
   if (forks && fork() == 0)
      _exit(0);
   while (wait(NULL) > 0)
      ;
   pthread_barrier_wait(&all_there);
   return unused;
}

static void* without_name(void* unused)
{
   pthread_barrier_wait(&all_there);
   return unused;
}

static void* alone(void* name)
{
   pthread_setname_np(pthread_self(), name);
   return NULL;
}

int main(int argc, char** argv)
{
   (void)argv;
   pthread_t threads[3], last;
   first = pthread_self();
   forks = argc > 1;
   pthread_barrier_init(&all_there, NULL, 4);
   prctl(PR_SET_NAME, "inherited");
   pthread_create(&threads[0], NULL, named_by_its_creator, NULL);
   pthread_setname_np(threads[0], "from outside");
   pthread_create(&threads[1], NULL, names_itself, NULL);
   pthread_create(&threads[2], NULL, without_name, NULL);
   pthread_create(&last, NULL, alone, "one");
   pthread_join(last, NULL);
   pthread_create(&last, NULL, alone, "other");
   pthread_join(last, NULL);
   pthread_barrier_wait(&all_there);
   for (int i = 0; i < 3; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
