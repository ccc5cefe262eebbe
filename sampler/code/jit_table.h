/* SPDX-License-Identifier: GPL-2.0-or-later

   The names of JIT code in one process, by address and time.  The same memory may hold
   one function after another; code may be moved.  Knows nothing of files.  */

#ifndef SAMPLER_JIT_TABLE_H
#define SAMPLER_JIT_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct JitTable JitTable;

/* An empty table, which lives to the end.  */
JitTable* jit_table_create(void);

/* From `time` on (CLOCK_MONOTONIC, in nanoseconds), `size` bytes at `start` have a name
   of `length` bytes, which is copied.  Ignored if one of the two is 0, the code would
   reach beyond the end of memory, or the table is full.  */
void jit_table_add(JitTable* table, uint64_t start, uint64_t size, uint64_t time,
                   const char* name, size_t length);

/* At `time`, the code that began at `from` was moved to `to`, where it has `size` bytes:
   the name added last for `from` goes with it.  Ignored if there is none.  */
void jit_table_move(JitTable* table, uint64_t from, uint64_t to, uint64_t size,
                    uint64_t time);

/* The name at an address: the last one added that was there at `time`, else the first one
   after; NULL if there is none.  It lives as long as the table.  */
const char* jit_table_find(JitTable* table, uint64_t address, uint64_t time);

#endif
