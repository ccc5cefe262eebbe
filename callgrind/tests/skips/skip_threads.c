/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -Wl,-z,now -Wl,-rpath,$ORIGIN
   Two threads whose start routine is a library's, which calls the program twice.
*/

#include <pthread.h>

#include "known_cost.h"
#include "skip_library.h"

KNOWN_COST(leaf, 10)

OPAQUE static void work(void)
{
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   pthread_t threads[2];
   for (int i = 0; i < 2; i++)
      pthread_create(&threads[i], NULL, lib_thread, (void*)work);
   for (int i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
   return 0;
}
