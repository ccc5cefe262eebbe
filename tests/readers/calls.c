/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Costs at every depth of a stack, so that a part may end, and collection be switched, in
   any of its functions.  With an argument also in a thread.
*/

#include <pthread.h>

#define OPAQUE __attribute__((noipa))

static volatile int sum;

OPAQUE static void leaf(int n)
{
   for (int i = 0; i < n; i++)
      sum += i;
}

OPAQUE static void bottom(int n)
{
   leaf(n);
   leaf(2 * n);
   sum++;
}

OPAQUE static void middle(int n)
{
   leaf(n);
   bottom(n);
   leaf(n);
   bottom(n + 1);
   sum++;
}

OPAQUE static void recursive(int depth, int n)
{
   if (depth > 0)
      recursive(depth - 1, n);
   else
      middle(n);
   leaf(n);
}

OPAQUE static void top(int n)
{
   middle(n);
   recursive(3, n);
   sum++;
}

static void* in_thread(void* unused)
{
   top(300);
   sum++;
   return unused;
}

int main(int argc, char** argv)
{
   pthread_t thread;
   (void)argv;
   top(100);
   if (argc > 1) {
      if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
         return 1;
      pthread_join(thread, NULL);
   }
   top(200);
   return 0;
}
