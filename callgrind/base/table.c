/* SPDX-License-Identifier: GPL-2.0-or-later

   See table.h.  */

#include "base/table.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_mallocfree.h"

#define FIRST_CELLS_BITS 6

/* Puts `record` into a cell that is empty.  */
static void put(Table* table, ULong hash, void* record)
{
   UInt place = table_place(table, hash);
   while (table->cells[place].record != NULL)
      place = table_next_place(table, place);
   table->cells[place] = (TableCell){hash, record};
}

static void grow(Table* table)
{
   TableCell* old = table->cells;
   UInt n_old = table->n_cells;
   table->shift = n_old == 0 ? 64 - FIRST_CELLS_BITS : table->shift - 1;
   tl_assert(table->shift > 32);
   table->n_cells = 1u << (64 - table->shift);
   table->cells = VG_(calloc)("table.cells", table->n_cells, sizeof(TableCell));
   for (UInt i = 0; i < n_old; i++)
      if (old[i].record != NULL)
         put(table, old[i].hash, old[i].record);
   VG_(free)(old);
}

void table_add(Table* table, ULong hash, void* record)
{
   if (table->n >= table->n_cells / 3 * 2)
      grow(table);
   put(table, hash, record);
   table->n++;
}

/* May what is at `place` move to `hole`, which lies before it?  Only if it does not
   belong to a place behind the hole.  */
static Bool may_fill(const Table* table, UInt hole, UInt place)
{
   UInt mask = table->n_cells - 1;
   UInt due = table_place(table, table->cells[place].hash);
   return ((place - due) & mask) >= ((place - hole) & mask);
}

void table_remove(Table* table, ULong hash, const void* record)
{
   UInt hole = table_place(table, hash);
   while (table->cells[hole].record != record) {
      tl_assert(table->cells[hole].record != NULL);
      hole = table_next_place(table, hole);
   }
   for (UInt place = table_next_place(table, hole); table->cells[place].record != NULL;
        place = table_next_place(table, place))
      if (may_fill(table, hole, place)) {
         table->cells[hole] = table->cells[place];
         hole = place;
      }
   table->cells[hole].record = NULL;
   table->n--;
}

void table_free(Table* table)
{
   VG_(free)(table->cells);
   *table = (Table){NULL, 0, 0, 0};
}
