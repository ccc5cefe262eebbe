/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   An allocator of the program's own, which may be told anything: pool_get(pool, size)
   and pool_put(pool, block), pool_fit(pool, block, count, size), and
   pool_make(&block, size), whose result is 0 if it has not failed.
*/

#include <stddef.h>

#include "known_cost.h"

static char memory[4096];
static size_t used;

OPAQUE void* pool_get(char* pool, size_t size)
{
   void* block = pool + used;
   used += size + 16;
   return size > 1000 ? NULL : block;
}

OPAQUE void pool_put(char* pool, void* block)
{
   (void)pool;
   (void)block;
   __asm__ volatile("");
}

OPAQUE void* pool_fit(char* pool, void* block, size_t count, size_t size)
{
   pool_put(pool, block);
   return pool_get(pool, count * size);
}

OPAQUE int pool_make(void** block, size_t size)
{
   *block = pool_get(memory, size);
   return *block == NULL;
}

/* 3 blocks of 30 bytes; 2 are freed, one of them twice, and one that is none.  */
OPAQUE void use(void)
{
   char* blocks[3];
   for (int i = 0; i < 3; i++)
      blocks[i] = pool_get(memory, 30);
   pool_put(memory, blocks[0]);
   pool_put(memory, blocks[1]);
   pool_put(memory, blocks[1]);
   pool_put(memory, blocks[2] + 8);
   pool_put(memory, NULL);
   NO_TAIL_CALL;
}

/* 1 block of 10 bytes, which grows by 50, and shrinks; it fails once.  */
OPAQUE void fit(void)
{
   void* block = pool_fit(memory, NULL, 5, 2);
   block = pool_fit(memory, block, 6, 10);
   block = pool_fit(memory, block, 1, 7);
   pool_fit(memory, block, 1001, 1);
   NO_TAIL_CALL;
}

/* 2 blocks of 12 bytes, and once none.  */
OPAQUE void make(void)
{
   void* block;
   pool_make(&block, 12);
   pool_make(&block, 12);
   pool_make(&block, 1200);
   NO_TAIL_CALL;
}

int main(void)
{
   use();
   fit();
   make();
   return 0;
}
