/* SPDX-License-Identifier: GPL-2.0-or-later

   A table with an entry for each function, found by the function's id.  It grows as
   functions come.  */

#ifndef CALLGRIND_FUNCTION_TABLE_H
#define CALLGRIND_FUNCTION_TABLE_H

#include "guest/symbols.h"

typedef struct {
   const HChar* name; /* of its memory, for the core's statistics */
   SizeT entry_size;  /* in bytes */
   UChar* entries;    /* NULL and 0 at first */
   UInt n_entries;
} FunctionTable;

void function_table_grow(FunctionTable* table, UInt id);

/* The entry of the function with this id, all zero at first.  Valid until the next
   call.  */
static inline void* function_table_at(FunctionTable* table, UInt id)
{
   if (UNLIKELY(id >= table->n_entries))
      function_table_grow(table, id);
   return table->entries + id * table->entry_size;
}

#endif
