/* SPDX-License-Identifier: GPL-2.0-or-later

   See stored_lines.h.

   An entry of the file is a page of the object's code, by its number: its rows, one for
   each address that was asked for, and the paths of the source files that they name.
   So what two runs add at the same time is lost only where they add to one page.  A file
   has one entry more, a mark, so that it is there even without a page.  */

#include "lines/stored_lines.h"

#include "translation_cache/cache_folder.h"
#include "translation_cache/identity.h"
#include "translation_cache/translation_cache.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#define PAGE_BITS 12
#define PAGE_SIZE (1u << PAGE_BITS)
#define MARK_KEY (~0ULL)

typedef struct {
   UShort offset; /* of the address in the page */
   UShort file;   /* 0: not known; otherwise 1 + its number in the page */
   UInt line;
} Row;

/* An entry of the file.  Behind it: the rows, by offset; the paths, each with a NUL.  */
typedef struct {
   UInt n_rows, n_files;
} Stored;

/* A source file is interned only when it is asked for: the profile numbers them in that
   order.  */
typedef struct {
   const HChar* path;
   SourceFile* file; /* NULL: not yet */
} PageFile;

typedef struct {
   VgHashNode node; /* key: the page's number */
   UInt n_rows, row_capacity;
   UInt n_files, file_capacity;
   Row* rows; /* in the order in which they came */
   PageFile* files;
   Bool has_more;            /* than the cache's file */
   UShort row_at[PAGE_SIZE]; /* by offset: 1 + the number of its row; 0: none */
} Page;

struct StoredLines {
   VgHashNode node; /* key: its name */
   CodeFile* file;
   Bool was_there;
   VgHashTable* pages;
   Page* last; /* found; NULL: none */
   HChar file_name[CACHE_FOLDER_NAME];
};

static VgHashTable* all; /* NULL: none yet */

/*--------------------------------------------------------------------*/
/* Pages                                                               */

static UInt add_file(Page* page, const HChar* path, SourceFile* file)
{
   if (page->n_files == page->file_capacity) {
      page->file_capacity = page->file_capacity == 0 ? 4 : 2 * page->file_capacity;
      page->files = VG_(realloc)("stored_lines.files", page->files,
                                 page->file_capacity * sizeof *page->files);
   }
   PageFile added = {path, file};
   page->files[page->n_files] = added;
   return ++page->n_files;
}

/* The rows from an entry of `size` bytes; False if it is not one.  */
static Bool read_rows(Page* page, const Stored* stored, UInt size)
{
   if (stored->n_rows > PAGE_SIZE || size - sizeof *stored < stored->n_rows * sizeof(Row))
      return False;
   const Row* rows = (const Row*)(stored + 1);
   for (UInt i = 0; i < stored->n_rows; i++)
      if (rows[i].offset >= PAGE_SIZE || rows[i].file > stored->n_files ||
          (i > 0 && rows[i].offset <= rows[i - 1].offset))
         return False;
   for (UInt i = 0; i < stored->n_rows; i++)
      page->row_at[rows[i].offset] = (UShort)(i + 1);
   page->n_rows = page->row_capacity = stored->n_rows;
   page->rows = VG_(malloc)("stored_lines.rows", (page->n_rows + 1) * sizeof *rows);
   VG_(memcpy)(page->rows, rows, page->n_rows * sizeof *rows);
   return True;
}

static Bool read_files(Page* page, UInt n_files, const HChar* at, const HChar* end)
{
   for (UInt i = 0; i < n_files; i++) {
      const HChar* path = at;
      while (at < end && *at != '\0')
         at++;
      if (at == end)
         return False;
      at++;
      add_file(page, VG_(strdup)("stored_lines.path", path), NULL);
   }
   return True;
}

static void forget_rows(Page* page)
{
   VG_(memset)(page->row_at, 0, sizeof page->row_at);
   page->n_rows = 0;
}

/* Fills a new page with what the file has for it.  */
static void read_page(const StoredLines* lines, Page* page)
{
   UInt size;
   const Stored* stored = code_file_find(lines->file, page->node.key, &size);
   if (stored == NULL || size < sizeof *stored || !read_rows(page, stored, size))
      return;
   const HChar* paths = (const HChar*)((const Row*)(stored + 1) + stored->n_rows);
   if (!read_files(page, stored->n_files, paths, (const HChar*)stored + size))
      forget_rows(page);
}

static Page* page_of(StoredLines* lines, Addr address)
{
   UWord number = address >> PAGE_BITS;
   if (lines->last != NULL && lines->last->node.key == number)
      return lines->last;
   Page* page = VG_(HT_lookup)(lines->pages, number);
   if (page == NULL) {
      page = VG_(calloc)("stored_lines.page", 1, sizeof *page);
      page->node.key = number;
      read_page(lines, page);
      VG_(HT_add_node)(lines->pages, page);
   }
   lines->last = page;
   return page;
}

Bool stored_lines_find(StoredLines* lines, Addr address, SourceLine* line)
{
   Page* page = page_of(lines, address);
   UInt number = page->row_at[address & (PAGE_SIZE - 1)];
   if (number == 0)
      return False;
   const Row* row = &page->rows[number - 1];
   line->line = row->line;
   line->inlined = NULL;
   if (row->file == 0) {
      line->file = symbols_no_file();
      return True;
   }
   PageFile* file = &page->files[row->file - 1];
   if (file->file == NULL)
      file->file = symbols_intern_file(file->path);
   line->file = file->file;
   return True;
}

static UInt file_number(Page* page, SourceFile* file)
{
   if (!symbols_is_file(file))
      return 0;
   for (UInt i = 0; i < page->n_files; i++)
      if (page->files[i].file == file)
         return i + 1;
   /* Those that the cache's file names, and that nobody has asked for yet.  */
   for (UInt i = 0; i < page->n_files; i++)
      if (page->files[i].file == NULL &&
          VG_(strcmp)(page->files[i].path, file->path) == 0) {
         page->files[i].file = file;
         return i + 1;
      }
   return add_file(page, file->path, file);
}

void stored_lines_add(StoredLines* lines, Addr address, const SourceLine* line)
{
   Page* page = page_of(lines, address);
   UInt offset = address & (PAGE_SIZE - 1);
   Row row = {(UShort)offset, (UShort)file_number(page, line->file), line->line};
   page->has_more = True;
   if (page->row_at[offset] != 0) {
      page->rows[page->row_at[offset] - 1] = row;
      return;
   }
   if (page->n_rows >= page->row_capacity) {
      page->row_capacity = page->row_capacity < 16 ? 32 : 2 * page->row_capacity;
      page->rows = VG_(realloc)("stored_lines.rows", page->rows,
                                page->row_capacity * sizeof *page->rows);
   }
   page->rows[page->n_rows++] = row;
   page->row_at[offset] = (UShort)page->n_rows;
}

/*--------------------------------------------------------------------*/
/* Files                                                               */

static void add_mark(StoredLines* lines)
{
   static const ULong mark = MARK_KEY;
   code_file_add(lines->file, MARK_KEY, &mark, sizeof mark);
}

StoredLines* stored_lines_of(ULong name)
{
   ULong identity[2];
   UInt size;
   if (!translation_cache_is_open() || !identity_of_build(identity))
      return NULL;
   if (all == NULL)
      all = VG_(HT_construct)("stored_lines.all");
   StoredLines* lines = VG_(HT_lookup)(all, (UWord)name);
   if (lines != NULL)
      return lines;
   lines = VG_(calloc)("stored_lines", 1, sizeof *lines);
   lines->node.key = (UWord)name;
   lines->pages = VG_(HT_construct)("stored_lines.pages");
   VG_(snprintf)(lines->file_name, sizeof lines->file_name,
                 "%016llx-%016llx-0-0" CACHE_FOLDER_END, identity[0], name);
   lines->file = translation_cache_open_file(lines->file_name, identity, 0);
   lines->was_there = code_file_find(lines->file, MARK_KEY, &size) != NULL;
   if (!lines->was_there)
      add_mark(lines);
   VG_(HT_add_node)(all, lines);
   return lines;
}

Bool stored_lines_were_there(const StoredLines* lines) { return lines->was_there; }

/* Puts the rows there by offset; returns where they end.  */
static Row* put_rows(Row* to, const Page* page)
{
   const UInt step = sizeof(ULong) / sizeof page->row_at[0];
   for (UInt offset = 0; offset < PAGE_SIZE; offset += step) {
      ULong several;
      __builtin_memcpy(&several, &page->row_at[offset], sizeof several);
      for (UInt i = offset; several != 0 && i < offset + step; i++)
         if (page->row_at[i] != 0)
            *to++ = page->rows[page->row_at[i] - 1];
   }
   return to;
}

static void hand_over_page(StoredLines* lines, Page* page)
{
   SizeT size = sizeof(Stored) + page->n_rows * sizeof *page->rows;
   for (UInt i = 0; i < page->n_files; i++)
      size += VG_(strlen)(page->files[i].path) + 1;
   Stored* stored = code_file_room(lines->file, (UInt)size);
   stored->n_rows = page->n_rows;
   stored->n_files = page->n_files;
   HChar* at = (HChar*)put_rows((Row*)(stored + 1), page);
   for (UInt i = 0; i < page->n_files; i++) {
      VG_(strcpy)(at, page->files[i].path);
      at += VG_(strlen)(at) + 1;
   }
   code_file_add_room(lines->file, page->node.key, (UInt)size);
}

/* Calls `what` with every page that has more than its file, and notes that it has
   not.  */
static void for_changed(void (*what)(StoredLines* lines, Page* page))
{
   if (all == NULL)
      return;
   StoredLines* lines;
   Page* page;
   VG_(HT_ResetIter)(all);
   while ((lines = VG_(HT_Next)(all)) != NULL) {
      VG_(HT_ResetIter)(lines->pages);
      while ((page = VG_(HT_Next)(lines->pages)) != NULL)
         if (page->has_more) {
            page->has_more = False;
            if (what != NULL)
               what(lines, page);
         }
   }
}

void stored_lines_hand_over(void) { for_changed(hand_over_page); }

void stored_lines_in_child(void) { for_changed(NULL); }
