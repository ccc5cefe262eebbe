/* SPDX-License-Identifier: GPL-2.0-or-later

   See code_file.h.

   The file is read as a whole, not mapped: somebody else may cut it off.  It is never
   written to: a new one takes its place, and whoever reads the old one goes on with
   that.  */

#include "translation_cache/code_file.h"

#include "base/hash.h"
#include "translation_cache/cache_folder.h"
#include "write/file_calls.h"

#include "pub_tool_hashtable.h"
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

typedef struct {
   VgHashNode node; /* key: its lower bits */
   ULong key;
   ULong sum; /* computed while `bytes` are in the host's cache */
   UInt size;
   UChar* bytes;
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
   VgHashTable* added;
   Chunk* chunks; /* the one that is being filled first */
   ULong n_added; /* bytes */
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
   file->added = VG_(HT_construct)("code_file.added");
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

static Word compare_added(const void* one, const void* other)
{
   return ((const Added*)one)->key != ((const Added*)other)->key;
}

static Added* find_added(const CodeFile* file, ULong key)
{
   Added sought;
   sought.node.key = (UWord)key;
   sought.key = key;
   return VG_(HT_gen_lookup)(file->added, &sought, compare_added);
}

const void* code_file_find(CodeFile* file, ULong key, UInt* size)
{
   if (file->n_added > 0) {
      const Added* added = find_added(file, key);
      if (added != NULL) {
         *size = added->size;
         return added->bytes;
      }
   }
   const IndexRow* row = find_row(&file->contents, key);
   if (row == NULL)
      return NULL;
   *size = row->size;
   return bytes_of(&file->contents, row);
}

#define CHUNK_SIZE (256u << 10)

static void* room_for(CodeFile* file, SizeT size)
{
   size = VG_ROUNDUP(size, ALIGNMENT);
   Chunk* chunk = file->chunks;
   if (chunk == NULL || chunk->size - chunk->used < size) {
      SizeT of_chunk = size > CHUNK_SIZE ? size : CHUNK_SIZE;
      chunk = VG_(malloc)("code_file.chunk", sizeof *chunk + of_chunk);
      chunk->next = file->chunks;
      chunk->used = 0;
      chunk->size = of_chunk;
      file->chunks = chunk;
   }
   void* room = chunk->bytes + chunk->used;
   chunk->used += size;
   return room;
}

static void leave(void* node) { (void)node; /* it goes with its chunk */ }

static void free_added(CodeFile* file)
{
   VG_(HT_destruct)(file->added, leave);
   while (file->chunks != NULL) {
      Chunk* next = file->chunks->next;
      VG_(free)(file->chunks);
      file->chunks = next;
   }
}

void code_file_add(CodeFile* file, ULong key, const void* bytes, UInt size)
{
   Added* added = find_added(file, key);
   if (added == NULL) {
      added = room_for(file, sizeof *added);
      added->node.key = (UWord)key;
      added->key = key;
      VG_(HT_add_node)(file->added, added);
   } else
      file->n_added -= added->size;
   added->size = size;
   added->bytes = room_for(file, size);
   VG_(memcpy)(added->bytes, bytes, size);
   added->sum = hash_checksum(key, bytes, size);
   file->n_added += size;
}

ULong code_file_n_added(const CodeFile* file) { return file->n_added; }

void code_file_drop_added(CodeFile* file)
{
   if (file->n_added == 0)
      return;
   free_added(file);
   file->added = VG_(HT_construct)("code_file.added");
   file->n_added = 0;
}

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
      VG_(memcpy)(w->buffer + w->n_buffered, from, n);
      w->n_buffered += n;
      from += n;
      size -= n;
      if (w->n_buffered == sizeof w->buffer)
         flush(w);
   }
}

static void write_entry(Writing* w, ULong key, const UChar* bytes, UInt size, ULong sum)
{
   static const UChar zeros[ALIGNMENT];
   IndexRow row = {key, (UInt)(w->at / ALIGNMENT), size, sum};
   w->rows[w->n_rows++] = row;
   write_bytes(w, bytes, size);
   write_bytes(w, zeros, (ULong)-size % ALIGNMENT);
}

static Int compare_rows(const void* one, const void* other)
{
   ULong a = ((const IndexRow*)one)->key, b = ((const IndexRow*)other)->key;
   return a < b ? -1 : a > b;
}

/* What was added, and of `before` what was not replaced by that.  */
static void write_entries(Writing* w, const CodeFile* file, const Contents* before)
{
   for (UInt i = 0; i < before->n; i++) {
      const IndexRow* row = &before->index[i];
      const UChar* bytes = bytes_of(before, row);
      if (bytes != NULL && find_added(file, row->key) == NULL)
         write_entry(w, row->key, bytes, row->size, row->sum);
   }
   VG_(HT_ResetIter)(file->added);
   const Added* added;
   while ((added = VG_(HT_Next)(file->added)) != NULL)
      write_entry(w, added->key, added->bytes, added->size, added->sum);
}

/* The header is written last: until then the file is not valid.  */
static void write_header(Writing* w, const CodeFile* file, ULong index)
{
   Header header = {MAGIC,
                    FORMAT_VERSION,
                    w->n_rows,
                    {file->identity[0], file->identity[1]},
                    w->at,
                    index,
                    hash_checksum(0, w->rows, (SizeT)w->n_rows * sizeof(IndexRow)),
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
   w->rows = VG_(malloc)(
      "code_file.rows", (before->n + VG_(HT_count_nodes)(file->added)) * sizeof *w->rows);
   write_bytes(w, &none, sizeof none);
   write_entries(w, file, before);
   VG_(ssort)(w->rows, w->n_rows, sizeof *w->rows, compare_rows);
   ULong index = w->at;
   write_bytes(w, w->rows, (ULong)w->n_rows * sizeof *w->rows);
   flush(w);
   write_header(w, file, index);
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
