/* SPDX-License-Identifier: GPL-2.0-or-later

   A hash table of records that belong to somebody else.  Translation asks several of them
   for each superblock, and most records have left the host's cache by then.  So the table
   has the hashes: a record is read only if its hash is the one that is looked for.  (The
   core's tables read each record on the way, and divide.)

      cells: | hash, record | empty | hash, record | hash, record | ...
               a record is at the place that its hash says, or behind it: no empty cell is
               in between

   The number of cells is a power of two, and at least a third of them is empty.  */

#ifndef CALLGRIND_TABLE_H
#define CALLGRIND_TABLE_H

#include "base/hash.h"

typedef struct {
   ULong hash;
   void* record; /* NULL: empty */
} TableCell;

/* A zeroed one is empty.  */
typedef struct {
   TableCell* cells;
   UInt n;       /* records */
   UInt n_cells; /* 0 before the first record comes */
   UInt shift;   /* a place is the highest bits of a product */
} Table;

/* True if `record` is the one that is looked for.  */
typedef Bool TableQuestion(const void* record, const void* sought);

static inline UInt table_place(const Table* table, ULong hash)
{
   return (UInt)((hash * CHECKSUM_FACTOR) >> table->shift);
}

static inline UInt table_next_place(const Table* table, UInt place)
{
   return (place + 1) & (table->n_cells - 1);
}

/* The record with this hash of which is_same(record, sought) is true; NULL if there is
   none.  */
static inline void* table_find(const Table* table, ULong hash, TableQuestion* is_same,
                               const void* sought)
{
   if (table->n_cells == 0)
      return NULL;
   UInt place = table_place(table, hash);
   for (; table->cells[place].record != NULL; place = table_next_place(table, place))
      if (table->cells[place].hash == hash && is_same(table->cells[place].record, sought))
         return table->cells[place].record;
   return NULL;
}

/* As table_find(), where no two records have one hash.  */
static inline void* table_find_only(const Table* table, ULong hash)
{
   if (table->n_cells == 0)
      return NULL;
   UInt place = table_place(table, hash);
   while (table->cells[place].record != NULL && table->cells[place].hash != hash)
      place = table_next_place(table, place);
   return table->cells[place].record;
}

/* Has the host's cache get the place for a record with this hash, which is going to be
   looked for.  (Where it is not inlined at once, gcc takes it for a function without
   effect, and leaves it out.)  */
static inline __attribute__((always_inline)) void table_prefetch(const Table* table,
                                                                 ULong hash)
{
   if (table->n_cells > 0)
      __builtin_prefetch(&table->cells[table_place(table, hash)]);
}

/* Adds `record`, which is not there.  */
void table_add(Table* table, ULong hash, void* record);

/* Removes `record`, which was added with this hash.  */
void table_remove(Table* table, ULong hash, const void* record);

/* Frees the table's memory; the records stay.  */
void table_free(Table* table);

#endif
