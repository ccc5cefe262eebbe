/* SPDX-License-Identifier: GPL-2.0-or-later

   Growing tables by function; see function_table.h.  */

#include "model/function_table.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define INITIAL_ENTRIES 1024

void function_table_grow(FunctionTable* table, UInt id)
{
   UInt n = table->n_entries == 0 ? INITIAL_ENTRIES : table->n_entries;
   while (n <= id)
      n *= 2;
   table->entries = VG_(realloc)(table->name, table->entries, n * table->entry_size);
   VG_(memset)(table->entries + table->n_entries * table->entry_size, 0,
               (n - table->n_entries) * table->entry_size);
   table->n_entries = n;
}
