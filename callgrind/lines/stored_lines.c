/* SPDX-License-Identifier: GPL-2.0-or-later

   See stored_lines.h.

   An entry of the file is a page of the object's code, by its number: its rows, one for
   each address that was asked for, and the paths of the source files and the functions
   that they name (line_page.h).  So what two runs add at the same time is lost only where
   they add to one page.  A file has one entry more, a mark, so that it is there even
   without a page.  */

#include "lines/stored_lines.h"

#include "lines/line_page.h"
#include "translation_cache/cache_folder.h"
#include "translation_cache/identity.h"
#include "translation_cache/translation_cache.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#define MARK_KEY (~0ULL)

struct StoredLines {
   VgHashNode node; /* key: its name */
   CodeFile* file;
   Bool was_there;
   VgHashTable* pages;
   LinePage* last; /* found; NULL: none */
   UWord last_number;
   HChar file_name[CACHE_FOLDER_NAME];
};

static VgHashTable* all; /* NULL: none yet */

/*--------------------------------------------------------------------*/
/* Pages                                                               */

static LinePage* page_of(StoredLines* lines, Addr address)
{
   UWord number = address >> LINE_PAGE_BITS;
   if (lines->last != NULL && lines->last_number == number)
      return lines->last;
   LinePage* page = VG_(HT_lookup)(lines->pages, number);
   if (page == NULL) {
      UInt size;
      const void* entry = code_file_find(lines->file, number, &size);
      page = line_page_new(number, entry, size);
      VG_(HT_add_node)(lines->pages, page);
   }
   lines->last = page;
   lines->last_number = number;
   return page;
}

static UInt offset_of(Addr address) { return address & (LINE_PAGE_SIZE - 1); }

Bool stored_lines_find(StoredLines* lines, Addr address, SourceLine* line)
{
   return line_page_find(page_of(lines, address), offset_of(address), line);
}

void stored_lines_add(StoredLines* lines, Addr address, const SourceLine* line)
{
   line_page_add(page_of(lines, address), offset_of(address), line);
}

Bool stored_lines_find_inlined(StoredLines* lines, Addr address, const Object* object,
                               const Inlined** inlined)
{
   return line_page_find_inlined(page_of(lines, address), offset_of(address), object,
                                 inlined);
}

void stored_lines_add_inlined(StoredLines* lines, Addr address, const Inlined* inlined)
{
   line_page_add_inlined(page_of(lines, address), offset_of(address), inlined);
}

Bool stored_lines_find_declared(StoredLines* lines, Addr address, const HChar** path,
                                UInt* line)
{
   return line_page_find_declared(page_of(lines, address), offset_of(address), path,
                                  line);
}

void stored_lines_add_declared(StoredLines* lines, Addr address, const HChar* path,
                               UInt line)
{
   line_page_add_declared(page_of(lines, address), offset_of(address), path, line);
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

static void hand_over_page(StoredLines* lines, UWord number, const LinePage* page)
{
   const UInt size = line_page_size(page);
   line_page_put(page, code_file_room(lines->file, size));
   code_file_add_room(lines->file, number, size);
}

/* Calls `what` with every page that has more than its file, and notes that it has
   not.  */
static void for_changed(void (*what)(StoredLines* lines, UWord number,
                                     const LinePage* page))
{
   if (all == NULL)
      return;
   StoredLines* lines;
   VgHashNode* page;
   VG_(HT_ResetIter)(all);
   while ((lines = VG_(HT_Next)(all)) != NULL) {
      VG_(HT_ResetIter)(lines->pages);
      while ((page = VG_(HT_Next)(lines->pages)) != NULL)
         if (line_page_has_changed((LinePage*)page) && what != NULL)
            what(lines, page->key, (LinePage*)page);
   }
}

void stored_lines_hand_over(void) { for_changed(hand_over_page); }

void stored_lines_in_child(void) { for_changed(NULL); }
