/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Each function allocates and frees what its name says, so that it is known what is its
   own: the C library's allocators, in all ways in which they are asked, also in vain.
*/

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "callgrind.h"

#include "known_cost.h"

static void* volatile kept[64];

/* 10 blocks of 100 bytes, all freed.  */
OPAQUE void allocate(void)
{
   for (int i = 0; i < 10; i++)
      kept[i] = malloc(100);
   for (int i = 0; i < 10; i++)
      free(kept[i]);
   free(NULL);
}

/* 1 block, of 10 bytes; it grows by 990 and by 200.  */
OPAQUE void resize(void)
{
   void* block = realloc(NULL, 10);
   block = realloc(block, 1000);
   block = realloc(block, 500);
   block = reallocarray(block, 7, 100);
   free(block);
}

/* 91 bytes.  */
OPAQUE void clear(void) { kept[0] = calloc(7, 13); }

/* 128 + 1000 + 50 + 10 bytes.  */
OPAQUE void align(void)
{
   void* block;
   kept[0] = aligned_alloc(64, 128);
   if (posix_memalign(&block, 256, 1000) == 0)
      kept[1] = block;
   kept[2] = memalign(32, 50);
   kept[3] = valloc(10);
   for (int i = 0; i < 4; i++)
      free(kept[i]);
}

/* Nothing, three times; the last is freed.  */
OPAQUE void allocate_nothing(void)
{
   kept[0] = malloc(0);
   kept[1] = calloc(0, 8);
   kept[2] = malloc(1);
   kept[2] = realloc(kept[2], 0);
}

static volatile size_t too_much = PTRDIFF_MAX - 100;

/* 1 block of 5 bytes, which stays what it is.  */
OPAQUE void fail(void)
{
   void* block = NULL;
   kept[0] = malloc(too_much);
   kept[1] = calloc(too_much, too_much);
   if (posix_memalign(&block, 3, 10) == EINVAL)
      kept[2] = aligned_alloc(16, too_much);
   kept[3] = malloc(5);
   kept[4] = realloc(kept[3], too_much);
   kept[5] = reallocarray(kept[3], too_much, too_much);
   free(kept[3]);
}

/* strdup() allocates 9 bytes; they are freed here.  */
OPAQUE void copy_text(void)
{
   kept[0] = strdup("eight of");
   free(kept[0]);
}

/* 30 bytes, by a jump.  */
OPAQUE void* jump(size_t size) { return malloc(size); }
OPAQUE void jump_to_free(void* block) { free(block); }

OPAQUE void by_jumps(void)
{
   kept[0] = jump(30);
   jump_to_free(kept[0]);
}

/* 2 blocks at each level, of 8 bytes and of 1, which is not freed.  */
OPAQUE void recurse(int levels)
{
   kept[levels] = malloc(8);
   if (levels > 1)
      recurse(levels - 1);
   free(kept[levels]);
   kept[0] = malloc(1);
}

/* Not counted, but for what happens before.  */
OPAQUE void unseen(void)
{
   kept[0] = malloc(40);
   CALLGRIND_TOGGLE_COLLECT;
   free(kept[0]);
   kept[1] = malloc(50);
   CALLGRIND_TOGGLE_COLLECT;
   free(kept[1]);
}

int main(void)
{
   allocate();
   resize();
   clear();
   align();
   allocate_nothing();
   fail();
   copy_text();
   by_jumps();
   recurse(5);
   unseen();
   return 0;
}
