/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Blocks that are allocated and freed while instrumentation is on and while it is off.
*/

#include <stdlib.h>

#include "callgrind.h"

#include "known_cost.h"

static void* volatile held[8];

/* 100 + 50 + 20 + 30 bytes */
OPAQUE void before(void)
{
   held[0] = malloc(100);
   held[1] = malloc(50);
   held[2] = malloc(20);
   held[3] = malloc(30);
}

/* Unseen, but that the first is gone, and the third; the fourth is no more what it was.  */
OPAQUE void meanwhile(void)
{
   free(held[0]);
   held[0] = malloc(1000);
   free(held[2]);
   held[4] = malloc(70);
   held[3] = realloc(held[3], 3000);
}

/* 10 bytes; one block is freed that was seen, and two that were not.  */
OPAQUE void after(void)
{
   held[5] = malloc(10);
   free(held[0]);
   free(held[1]);
   free(held[3]);
}

int main(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   before();
   CALLGRIND_STOP_INSTRUMENTATION;
   meanwhile();
   CALLGRIND_START_INSTRUMENTATION;
   after();
   CALLGRIND_STOP_INSTRUMENTATION;
   held[6] = malloc(10000);
   return 0;
}
