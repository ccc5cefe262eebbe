/* SPDX-License-Identifier: GPL-2.0-or-later

   See code_file.h.

   The file is read as a whole, not mapped: somebody else may cut it off.  It is never
   written to: a new one takes its place, and whoever reads the old one goes on with
   that.  */

#include "translation_cache/code_file.h"

#include "base/copy.h"
#include "base/table.h"
#include "translation_cache/cache_folder.h"
#include "write/file_calls.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

/* Numbers are in the host's byte order, which is part of the identity.  All offsets and
   sizes of entries are multiples of ALIGNMENT.  */
#define MAGIC "ctcode\n"
#define FORMAT_VERSION 1
#define ALIGNMENT 8

typedef struct {
   HChar magic[8];
   UInt version;
   UInt n_entries;
   ULong identity[2];
   ULong length;    /* of the whole file */
   ULong index;     /* where it begins, behind the entries */
   ULong index_sum; /* its checksum */
   ULong sum;       /* of the header up to here */
} Header;

/* The index is sorted by key; each key is there once.  */
typedef struct {
   ULong key;
   UInt at; /* in units of ALIGNMENT, from the file's beginning */
   UInt size;
   ULong sum; /* of the entry */
} IndexRow;

typedef struct {
   UChar* bytes; /* NULL: there is no file, or it is of no use */
   SizeT length;
   const IndexRow* index;
   UInt n;
} Contents;

/* An entry that was added.  */
typedef struct Added {
   struct Added* next; /* that was added after this one */
   ULong key;
   ULong sum; /* computed while `bytes` are in the host's cache */
   UInt size;
   Bool is_replaced; /* by one that was added later */
   const UChar* bytes;
} Added;

/* Room for what is added, which is released all at once.  */
typedef struct Chunk {
   struct Chunk* next;
   SizeT used, size; /* of `bytes` */
   UChar bytes[];
} Chunk;

struct CodeFile {
   const HChar* name;
   ULong identity[2];
   Contents contents; /* as it was read */
   Table added;       /* by key */
   Added *first_added, *last_added;
   /* The one that is being filled first.  Entries lie there as they will in the file, one
      behind the other: they are written from there, many at once.  */
   Chunk *entries, *records;
   ULong n_added; /* bytes */
   /* The key that was looked up last, and was not among those that were added.  */
   ULong missing;
   Bool knows_missing;
};

/* Larger ones are not read.  */
#define LARGEST_FILE (1ULL << 30)

/*--------------------------------------------------------------------*/
/* Reading                                                             */

static void release(Contents* contents)
{
   if (contents->bytes != NULL)
      VG_(free)(contents->bytes);
   VG_(memset)(contents, 0, sizeof *contents);
}

/* Is it a file, the user's own, which nobody else may open?  */
static Bool is_ours(const struct vg_stat* status)
{
   return VKI_S_ISREG(status->mode) && status->uid == (UInt)VG_(geteuid)() &&
          (status->mode & 077) == 0;
}

static Bool read_all(Int fd, UChar* bytes, SizeT length)
{
   while (length > 0) {
      UInt n;
      UInt piece = length > (1u << 30) ? 1u << 30 : (UInt)length;
      if (file_read(fd, bytes, piece, &n) != 0 || n == 0)
         return False;
      bytes += n;
      length -= n;
   }
   return True;
}

static Bool index_is_valid(const Contents* contents, const Header* header)
{
   const IndexRow* rows = contents->index;
   for (UInt i = 0; i < contents->n; i++) {
      ULong begin = (ULong)rows[i].at * ALIGNMENT;
      if (begin < sizeof(Header) || begin + rows[i].size > header->index ||
          (i > 0 && rows[i].key <= rows[i - 1].key))
         return False;
   }
   return True;
}

/* Checks all but the entries themselves, and finds the index.  */
static Bool is_valid(Contents* contents, const ULong* identity)
{
   const Header* header = (const Header*)contents->bytes;
   if (contents->length < sizeof *header ||
       VG_(memcmp)(header->magic, MAGIC, sizeof header->magic) != 0 ||
       header->version != FORMAT_VERSION || header->length != contents->length ||
       header->sum != hash_checksum(0, header, offsetof(Header, sum)) ||
       header->identity[0] != identity[0] || header->identity[1] != identity[1])
      return False;
   ULong size = (ULong)header->n_entries * sizeof(IndexRow);
   if (header->index % ALIGNMENT != 0 || header->index < sizeof *header ||
       header->index > header->length || header->length - header->index != size)
      return False;
   contents->index = (const IndexRow*)(contents->bytes + header->index);
   contents->n = header->n_entries;
   return header->index_sum == hash_checksum(0, contents->index, size) &&
          index_is_valid(contents, header);
}

static void read_contents(Contents* contents, Int fd, const ULong* identity)
{
   struct vg_stat status;
   if (VG_(fstat)(fd, &status) != 0 || !is_ours(&status) ||
       status.size < (Long)sizeof(Header) || (ULong)status.size > LARGEST_FILE)
      return;
   contents->length = (SizeT)status.size;
   contents->bytes = VG_(malloc)("code_file.contents", contents->length);
   if (!read_all(fd, contents->bytes, contents->length) || !is_valid(contents, identity))
      release(contents);
}

static void read_file(const CodeFile* file, Int folder, Contents* contents)
{
   Int fd;
   VG_(memset)(contents, 0, sizeof *contents);
   if (folder < 0 || file_open(folder, file->name, False, &fd) != 0)
      return;
   read_contents(contents, fd, file->identity);
   file_close(fd);
}

CodeFile* code_file_open(Int folder, const HChar* name, const ULong* identity)
{
   CodeFile* file = VG_(calloc)("code_file", 1, sizeof *file);
   file->name = name;
   file->identity[0] = identity[0];
   file->identity[1] = identity[1];
   read_file(file, folder, &file->contents);
   return file;
}

/*--------------------------------------------------------------------*/
/* Entries                                                             */

static const IndexRow* find_row(const Contents* contents, ULong key)
{
   UInt low = 0, high = contents->n;
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      if (contents->index[middle].key < key)
         low = middle + 1;
      else
         high = middle;
   }
   return low < contents->n && contents->index[low].key == key ? &contents->index[low]
                                                               : NULL;
}

/* The entry of a row; NULL if it is damaged.  */
static const UChar* bytes_of(const Contents* contents, const IndexRow* row)
{
   const UChar* bytes = contents->bytes + (SizeT)row->at * ALIGNMENT;
   return hash_checksum(row->key, bytes, row->size) == row->sum ? bytes : NULL;
}

static Added* find_added(const CodeFile* file, ULong key)
{
   return table_find_only(&file->added, key);
}

const void* code_file_find(CodeFile* file, ULong key, UInt* size)
{
   const Added* added = find_added(file, key);
   if (added != NULL) {
      *size = added->size;
      return added->bytes;
   }
   file->missing = key;
   file->knows_missing = True;
   const IndexRow* row = find_row(&file->contents, key);
   if (row == NULL)
      return NULL;
   *size = row->size;
   return bytes_of(&file->contents, row);
}

/* A small file takes little memory; a large one is not asked for in many pieces.  */
#define FIRST_CHUNK (16u << 10)
#define LARGEST_CHUNK (4u << 20)

static SizeT rounded(SizeT size) { return VG_ROUNDUP(size, ALIGNMENT); }

/* Room for `size` bytes, which is taken by adding to `used` of the first chunk.  */
static void* room_in(Chunk** chunks, SizeT size)
{
   Chunk* chunk = *chunks;
   if (chunk == NULL || chunk->size - chunk->used < size) {
      SizeT of_chunk = chunk == NULL                 ? FIRST_CHUNK
                       : chunk->size < LARGEST_CHUNK ? 2 * chunk->size
                                                     : LARGEST_CHUNK;
      if (of_chunk < size)
         of_chunk = size;
      chunk = VG_(malloc)("code_file.chunk", sizeof *chunk + of_chunk);
      chunk->next = *chunks;
      chunk->used = 0;
      chunk->size = of_chunk;
      *chunks = chunk;
   }
   return chunk->bytes + chunk->used;
}

static void free_chunks(Chunk** chunks)
{
   while (*chunks != NULL) {
      Chunk* next = (*chunks)->next;
      VG_(free)(*chunks);
      *chunks = next;
   }
}

static void free_added(CodeFile* file)
{
   if (file->first_added != NULL)
      table_free(&file->added);
   free_chunks(&file->entries);
   free_chunks(&file->records);
   file->first_added = file->last_added = NULL;
   file->n_added = 0;
}

void* code_file_room(CodeFile* file, UInt size)
{
   UChar* room = room_in(&file->entries, rounded(size));
   /* What is behind the entry in the file is zero.  */
   if (size > 0)
      VG_(memset)(room + rounded(size) - ALIGNMENT, 0, ALIGNMENT);
   return room;
}

static void replace(CodeFile* file, ULong key)
{
   Bool is_missing = file->knows_missing && key == file->missing;
   Added* before = is_missing ? NULL : find_added(file, key);
   file->knows_missing = False;
   if (before == NULL)
      return;
   table_remove(&file->added, key, before);
   before->is_replaced = True;
   file->n_added -= before->size;
}

void code_file_add_room(CodeFile* file, ULong key, UInt size)
{
   replace(file, key);
   Added* added = room_in(&file->records, sizeof *added);
   file->records->used += sizeof *added;
   added->next = NULL;
   added->key = key;
   added->size = size;
   added->is_replaced = False;
   added->bytes = file->entries->bytes + file->entries->used;
   added->sum = hash_checksum(key, added->bytes, size);
   file->entries->used += rounded(size);
   table_add(&file->added, key, added);
   if (file->last_added != NULL)
      file->last_added->next = added;
   else
      file->first_added = added;
   file->last_added = added;
   file->n_added += size;
}

void code_file_add(CodeFile* file, ULong key, const void* bytes, UInt size)
{
   copy_bytes(code_file_room(file, size), bytes, size);
   code_file_add_room(file, key, size);
}

ULong code_file_n_added(const CodeFile* file) { return file->n_added; }

void code_file_drop_added(CodeFile* file) { free_added(file); }

void code_file_close(CodeFile* file)
{
   free_added(file);
   release(&file->contents);
   VG_(free)(file);
}

/*--------------------------------------------------------------------*/
/* Writing                                                             */

/* A file that is being written: gathers what it holds in pieces.  */
typedef struct {
   Int fd;
   UInt error;
   ULong at; /* how much has been written, or is in `buffer` */
   UInt n_buffered;
   UChar buffer[1 << 16];
   IndexRow* rows;
   UInt n_rows;
} Writing;

static void flush(Writing* w)
{
   if (w->error == 0 && w->n_buffered > 0)
      w->error = file_write(w->fd, (const HChar*)w->buffer, w->n_buffered);
   w->n_buffered = 0;
}

static void write_bytes(Writing* w, const void* bytes, ULong size)
{
   const UChar* from = bytes;
   w->at += size;
   while (size > 0) {
      UInt room = (UInt)sizeof w->buffer - w->n_buffered;
      UInt n = size < room ? (UInt)size : room;
      copy_bytes(w->buffer + w->n_buffered, from, n);
      w->n_buffered += n;
      from += n;
      size -= n;
      if (w->n_buffered == sizeof w->buffer)
         flush(w);
   }
}

/* The same without a copy.  Not by more at once than would be with one: the kernel would
   take larger pages, which it has to find, and which the processor's caches do not
   have.  */
static void write_run(Writing* w, const UChar* bytes, UInt size)
{
   flush(w);
   w->at += size;
   while (size > 0 && w->error == 0) {
      UInt n = size < sizeof w->buffer ? size : (UInt)sizeof w->buffer;
      w->error = file_write(w->fd, (const HChar*)bytes, n);
      bytes += n;
      size -= n;
   }
}

static void add_row(Writing* w, ULong key, ULong at, UInt size, ULong sum)
{
   IndexRow row = {key, (UInt)(at / ALIGNMENT), size, sum};
   w->rows[w->n_rows++] = row;
}

/* What was there before and was not replaced.  */
static void write_before(Writing* w, const CodeFile* file, const Contents* before)
{
   static const UChar zeros[ALIGNMENT];
   for (UInt i = 0; i < before->n; i++) {
      const IndexRow* row = &before->index[i];
      const UChar* bytes = bytes_of(before, row);
      if (bytes == NULL || find_added(file, row->key) != NULL)
         continue;
      add_row(w, row->key, w->at, row->size, row->sum);
      write_bytes(w, bytes, row->size);
      write_bytes(w, zeros, rounded(row->size) - row->size);
   }
}

/* What was added: each run of entries that lie one behind the other in memory.  */
static void write_added(Writing* w, const CodeFile* file)
{
   const UChar* run = NULL;
   UInt n = 0;
   for (const Added* added = file->first_added; added != NULL; added = added->next) {
      if (added->is_replaced)
         continue;
      if (added->bytes != run + n || n > LARGEST_CHUNK) {
         write_run(w, run, n);
         run = added->bytes;
         n = 0;
      }
      add_row(w, added->key, w->at + n, added->size, added->sum);
      n += (UInt)rounded(added->size);
   }
   write_run(w, run, n);
}

static Int compare_rows(const void* one, const void* other)
{
   ULong a = ((const IndexRow*)one)->key, b = ((const IndexRow*)other)->key;
   return a < b ? -1 : a > b;
}

/* So few are sorted faster by moving them.  */
#define FEW_ROWS 32

static void sort_few(IndexRow* rows, UInt n)
{
   for (UInt i = 1; i < n; i++) {
      IndexRow row = rows[i];
      UInt at = i;
      for (; at > 0 && rows[at - 1].key > row.key; at--)
         rows[at] = rows[at - 1];
      rows[at] = row;
   }
}

#define BUCKET_BITS 12

/* Sorts the rows into `sorted`.  Most keys are checksums, of which the highest bits
   already say where a row belongs.  */
static void sort_rows(const IndexRow* rows, UInt n, IndexRow* sorted)
{
   static UInt ends[(1 << BUCKET_BITS) + 1];
   VG_(memset)(ends, 0, sizeof ends);
   for (UInt i = 0; i < n; i++)
      ends[(rows[i].key >> (64 - BUCKET_BITS)) + 1]++;
   for (UInt bucket = 1; bucket <= 1 << BUCKET_BITS; bucket++)
      ends[bucket] += ends[bucket - 1];
   for (UInt i = 0; i < n; i++)
      sorted[ends[rows[i].key >> (64 - BUCKET_BITS)]++] = rows[i];
   UInt begin = 0;
   for (UInt bucket = 0; bucket < 1 << BUCKET_BITS; bucket++) {
      UInt size = ends[bucket] - begin;
      if (size > FEW_ROWS)
         VG_(ssort)(sorted + begin, size, sizeof *sorted, compare_rows);
      else
         sort_few(sorted + begin, size);
      begin = ends[bucket];
   }
}

/* The header is written last: until then the file is not valid.  */
static void write_header(Writing* w, const CodeFile* file, const IndexRow* rows,
                         ULong index)
{
   Header header = {MAGIC,
                    FORMAT_VERSION,
                    w->n_rows,
                    {file->identity[0], file->identity[1]},
                    w->at,
                    index,
                    hash_checksum(0, rows, (SizeT)w->n_rows * sizeof *rows),
                    0};
   header.sum = hash_checksum(0, &header, offsetof(Header, sum));
   if (w->error == 0 && VG_(lseek)(w->fd, 0, VKI_SEEK_SET) != 0)
      w->error = FILE_ERROR_UNKNOWN;
   if (w->error == 0)
      w->error = file_write(w->fd, (const HChar*)&header, sizeof header);
}

static void write_contents(Writing* w, const CodeFile* file, const Contents* before)
{
   static const Header none;
   UInt most = before->n + file->added.n;
   w->rows = VG_(malloc)("code_file.rows", 2 * most * sizeof *w->rows);
   IndexRow* sorted = w->rows + most;
   write_bytes(w, &none, sizeof none);
   write_before(w, file, before);
   write_added(w, file);
   sort_rows(w->rows, w->n_rows, sorted);
   ULong index = w->at;
   write_bytes(w, sorted, (ULong)w->n_rows * sizeof *sorted);
   flush(w);
   write_header(w, file, sorted, index);
   VG_(free)(w->rows);
}

static UInt write_anew(const CodeFile* file, Int folder, const Contents* before)
{
   HChar temporary[64];
   VG_(snprintf)(temporary, sizeof temporary, CACHE_FOLDER_NEW "%016llx", file_random());
   Writing* w = VG_(calloc)("code_file.writing", 1, sizeof *w);
   UInt error = file_create(folder, temporary, &w->fd);
   if (error == 0) {
      write_contents(w, file, before);
      error = w->error;
      UInt closing = file_close(w->fd);
      error = error != 0 ? error : closing;
      if (error == 0)
         error = file_rename(folder, temporary, file->name);
      if (error != 0)
         file_unlink(folder, temporary);
   }
   VG_(free)(w);
   return error;
}

UInt code_file_save(CodeFile* file, Int folder, UInt least_share)
{
   if (file->n_added == 0)
      return 0;
   UInt error = 0;
   if (least_share == 0 || file->n_added * least_share >= file->contents.length) {
      Contents before; /* another process may have written it meanwhile */
      read_file(file, folder, &before);
      error = write_anew(file, folder, &before);
      release(&before);
   }
   code_file_drop_added(file);
   return error;
}
