/* SPDX-License-Identifier: GPL-2.0-or-later

   The index of a file of code: a row for each of its entries, by their keys.

   A file that was read has it as an array, sorted by key.  What is added to a file gets
   its rows in the order in which it comes:

      AddedRows: chunk (being filled) -> chunk (full, half as large) -> ...

   Most of what a run adds is new, and nobody asks for it before the file is saved.  So a
   new row is only put behind the others.  A table of them is made, or made complete, when
   a key is looked for.  */

#ifndef CALLGRIND_FILE_INDEX_H
#define CALLGRIND_FILE_INDEX_H

#include "base/table.h"

typedef struct {
   ULong key;
   UInt at; /* in units of the file's alignment, from its beginning */
   UInt size;
   ULong sum; /* of the entry, and of the zeros up to the next one */
} IndexRow;

/* The row with this key among `n` sorted ones; NULL if there is none.  */
const IndexRow* file_index_find(const IndexRow* rows, UInt n, ULong key);

/* The checksum of so many rows, of which `start` is that of the rows before them.  It is
   the same in whatever pieces it is computed, if all but the last have a multiple of
   FILE_INDEX_PIECE.  */
ULong file_index_checksum(ULong start, const IndexRow* rows, UInt n);
#define FILE_INDEX_PIECE 1024u

typedef struct RowChunk RowChunk;

/* A zeroed one is empty.  */
typedef struct {
   RowChunk* chunks; /* the one that is being filled first */
   UInt n;
   Table table; /* by key; without the rows that came since it was last asked */
} AddedRows;

/* Adds a row.  Of several with one key the last one counts.  */
void added_rows_add(AddedRows* rows, IndexRow row);

/* The row that counts for this key; NULL if there is none.  Its key may not be
   changed.  */
IndexRow* added_rows_find(AddedRows* rows, ULong key);

/* The rows of both, sorted by key, of each key the one that counts.  No key may be in
   both.  *n is how many there are.  The array is the caller's, the rows are not.  */
const IndexRow** added_rows_sorted(const AddedRows* one, const AddedRows* other, UInt* n);

/* Frees all rows.  None are there then.  */
void added_rows_free(AddedRows* rows);

#endif
