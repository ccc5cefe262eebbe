/* SPDX-License-Identifier: GPL-2.0-or-later

   See file_index.h.  */

#include "translation_cache/file_index.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/*--------------------------------------------------------------------*/
/* Of a file that was read                                             */

const IndexRow* file_index_find(const IndexRow* rows, UInt n, ULong key)
{
   UInt low = 0, high = n;
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      if (rows[middle].key < key)
         low = middle + 1;
      else
         high = middle;
   }
   return low < n && rows[low].key == key ? &rows[low] : NULL;
}

ULong file_index_checksum(ULong start, const IndexRow* rows, UInt n)
{
   for (UInt done = 0; done < n; done += FILE_INDEX_PIECE) {
      UInt piece = n - done < FILE_INDEX_PIECE ? n - done : FILE_INDEX_PIECE;
      start = hash_checksum(start, rows + done, piece * sizeof *rows);
   }
   return start;
}

/*--------------------------------------------------------------------*/
/* Of what is added                                                    */

struct RowChunk {
   RowChunk* next; /* that was filled before */
   UInt n, capacity, n_in_table;
   IndexRow rows[];
};

/* A small file takes little memory; a large one is not asked for in many pieces.  */
#define FIRST_CHUNK 256u
#define LARGEST_CHUNK (1u << 16)

static RowChunk* chunk_with_room(AddedRows* rows)
{
   RowChunk* chunk = rows->chunks;
   if (chunk != NULL && chunk->n < chunk->capacity)
      return chunk;
   UInt capacity = chunk == NULL                     ? FIRST_CHUNK
                   : chunk->capacity < LARGEST_CHUNK ? 2 * chunk->capacity
                                                     : LARGEST_CHUNK;
   chunk = VG_(malloc)("file_index.rows", sizeof *chunk + capacity * sizeof *chunk->rows);
   chunk->next = rows->chunks;
   chunk->n = chunk->n_in_table = 0;
   chunk->capacity = capacity;
   rows->chunks = chunk;
   return chunk;
}

void added_rows_add(AddedRows* rows, IndexRow row)
{
   RowChunk* chunk = chunk_with_room(rows);
   chunk->rows[chunk->n++] = row;
   rows->n++;
}

/* A row whose key is there already takes the other one's place: then both are equal.  */
static void put_into_table(Table* table, RowChunk* chunk)
{
   for (; chunk->n_in_table < chunk->n; chunk->n_in_table++) {
      IndexRow* row = &chunk->rows[chunk->n_in_table];
      IndexRow* before = table_find_only(table, row->key);
      if (before == NULL)
         table_add(table, row->key, row);
      else if (before->at < row->at)
         *before = *row;
   }
}

IndexRow* added_rows_find(AddedRows* rows, ULong key)
{
   for (RowChunk* chunk = rows->chunks; chunk != NULL && chunk->n_in_table < chunk->n;
        chunk = chunk->next)
      put_into_table(&rows->table, chunk);
   return table_find_only(&rows->table, key);
}

void added_rows_free(AddedRows* rows)
{
   if (rows->table.n_cells > 0)
      table_free(&rows->table);
   while (rows->chunks != NULL) {
      RowChunk* next = rows->chunks->next;
      VG_(free)(rows->chunks);
      rows->chunks = next;
   }
   VG_(memset)(rows, 0, sizeof *rows);
}

/*--------------------------------------------------------------------*/
/* Sorting                                                             */

/* Of one key, what was added later comes later: it lies behind.  */
static Bool is_before(const IndexRow* a, const IndexRow* b)
{
   return a->key != b->key ? a->key < b->key : a->at < b->at;
}

static Int compare_rows(const void* one, const void* other)
{
   const IndexRow* a = *(const IndexRow* const*)one;
   const IndexRow* b = *(const IndexRow* const*)other;
   return is_before(a, b) ? -1 : is_before(b, a);
}

/* So few are sorted faster by moving them.  */
#define FEW_ROWS 32

static void sort_few(const IndexRow** rows, UInt n)
{
   for (UInt i = 1; i < n; i++) {
      const IndexRow* row = rows[i];
      UInt at = i;
      for (; at > 0 && is_before(row, rows[at - 1]); at--)
         rows[at] = rows[at - 1];
      rows[at] = row;
   }
}

/* Most keys are checksums, of which the highest bits already say where a row belongs.  */
#define BUCKET_BITS 12
#define N_BUCKETS (1u << BUCKET_BITS)

/* By bucket: where its next row is put.  */
static UInt ends[N_BUCKETS + 1];

static UInt bucket_of(const IndexRow* row)
{
   return (UInt)(row->key >> (64 - BUCKET_BITS));
}

static void count(const AddedRows* rows)
{
   for (const RowChunk* chunk = rows->chunks; chunk != NULL; chunk = chunk->next)
      for (UInt i = 0; i < chunk->n; i++)
         ends[bucket_of(&chunk->rows[i]) + 1]++;
}

static void distribute(const AddedRows* rows, const IndexRow** to)
{
   for (const RowChunk* chunk = rows->chunks; chunk != NULL; chunk = chunk->next)
      for (UInt i = 0; i < chunk->n; i++)
         to[ends[bucket_of(&chunk->rows[i])]++] = &chunk->rows[i];
}

static void sort_buckets(const IndexRow** rows)
{
   UInt begin = 0;
   for (UInt bucket = 0; bucket < N_BUCKETS; bucket++) {
      UInt size = ends[bucket] - begin;
      if (size > FEW_ROWS)
         VG_(ssort)(rows + begin, size, sizeof *rows, compare_rows);
      else
         sort_few(rows + begin, size);
      begin = ends[bucket];
   }
}

/* Leaves the last row of each key; returns how many there are then.  */
static UInt leave_last(const IndexRow** rows, UInt n)
{
   UInt n_left = 0;
   for (UInt i = 0; i < n; i++)
      if (i + 1 == n || rows[i + 1]->key != rows[i]->key)
         rows[n_left++] = rows[i];
   return n_left;
}

const IndexRow** added_rows_sorted(const AddedRows* one, const AddedRows* other, UInt* n)
{
   UInt n_all = one->n + other->n;
   const IndexRow** sorted = VG_(malloc)("file_index.sorted", n_all * sizeof *sorted + 1);
   VG_(memset)(ends, 0, sizeof ends);
   count(one);
   count(other);
   for (UInt bucket = 1; bucket <= N_BUCKETS; bucket++)
      ends[bucket] += ends[bucket - 1];
   distribute(one, sorted);
   distribute(other, sorted);
   sort_buckets(sorted);
   *n = leave_last(sorted, n_all);
   return sorted;
}
