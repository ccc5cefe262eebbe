/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the tables; see abbreviations.h.

   A table is read as far as it is needed: of most units that is its first line.  */

#include "dwarf/abbreviations.h"

#include "base/cursor.h"
#include "dwarf/constants.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Compilers number from 1 on; no table of theirs has nearly as many.  */
#define MAX_NUMBER 0xffff

typedef struct Abbreviations {
   VgHashNode node; /* its key: the offset */
   DwarfFile* file;
   Cursor at; /* what has not been read */
   Bool has_ended;
   Abbreviation* list;
   UInt n, room;
   AttributeForm* forms;
   UInt n_forms, forms_room;
   UInt* by_number; /* 1 + the place in the list; 0: not there */
   UInt n_numbers;
} Abbreviations;

struct Abbreviations* abbreviations_at(DwarfFile* file, ULong offset)
{
   const DwarfSection* section = dwarf_file_section(file, SectionAbbrev);
   if (offset >= section->size)
      return NULL;
   if (file->abbreviations == NULL)
      file->abbreviations = VG_(HT_construct)("dwarf.abbreviations");
   Abbreviations* table = VG_(HT_lookup)(file->abbreviations, (UWord)offset);
   if (table == NULL) {
      table = VG_(calloc)("dwarf.abbreviations", 1, sizeof *table);
      table->node.key = (UWord)offset;
      table->file = file;
      table->at = (Cursor){section->bytes, offset, section->size, False};
      VG_(HT_add_node)(file->abbreviations, table);
   }
   return table;
}

static void free_table(void* node)
{
   Abbreviations* table = node;
   VG_(free)(table->list);
   VG_(free)(table->forms);
   VG_(free)(table->by_number);
   VG_(free)(table);
}

void abbreviations_free(DwarfFile* file)
{
   if (file->abbreviations != NULL)
      VG_(HT_destruct)(file->abbreviations, free_table);
   file->abbreviations = NULL;
}

static void add_form(Abbreviations* table, AttributeForm form)
{
   if (table->n_forms == table->forms_room) {
      table->forms_room = table->forms_room == 0 ? 16 : 2 * table->forms_room;
      table->forms = VG_(realloc)("dwarf.forms", table->forms,
                                  table->forms_room * sizeof *table->forms);
   }
   table->forms[table->n_forms++] = form;
}

static void number_last(Abbreviations* table, ULong number)
{
   if (number >= table->n_numbers) {
      UInt n = (UInt)number < 16 ? 32 : 2 * (UInt)number;
      table->by_number =
         VG_(realloc)("dwarf.numbers", table->by_number, n * sizeof *table->by_number);
      VG_(memset)(table->by_number + table->n_numbers, 0,
                  (n - table->n_numbers) * sizeof *table->by_number);
      table->n_numbers = n;
   }
   if (table->by_number[number] == 0)
      table->by_number[number] = table->n;
}

/* Reads the next one.  False, and nothing is added, where the table ends.  */
static Bool read_next(Abbreviations* table)
{
   Cursor* at = &table->at;
   ULong number = cursor_unsigned(at);
   if (number == 0 || number > MAX_NUMBER)
      return False;
   Abbreviation found = {.first = table->n_forms, .size = {0, 0, 0, False}};
   found.tag = (UInt)cursor_unsigned(at);
   found.has_children = cursor_number(at, 1) != 0;
   while (!at->failed && table->file->abbreviations_left > 0) {
      table->file->abbreviations_left--;
      AttributeForm form = {0, 0, 0};
      form.attribute = (UInt)cursor_unsigned(at);
      form.form = (UInt)cursor_unsigned(at);
      if (form.form == FormImplicitConst)
         form.constant = cursor_signed(at);
      if (form.attribute == 0 && form.form == 0)
         break;
      add_form(table, form);
      found.size = form_size_sum(found.size, form_size(form.form));
   }
   if (at->failed || table->file->abbreviations_left == 0)
      return False;
   found.n = table->n_forms - found.first;
   if (table->n == table->room) {
      table->room = table->room == 0 ? 4 : 2 * table->room;
      table->list = VG_(realloc)("dwarf.abbreviation", table->list,
                                 table->room * sizeof *table->list);
   }
   table->list[table->n++] = found;
   number_last(table, number);
   return True;
}

const Abbreviation* abbreviations_find(struct Abbreviations* table, ULong number)
{
   for (;;) {
      if (number < table->n_numbers && table->by_number[number] != 0)
         return &table->list[table->by_number[number] - 1];
      if (table->has_ended)
         return NULL;
      table->has_ended = !read_next(table);
   }
}

const AttributeForm* abbreviations_form(const struct Abbreviations* table, UInt form)
{
   return &table->forms[form];
}
