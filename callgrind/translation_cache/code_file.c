/* SPDX-License-Identifier: GPL-2.0-or-later

   See code_file.h.

   The file is read as a whole, not mapped: somebody else may cut it off.  It is never
   written to: a new one takes its place, and whoever reads the old one goes on with
   that.

   Numbers are in the host's byte order, which is part of the identity.  All offsets and
   sizes of entries are multiples of 8; what is left of eight bytes is zero.

      offset  size  what
           0     8  "ctcode\n" and a zero
           8     4  version of the format: 3
          12     4  n, the number of entries
          16    16  identity: the tool's build and what else all files depend on
          32     8  hash of the file's own name: which object, where, which options
          40     8  length of the whole file
          48     8  offset of the index, i
          56     8  checksum of the index
          64     8  checksum of the bytes 0 to 63
          72        entries, one behind the other
           i  24 n  the index: a row for each entry, sorted by key, each key once

   A row of the index:

      offset  size  what
           0     8  key
           8     4  offset of the entry in the file, divided by 8
          12     4  size of the entry in bytes
          16     8  checksum of the entry and of the zeros behind it

   Holds: 72 <= offset of an entry, and its end <= i; i + 24 n = length.  Anything else is
   taken for no file.  */

#include "translation_cache/code_file.h"

#include "base/copy.h"
#include "base/hash.h"
#include "base/system_filter.h"
#include "translation_cache/file_index.h"
#include "translation_cache/temporary_file.h"
#include "write/file_calls.h"
#include "write/outside.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"

#include <asm/errno.h>

#define MAGIC "ctcode\n"
#define FORMAT_VERSION 3
#define ALIGNMENT 8

typedef struct {
   HChar magic[8];
   UInt version;
   UInt n_entries;
   ULong identity[2];
   ULong name;      /* a hash of the file's own: for which object, options and so on */
   ULong length;    /* of the whole file */
   ULong index;     /* where it begins, behind the entries */
   ULong index_sum; /* its checksum */
   ULong sum;       /* of the header up to here */
} Header;

_Static_assert(sizeof(Header) == 72 && offsetof(Header, identity) == 16 &&
                  offsetof(Header, index) == 48 && offsetof(Header, sum) == 64 &&
                  sizeof(IndexRow) == 24 && offsetof(IndexRow, sum) == 16,
               "the format is as the tables have it");

typedef struct {
   UChar* bytes; /* NULL: there is no file, or it is of no use */
   SizeT length;
   const IndexRow* index; /* sorted by key; each key is there once */
   UInt n;
} Contents;

struct CodeFile {
   const HChar* name;
   ULong identity[2];
   Bool is_refused;   /* it is there, but may not be used */
   Contents contents; /* as it was read */

   AddedRows added;
   ULong n_added; /* bytes of entries */

   /* What was added lies there as it will in the new file, of which this is the end; its
      first bytes are room for the header.  */
   UChar* buffer;
   SizeT n_buffered, buffer_size;
   TemporaryFile temporary; /* what was written already */
   const HChar* folder;     /* NULL: nothing is written before the file is saved */
   UInt error;              /* of writing; then what is added is lost */
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

static SizeT rounded(SizeT size) { return VG_ROUNDUP(size, ALIGNMENT); }

static Bool index_is_valid(const Contents* contents, const Header* header)
{
   const IndexRow* rows = contents->index;
   for (UInt i = 0; i < contents->n; i++) {
      ULong begin = (ULong)rows[i].at * ALIGNMENT;
      if (begin < sizeof(Header) || begin + rounded(rows[i].size) > header->index ||
          (i > 0 && rows[i].key <= rows[i - 1].key))
         return False;
   }
   return True;
}

/* Checks all but the entries themselves, and finds the index.  What was written under
   another name tells of something else.  */
static Bool is_valid(Contents* contents, const CodeFile* file)
{
   const Header* header = (const Header*)contents->bytes;
   if (contents->length < sizeof *header ||
       VG_(memcmp)(header->magic, MAGIC, sizeof header->magic) != 0 ||
       header->version != FORMAT_VERSION || header->length != contents->length ||
       header->sum != hash_checksum(0, header, offsetof(Header, sum)) ||
       header->identity[0] != file->identity[0] ||
       header->identity[1] != file->identity[1] || header->name != hash_text(file->name))
      return False;
   ULong size = (ULong)header->n_entries * sizeof(IndexRow);
   if (header->index % ALIGNMENT != 0 || header->index < sizeof *header ||
       header->index > header->length || header->length - header->index != size)
      return False;
   contents->index = (const IndexRow*)(contents->bytes + header->index);
   contents->n = header->n_entries;
   return header->index_sum == file_index_checksum(0, contents->index, contents->n) &&
          index_is_valid(contents, header);
}

/* False if it may not be used, whatever is in it.  */
static Bool read_contents(Contents* contents, Int fd, const CodeFile* file)
{
   struct vg_stat status;
   if (VG_(fstat)(fd, &status) != 0 || !is_ours(&status))
      return False;
   if (status.size < (Long)sizeof(Header) || (ULong)status.size > LARGEST_FILE)
      return True;
   contents->length = (SizeT)status.size;
   contents->bytes = VG_(malloc)("code_file.contents", contents->length);
   if (!read_all(fd, contents->bytes, contents->length) || !is_valid(contents, file))
      release(contents);
   return True;
}

/* False if there is a file that may not be used.  */
static Bool read_file(const CodeFile* file, Int folder, Contents* contents)
{
   Int fd;
   VG_(memset)(contents, 0, sizeof *contents);
   UInt error = folder < 0 ? ENOENT : file_open(folder, file->name, False, &fd);
   if (error != 0)
      return error != ELOOP; /* a symbolic link */
   Bool may_be_used = read_contents(contents, fd, file);
   file_close(fd);
   return may_be_used;
}

CodeFile* code_file_open(Int folder, const HChar* name, const ULong* identity)
{
   CodeFile* file = VG_(calloc)("code_file", 1, sizeof *file);
   file->name = name;
   file->identity[0] = identity[0];
   file->identity[1] = identity[1];
   file->is_refused = !read_file(file, folder, &file->contents);
   return file;
}

Bool code_file_is_refused(const CodeFile* file) { return file->is_refused; }

/*--------------------------------------------------------------------*/
/* Entries                                                             */

/* The entry of a row; NULL if it is damaged.  */
static const UChar* bytes_of(const Contents* contents, const IndexRow* row)
{
   const UChar* bytes = contents->bytes + (SizeT)row->at * ALIGNMENT;
   return hash_checksum(row->key, bytes, rounded(row->size)) == row->sum ? bytes : NULL;
}

/* The entry of a row that was added; NULL if it has been written, or is lost.  */
static const UChar* bytes_of_added(const CodeFile* file, const IndexRow* row)
{
   ULong at = (ULong)row->at * ALIGNMENT;
   return file->error != 0 || at < file->temporary.length
             ? NULL
             : file->buffer + (at - file->temporary.length);
}

const void* code_file_find(CodeFile* file, ULong key, UInt* size)
{
   const IndexRow* row = added_rows_find(&file->added, key);
   if (row == NULL)
      return code_file_find_read(file, key, size);
   *size = row->size;
   return bytes_of_added(file, row);
}

const void* code_file_find_read(const CodeFile* file, ULong key, UInt* size)
{
   const IndexRow* row = file_index_find(file->contents.index, file->contents.n, key);
   if (row == NULL)
      return NULL;
   *size = row->size;
   return bytes_of(&file->contents, row);
}

/* So much is written at once while the program runs.  It stays in the host's cache until
   then.  */
#define FULL_BUFFER (1u << 18)
#define FIRST_BUFFER (1u << 14)

/* Makes room for `size` bytes more.  */
static void grow_buffer(CodeFile* file, SizeT size)
{
   if (file->buffer_size == 0)
      file->buffer_size = FIRST_BUFFER;
   while (file->buffer_size < file->n_buffered + size)
      file->buffer_size *= 2;
   file->buffer = VG_(realloc)("code_file.buffer", file->buffer, file->buffer_size);
}

/* Writes what is in the buffer to the temporary file, which is open.  */
static UInt empty_buffer(CodeFile* file, Int fd)
{
   UInt error =
      temporary_file_write(&file->temporary, fd, file->buffer, file->n_buffered);
   file->n_buffered = 0;
   return error;
}

static void write_early(CodeFile* file)
{
   Int folder, fd;
   UInt error = outside_is_left()
                   ? outside_open_folder(VKI_AT_FDCWD, file->folder, &folder)
                   : file_open_real_folder(file->folder, &folder);
   if (error == 0) {
      error = temporary_file_open(&file->temporary, folder, &fd);
      if (error == 0) {
         error = empty_buffer(file, fd);
         UInt closing = file_close(fd);
         error = error != 0 ? error : closing;
      }
      if (error != 0)
         temporary_file_remove(&file->temporary, folder);
      file_close(folder);
   }
   file->n_buffered = 0;
   file->error = error;
}

void* code_file_room(CodeFile* file, UInt size)
{
   SizeT needed = rounded(size);
   if (file->folder != NULL && file->n_buffered + needed > FULL_BUFFER &&
       file->n_buffered > 0 && file->error == 0 && !system_filter_is_on())
      write_early(file);
   Bool is_first = file->buffer == NULL;
   SizeT header = is_first ? sizeof(Header) : 0;
   if (file->buffer_size < file->n_buffered + header + needed)
      grow_buffer(file, header + needed);
   if (is_first) {
      VG_(memset)(file->buffer, 0, header);
      file->n_buffered = header;
   }
   UChar* room = file->buffer + file->n_buffered;
   /* What is behind the entry in the file is zero.  */
   if (size > 0)
      *(ULong*)(room + needed - ALIGNMENT) = 0;
   return room;
}

/* Does the file hold these bytes, undamaged, as the entry with this key?  */
static Bool was_read(const Contents* contents, const IndexRow* wanted, const UChar* bytes)
{
   const IndexRow* row = file_index_find(contents->index, contents->n, wanted->key);
   return row != NULL && row->size == wanted->size && row->sum == wanted->sum &&
          VG_(memcmp)(contents->bytes + (SizeT)row->at * ALIGNMENT, bytes,
                      rounded(row->size)) == 0;
}

/* What the row of the entry will be that has been put into the room.  */
static IndexRow row_of_room(const CodeFile* file, ULong key, UInt size)
{
   ULong at = file->temporary.length + file->n_buffered;
   return (IndexRow){key, (UInt)(at / ALIGNMENT), size,
                     hash_checksum(key, file->buffer + file->n_buffered, rounded(size))};
}

static void take_room(CodeFile* file, UInt size)
{
   file->n_buffered += rounded(size);
   file->n_added += size;
}

Bool code_file_add_new_room(CodeFile* file, ULong key, UInt size)
{
   if (file->error != 0)
      return False;
   const IndexRow new = row_of_room(file, key, size);
   if (was_read(&file->contents, &new, file->buffer + file->n_buffered))
      return False;
   added_rows_add(&file->added, new);
   take_room(file, size);
   return True;
}

Bool code_file_add_room(CodeFile* file, ULong key, UInt size)
{
   IndexRow* row = added_rows_find(&file->added, key);
   if (row == NULL)
      return code_file_add_new_room(file, key, size);
   if (file->error != 0)
      return False;
   const IndexRow new = row_of_room(file, key, size);
   /* What was added and is the same has been written, and was not found therefore.  */
   if (row->size == size && row->sum == new.sum)
      return False;
   file->n_added -= row->size;
   *row = new;
   take_room(file, size);
   return True;
}

void code_file_add(CodeFile* file, ULong key, const void* bytes, UInt size)
{
   copy_bytes(code_file_room(file, size), bytes, size);
   code_file_add_room(file, key, size);
}

void code_file_write_early(CodeFile* file, const HChar* folder) { file->folder = folder; }

ULong code_file_n_added(const CodeFile* file) { return file->n_added; }

void code_file_drop_added(CodeFile* file)
{
   added_rows_free(&file->added);
   if (file->buffer != NULL)
      VG_(free)(file->buffer);
   file->buffer = NULL;
   file->n_buffered = file->buffer_size = 0;
   file->n_added = 0;
   file->error = 0;
   VG_(memset)(&file->temporary, 0, sizeof file->temporary);
}

void code_file_close(CodeFile* file)
{
   code_file_drop_added(file);
   release(&file->contents);
   VG_(free)(file);
}

/*--------------------------------------------------------------------*/
/* Writing                                                             */

/* The file that is being written: gathers what it holds in pieces.  */
typedef struct {
   CodeFile* file;
   Int fd;
   UInt error;
   UInt n_buffered;
   UChar buffer[1 << 16];
   AddedRows kept; /* of what was there before */
} Writing;

static void flush(Writing* w)
{
   if (w->error == 0)
      w->error =
         temporary_file_write(&w->file->temporary, w->fd, w->buffer, w->n_buffered);
   w->n_buffered = 0;
}

static void write_bytes(Writing* w, const void* bytes, ULong size)
{
   const UChar* from = bytes;
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

/* Where the next byte will be in the file.  */
static ULong position(const Writing* w)
{
   return w->file->temporary.length + w->n_buffered;
}

/* What was there before and was not replaced.  */
static void write_before(Writing* w, const Contents* before)
{
   static const UChar zeros[ALIGNMENT];
   for (UInt i = 0; i < before->n; i++) {
      IndexRow row = before->index[i];
      const UChar* bytes = bytes_of(before, &row);
      if (bytes == NULL || added_rows_find(&w->file->added, row.key) != NULL)
         continue;
      row.at = (UInt)(position(w) / ALIGNMENT);
      added_rows_add(&w->kept, row);
      write_bytes(w, bytes, row.size);
      write_bytes(w, zeros, rounded(row.size) - row.size);
   }
}

/* Returns the checksum of the index.  */
static ULong write_index(Writing* w, const IndexRow* const* rows, UInt n)
{
   static IndexRow piece[FILE_INDEX_PIECE];
   ULong sum = 0;
   for (UInt done = 0; done < n; done += FILE_INDEX_PIECE) {
      UInt n_piece = n - done < FILE_INDEX_PIECE ? n - done : FILE_INDEX_PIECE;
      for (UInt i = 0; i < n_piece; i++)
         piece[i] = *rows[done + i];
      sum = file_index_checksum(sum, piece, n_piece);
      write_bytes(w, piece, n_piece * sizeof *piece);
   }
   return sum;
}

/* The header is written last: until then the file is not valid.  */
static void write_header(Writing* w, UInt n_entries, ULong index, ULong index_sum)
{
   const CodeFile* file = w->file;
   Header header = {
      .magic = MAGIC,
      .version = FORMAT_VERSION,
      .n_entries = n_entries,
      .identity = {file->identity[0], file->identity[1]},
      .name = hash_text(file->name),
      .length = position(w),
      .index = index,
      .index_sum = index_sum,
   };
   header.sum = hash_checksum(0, &header, offsetof(Header, sum));
   flush(w);
   if (w->error == 0 && VG_(lseek)(w->fd, 0, VKI_SEEK_SET) != 0)
      w->error = FILE_ERROR_UNKNOWN;
   if (w->error == 0)
      w->error = file_write(w->fd, (const HChar*)&header, sizeof header);
}

static void write_contents(Writing* w, const Contents* before)
{
   w->error = empty_buffer(w->file, w->fd);
   write_before(w, before);
   UInt n;
   const IndexRow** rows = added_rows_sorted(&w->file->added, &w->kept, &n);
   ULong index = position(w);
   ULong sum = write_index(w, rows, n);
   write_header(w, n, index, sum);
   VG_(free)(rows);
   added_rows_free(&w->kept);
}

static UInt write_anew(CodeFile* file, Int folder, const Contents* before)
{
   Writing* w = VG_(calloc)("code_file.writing", 1, sizeof *w);
   w->file = file;
   UInt error = temporary_file_open(&file->temporary, folder, &w->fd);
   if (error == 0) {
      write_contents(w, before);
      UInt closing = file_close(w->fd);
      error = w->error != 0 ? w->error : closing;
   }
   if (error == 0)
      error = temporary_file_rename(&file->temporary, folder, file->name);
   VG_(free)(w);
   return error;
}

UInt code_file_save(CodeFile* file, Int folder, UInt least_share)
{
   UInt error = file->error;
   if (error == 0 && file->n_added > 0 &&
       (least_share == 0 || file->n_added * least_share >= file->contents.length)) {
      Contents before; /* another process may have written it meanwhile */
      (void)read_file(file, folder, &before);
      error = write_anew(file, folder, &before);
      release(&before);
   }
   temporary_file_remove(&file->temporary, folder);
   code_file_drop_added(file);
   return error;
}
