/* SPDX-License-Identifier: GPL-2.0-or-later

   See line_page.h.

   The entry: a header; rows, by offset; inlined functions, each behind the one that it is
   inlined into; where functions are declared; then texts, each with a NUL: the paths of
   files, and the names of inlined functions.  */

#include "lines/line_page.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   UInt n_rows, n_files, n_inlined, n_declared;
} Header;

typedef struct {
   UShort offset;  /* of the address in the page */
   UShort file;    /* 0: none; otherwise 1 + its number in the page */
   UShort inlined; /* 0: not known; NO_INLINED; otherwise its number + FIRST_INLINED */
   UShort unused;
   UInt line;
} Row;

#define NO_INLINED 1
#define FIRST_INLINED 2
#define MOST_INLINED (0xffff - FIRST_INLINED)

typedef struct {
   UShort outer; /* 0: none; otherwise 1 + its number */
   UShort file;  /* as in Row */
   UInt line;
} StoredInlined;

typedef struct {
   UShort offset;
   UShort file; /* as in Row */
   UInt line;
} Declared;

typedef struct {
   const HChar* path;
   SourceFile* file; /* NULL: not asked for yet */
} PageFile;

typedef struct {
   StoredInlined stored;
   const HChar* name;
   const Inlined* known; /* NULL: not asked for yet */
} PageInlined;

struct LinePage {
   VgHashNode node;
   UInt n_rows, row_room;
   UInt n_files, file_room;
   UInt n_inlined, inlined_room;
   UInt n_declared, declared_room;
   UInt last_inlined; /* the number of the one that was added last */
   Row* rows;         /* in the order in which they came */
   PageFile* files;
   PageInlined* inlined;
   Declared* declared; /* in the order in which they came */
   Bool has_changed;
   UShort row_at[LINE_PAGE_SIZE]; /* by offset: 1 + the number of its row; 0: none */
};

/* Makes room for one more element.  */
static void* grown(void* list, UInt n, UInt* room, SizeT size)
{
   if (n < *room)
      return list;
   *room = *room < 8 ? 16 : 2 * *room;
   return VG_(realloc)("line_page", list, *room * size);
}

/*--------------------------------------------------------------------*/
/* From an entry                                                       */

/* The parts of an entry, whose numbers were compared with its size.  */
typedef struct {
   const Header* header;
   const Row* rows;
   const StoredInlined* inlined;
   const Declared* declared;
   const HChar *texts, *end;
} Entry;

static Bool find_parts(const void* bytes, UInt size, Entry* entry)
{
   const Header* header = entry->header = bytes;
   if (size < sizeof *header)
      return False;
   ULong fixed = sizeof *header + (ULong)header->n_rows * sizeof(Row) +
                 (ULong)header->n_inlined * sizeof(StoredInlined) +
                 (ULong)header->n_declared * sizeof(Declared);
   if (fixed > size || header->n_rows > LINE_PAGE_SIZE ||
       header->n_files > size - fixed || header->n_inlined > MOST_INLINED)
      return False;
   entry->rows = (const Row*)(header + 1);
   entry->inlined = (const StoredInlined*)(entry->rows + header->n_rows);
   entry->declared = (const Declared*)(entry->inlined + header->n_inlined);
   entry->texts = (const HChar*)(entry->declared + header->n_declared);
   entry->end = (const HChar*)bytes + size;
   return True;
}

static Bool is_sound(const Entry* entry)
{
   const Header* header = entry->header;
   for (UInt i = 0; i < header->n_rows; i++) {
      const Row* row = &entry->rows[i];
      if (row->offset >= LINE_PAGE_SIZE || row->file > header->n_files ||
          row->inlined >= FIRST_INLINED + header->n_inlined ||
          (i > 0 && row->offset <= entry->rows[i - 1].offset))
         return False;
   }
   for (UInt i = 0; i < header->n_inlined; i++)
      if (entry->inlined[i].outer > i || entry->inlined[i].file > header->n_files)
         return False;
   for (UInt i = 0; i < header->n_declared; i++)
      if (entry->declared[i].file > header->n_files)
         return False;
   UInt n_texts = 0;
   for (const HChar* at = entry->texts; at < entry->end; at++)
      n_texts += *at == '\0';
   return n_texts == header->n_files + header->n_inlined;
}

/* The entry may be gone later; so all is copied.  */
static const HChar* copy_text(const HChar** at)
{
   const HChar* text = VG_(strdup)("line_page.text", *at);
   *at += VG_(strlen)(*at) + 1;
   return text;
}

static void take_entry(LinePage* page, const Entry* entry)
{
   const HChar* at = entry->texts;
   page->n_rows = page->row_room = entry->header->n_rows;
   page->n_files = page->file_room = entry->header->n_files;
   page->n_inlined = page->inlined_room = entry->header->n_inlined;
   page->n_declared = page->declared_room = entry->header->n_declared;
   page->rows = VG_(malloc)("line_page.rows", (page->n_rows + 1) * sizeof(Row));
   page->files = VG_(malloc)("line_page.files", (page->n_files + 1) * sizeof(PageFile));
   page->inlined =
      VG_(malloc)("line_page.inlined", (page->n_inlined + 1) * sizeof(PageInlined));
   page->declared =
      VG_(malloc)("line_page.declared", (page->n_declared + 1) * sizeof(Declared));
   VG_(memcpy)(page->declared, entry->declared, page->n_declared * sizeof(Declared));
   VG_(memcpy)(page->rows, entry->rows, page->n_rows * sizeof(Row));
   for (UInt i = 0; i < page->n_rows; i++)
      page->row_at[page->rows[i].offset] = (UShort)(i + 1);
   for (UInt i = 0; i < page->n_files; i++)
      page->files[i] = (PageFile){copy_text(&at), NULL};
   for (UInt i = 0; i < page->n_inlined; i++)
      page->inlined[i] = (PageInlined){entry->inlined[i], copy_text(&at), NULL};
}

LinePage* line_page_new(UWord number, const void* entry, UInt size)
{
   LinePage* page = VG_(calloc)("line_page", 1, sizeof *page);
   Entry parts;
   page->node.key = number;
   if (entry != NULL && find_parts(entry, size, &parts) && is_sound(&parts))
      take_entry(page, &parts);
   return page;
}

/*--------------------------------------------------------------------*/
/* Lines                                                               */

static Row* row_of(const LinePage* page, UInt offset)
{
   UInt number = page->row_at[offset];
   return number != 0 ? &page->rows[number - 1] : NULL;
}

/* The file with this number, from 1 on.  */
static SourceFile* file_of(LinePage* page, UInt number)
{
   PageFile* file = &page->files[number - 1];
   if (file->file == NULL)
      file->file = symbols_intern_file(file->path);
   return file->file;
}

Bool line_page_find(LinePage* page, UInt offset, SourceLine* line)
{
   const Row* row = row_of(page, offset);
   if (row == NULL)
      return False;
   *line = (SourceLine){row->file != 0 ? file_of(page, row->file) : symbols_no_file(),
                        row->line, NULL};
   return True;
}

/* 1 + the number of the file with this path, which is added if it is not there; `file` is
   it, or NULL if it is not interned.  */
static UInt number_of_path(LinePage* page, const HChar* path, SourceFile* file)
{
   for (UInt i = 0; i < page->n_files; i++)
      if (VG_(strcmp)(page->files[i].path, path) == 0) {
         if (page->files[i].file == NULL)
            page->files[i].file = file;
         return i + 1;
      }
   page->files = grown(page->files, page->n_files, &page->file_room, sizeof(PageFile));
   page->files[page->n_files] = (PageFile){path, file};
   return ++page->n_files;
}

static UInt number_of_file(LinePage* page, SourceFile* file)
{
   if (!symbols_is_file(file))
      return 0;
   for (UInt i = 0; i < page->n_files; i++)
      if (page->files[i].file == file)
         return i + 1;
   return number_of_path(page, file->path, file);
}

void line_page_add(LinePage* page, UInt offset, const SourceLine* line)
{
   Row row = {.offset = (UShort)offset,
              .file = (UShort)number_of_file(page, line->file),
              .line = line->line};
   Row* there = row_of(page, offset);
   page->has_changed = True;
   if (there != NULL) {
      *there = row;
      return;
   }
   page->rows = grown(page->rows, page->n_rows, &page->row_room, sizeof(Row));
   page->rows[page->n_rows++] = row;
   page->row_at[offset] = (UShort)page->n_rows;
}

/*--------------------------------------------------------------------*/
/* Inlined functions                                                   */

/* The one with this number.  What it is inlined into has a smaller one.  */
static const Inlined* inlined_of(LinePage* page, UInt number, const Object* object)
{
   PageInlined* inlined = &page->inlined[number];
   /* Two objects may have the same code.  */
   if (inlined->known != NULL && inlined->known->object == object)
      return inlined->known;
   const StoredInlined* stored = &inlined->stored;
   Inlined like = {.name = inlined->name, .object = object, .line = stored->line};
   if (stored->outer != 0)
      like.outer = inlined_of(page, stored->outer - 1u, object);
   Inlined* found =
      inlined_intern(&like, stored->file != 0 ? page->files[stored->file - 1].path : "");
   if (stored->file != 0)
      found->file = file_of(page, stored->file);
   inlined->known = found;
   return found;
}

Bool line_page_find_inlined(LinePage* page, UInt offset, const Object* object,
                            const Inlined** inlined)
{
   const Row* row = row_of(page, offset);
   if (row == NULL || row->inlined == 0)
      return False;
   *inlined = row->inlined >= FIRST_INLINED
                 ? inlined_of(page, (UInt)row->inlined - FIRST_INLINED, object)
                 : NULL;
   return True;
}

/* 1 + the number of the function, which is added if it is not there; 0: there is no more
   room.  */
static UInt number_of_inlined(LinePage* page, const Inlined* inlined)
{
   if (page->last_inlined < page->n_inlined &&
       page->inlined[page->last_inlined].known == inlined)
      return page->last_inlined + 1;
   StoredInlined stored = {0, 0, inlined->line};
   if (inlined->outer != NULL) {
      stored.outer = (UShort)number_of_inlined(page, inlined->outer);
      if (stored.outer == 0)
         return 0;
   }
   if (inlined->file != NULL)
      stored.file = (UShort)number_of_path(page, inlined->file->path, NULL);
   UInt i = 0;
   while (i < page->n_inlined && (page->inlined[i].stored.outer != stored.outer ||
                                  page->inlined[i].stored.file != stored.file ||
                                  page->inlined[i].stored.line != stored.line ||
                                  VG_(strcmp)(page->inlined[i].name, inlined->name) != 0))
      i++;
   if (i == MOST_INLINED)
      return 0;
   if (i == page->n_inlined) {
      page->inlined =
         grown(page->inlined, page->n_inlined, &page->inlined_room, sizeof(PageInlined));
      page->inlined[page->n_inlined++] = (PageInlined){stored, inlined->name, inlined};
   }
   page->inlined[i].known = inlined;
   page->last_inlined = i;
   return i + 1;
}

void line_page_add_inlined(LinePage* page, UInt offset, const Inlined* inlined)
{
   Row* row = row_of(page, offset);
   if (row == NULL)
      return;
   UInt number = inlined != NULL ? number_of_inlined(page, inlined) : 0;
   if (inlined != NULL && number == 0)
      return;
   page->has_changed = True;
   row->inlined = (UShort)(inlined != NULL ? number - 1 + FIRST_INLINED : NO_INLINED);
}

/*--------------------------------------------------------------------*/
/* Where functions are declared                                        */

Bool line_page_find_declared(LinePage* page, UInt offset, const HChar** path, UInt* line)
{
   for (UInt i = 0; i < page->n_declared; i++) {
      const Declared* declared = &page->declared[i];
      if (declared->offset != offset)
         continue;
      *path = declared->file != 0 ? page->files[declared->file - 1].path : NULL;
      *line = declared->line;
      return True;
   }
   return False;
}

void line_page_add_declared(LinePage* page, UInt offset, const HChar* path, UInt line)
{
   Declared added = {(UShort)offset, 0, line};
   if (path != NULL)
      added.file = (UShort)number_of_path(page, path, NULL);
   page->declared =
      grown(page->declared, page->n_declared, &page->declared_room, sizeof(Declared));
   page->declared[page->n_declared++] = added;
   page->has_changed = True;
}

/*--------------------------------------------------------------------*/
/* To an entry                                                         */

Bool line_page_has_changed(LinePage* page)
{
   Bool has_changed = page->has_changed;
   page->has_changed = False;
   return has_changed;
}

UInt line_page_size(const LinePage* page)
{
   SizeT size = sizeof(Header) + page->n_rows * sizeof(Row) +
                page->n_inlined * sizeof(StoredInlined) +
                page->n_declared * sizeof(Declared);
   for (UInt i = 0; i < page->n_files; i++)
      size += VG_(strlen)(page->files[i].path) + 1;
   for (UInt i = 0; i < page->n_inlined; i++)
      size += VG_(strlen)(page->inlined[i].name) + 1;
   return (UInt)size;
}

/* Puts the rows there by offset; returns where they end.  */
static Row* put_rows(Row* to, const LinePage* page)
{
   const UInt step = sizeof(ULong) / sizeof page->row_at[0];
   for (UInt offset = 0; offset < LINE_PAGE_SIZE; offset += step) {
      ULong several;
      __builtin_memcpy(&several, &page->row_at[offset], sizeof several);
      for (UInt i = offset; several != 0 && i < offset + step; i++)
         if (page->row_at[i] != 0)
            *to++ = page->rows[page->row_at[i] - 1];
   }
   return to;
}

static HChar* put_text(HChar* to, const HChar* text)
{
   VG_(strcpy)(to, text);
   return to + VG_(strlen)(text) + 1;
}

void line_page_put(const LinePage* page, void* to)
{
   Header* header = to;
   *header = (Header){page->n_rows, page->n_files, page->n_inlined, page->n_declared};
   StoredInlined* inlined = (StoredInlined*)put_rows((Row*)(header + 1), page);
   for (UInt i = 0; i < page->n_inlined; i++)
      *inlined++ = page->inlined[i].stored;
   VG_(memcpy)(inlined, page->declared, page->n_declared * sizeof(Declared));
   HChar* at = (HChar*)inlined + page->n_declared * sizeof(Declared);
   for (UInt i = 0; i < page->n_files; i++)
      at = put_text(at, page->files[i].path);
   for (UInt i = 0; i < page->n_inlined; i++)
      at = put_text(at, page->inlined[i].name);
}
