/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the lines; see line_table.h.

   A line table is a program that sets an address, a file and a line, and says after each
   few steps that they belong together: that is a row.  Rows are in the order of their
   addresses up to the end of a sequence.  Each reaches to the next one, whether a
   statement begins with it or not.  The core joins rows of one line that follow each
   other, even if they are in different files: then it has the first one's.

   Left to the core is what it keeps in a way of its own: rows that are longer than it has
   room for, lines with high numbers, sequences that overlap.  So are tables before
   version 5, which do not name the folder that the unit was compiled in.  */

#include "dwarf/line_table.h"

#include "dwarf/constants.h"
#include "dwarf/line_header.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* The core has 20 bits for a line, and no fewer than 12 for how long it is.  */
#define MOST_LINES 0xfffff
#define LONGEST_ROW 0xfff
#define NO_FILE 0xffffffff
/* Nor has it room for longer paths.  */
#define LONGEST_PATH 2048

typedef struct {
   Addr start;
   UInt line; /* more than MOST_LINES: not clear */
   UInt file; /* its number */
} Row;

typedef struct {
   Addr start, end; /* of its rows */
   ULong at;        /* where its program begins */
   UInt unit;
   Bool is_unclear;
   XArray* rows; /* NULL: not read yet */
} Sequence;

typedef struct {
   LineHeader header;
   Bool has_names;
   LineNames names;
   HChar** paths; /* by the files' numbers; NULL: not made yet */
} Unit;

struct LineTable {
   DwarfFile file; /* has only its sections */
   XArray* units;
   XArray* sequences; /* by `start` */
};

/*--------------------------------------------------------------------*/
/* Programs                                                            */

/* What the special operations do, of which most programs consist, and what that follows
   from, which is nearly always the same.  */
static struct {
   Int line_base;
   UInt line_range, first_special, least_length;
   struct {
      UShort address;
      Short line;
   } advances[256]; /* by operation */
} specials;

static void find_specials(const LineHeader* header)
{
   if (specials.line_base == header->line_base &&
       specials.line_range == header->line_range &&
       specials.first_special == header->first_special &&
       specials.least_length == header->least_length)
      return;
   specials.line_base = header->line_base;
   specials.line_range = header->line_range;
   specials.first_special = header->first_special;
   specials.least_length = header->least_length;
   for (UInt i = header->first_special; i < 256; i++) {
      UInt special = i - header->first_special;
      specials.advances[i].address =
         (UShort)(special / header->line_range * header->least_length);
      specials.advances[i].line =
         (Short)(header->line_base + (Int)(special % header->line_range));
   }
}

/* Where a program is.  */
typedef struct {
   Cursor at;
   Addr address;
   ULong file;
   Long line;
   Bool has_ended;
} Machine;

static inline UInt next_byte(Cursor* at)
{
   if (at->offset < at->end)
      return at->bytes[at->offset++];
   at->failed = True;
   return 0;
}

/* Most are of one byte.  */
static inline ULong next_unsigned(Cursor* at)
{
   if (at->offset < at->end && at->bytes[at->offset] < 0x80)
      return at->bytes[at->offset++];
   return cursor_unsigned(at);
}

static void advance(Machine* machine, const LineHeader* header, ULong operations)
{
   machine->address += operations * header->least_length;
}

static void run_extended(Machine* machine)
{
   Cursor* at = &machine->at;
   ULong length = cursor_unsigned(at);
   ULong begin = at->offset;
   UInt operation = next_byte(at);
   if (at->failed || length == 0 || length > at->end - begin ||
       operation == LineDefineFile) {
      at->failed = True;
      return;
   }
   if (operation == LineEndSequence)
      machine->has_ended = True;
   else if (operation == LineSetAddress) {
      if (length != 1 + sizeof(Addr))
         at->failed = True;
      machine->address = (Addr)cursor_number(at, sizeof(Addr));
   }
   at->offset = begin + length;
}

static void run_standard(Machine* machine, const LineHeader* header, UInt operation)
{
   Cursor* at = &machine->at;
   switch (operation) {
   case LineAdvanceAddress: advance(machine, header, next_unsigned(at)); break;
   case LineAdvanceLine: machine->line += cursor_signed(at); break;
   case LineSetFile: machine->file = next_unsigned(at); break;
   case LineAddLongest:
      advance(machine, header, (255 - header->first_special) / header->line_range);
      break;
   case LineAdvanceFixed: machine->address += cursor_number(at, 2); break;
   default:
      for (UInt left = header->n_operands[operation]; left > 0; left--)
         (void)next_unsigned(at);
      break;
   }
}

/* Goes on to the next row, or to the end of the sequence: False.  */
static Bool next_row(Machine* machine, const LineHeader* header)
{
   while (!machine->at.failed) {
      UInt operation = next_byte(&machine->at);
      if (operation >= header->first_special) {
         machine->address += specials.advances[operation].address;
         machine->line += specials.advances[operation].line;
         return !machine->at.failed;
      }
      if (operation == LineCopy)
         return !machine->at.failed;
      if (operation != LineExtended)
         run_standard(machine, header, operation);
      else {
         run_extended(machine);
         if (machine->has_ended)
            return False;
      }
   }
   return False;
}

static Machine begin_sequence(const LineHeader* header, ULong at)
{
   const DwarfSection* section = &header->sizes.file->sections[SectionLine];
   find_specials(header);
   return (Machine){.at = {section->bytes, at, header->end, False}, .file = 1, .line = 1};
}

/*--------------------------------------------------------------------*/
/* All sequences                                                       */

/* What matters to the next sequence: where the one before ends, and its last line.  */
typedef struct {
   Addr end;
   Long line;
} Behind;

/* Finds where a sequence begins and ends, and whether the core may join its first row to
   the last one before.  False if it is not sound, or its rows are not in order.  */
static Bool measure_sequence(Machine* machine, const LineHeader* header,
                             Sequence* sequence, Behind* behind)
{
   if (!next_row(machine, header))
      return !machine->at.failed; /* it has no rows */
   Addr at = sequence->start = machine->address;
   Behind before = *behind;
   Bool is_row = True;
   while (is_row) {
      Long line = machine->line;
      is_row = next_row(machine, header);
      if (machine->address < at)
         return False;
      if (machine->address > at) {
         *behind = (Behind){machine->address, line};
         if (at == sequence->start)
            sequence->is_unclear = at == before.end && line == before.line;
      }
      at = machine->address;
   }
   sequence->end = at;
   return !machine->at.failed;
}

/* Notes the sequences of a unit that are not outside [start, end).  */
static Bool read_unit(LineTable* table, const LineHeader* header, Addr start, Addr end,
                      Behind* behind)
{
   UInt unit = (UInt)VG_(sizeXA)(table->units) - 1;
   ULong at = header->program;
   while (at < header->end) {
      Sequence sequence = {.at = at, .unit = unit};
      Machine machine = begin_sequence(header, at);
      if (!measure_sequence(&machine, header, &sequence, behind))
         return False;
      at = machine.at.offset;
      if (sequence.start < end && sequence.end > start && sequence.start < sequence.end) {
         /* The core knows nothing of address 0.  */
         sequence.is_unclear |= sequence.start < start;
         VG_(addToXA)(table->sequences, &sequence);
      }
   }
   return True;
}

static Bool is_supported(const LineHeader* header)
{
   return header->sizes.version == 5 && header->sizes.address_size == sizeof(Addr) &&
          header->most_operations == 1 && header->least_length > 0 &&
          header->line_range > 0 && header->first_special > LineAdvanceFixed;
}

static Bool read_units(LineTable* table, Addr start, Addr end)
{
   ULong size = dwarf_file_section(&table->file, SectionLine)->size;
   if (size == 0)
      return False; /* it could not be unpacked */
   Behind behind = {0, 0};
   for (ULong at = 0; at < size;) {
      Unit unit;
      VG_(memset)(&unit, 0, sizeof unit);
      if (!line_header_read(&table->file, at, &unit.header) ||
          !is_supported(&unit.header))
         return False;
      VG_(addToXA)(table->units, &unit);
      if (!read_unit(table, &unit.header, start, end, &behind))
         return False;
      at = unit.header.end;
   }
   return True;
}

static Int by_start(const void* a, const void* b)
{
   const Sequence *first = a, *second = b;
   return first->start < second->start ? -1 : first->start > second->start;
}

static Sequence* sequence_at(const LineTable* table, Word i)
{
   return VG_(indexXA)(table->sequences, i);
}

/* The core may have taken either of two lines.  */
static void mark_overlaps(LineTable* table)
{
   Sequence* farthest = NULL;
   for (Word i = 0; i < VG_(sizeXA)(table->sequences); i++) {
      Sequence* sequence = sequence_at(table, i);
      if (farthest != NULL && sequence->start < farthest->end)
         sequence->is_unclear = farthest->is_unclear = True;
      if (farthest == NULL || sequence->end > farthest->end)
         farthest = sequence;
   }
}

LineTable* line_table_read(const DwarfSection sections[DWARF_SECTIONS], Addr start,
                           Addr end)
{
   LineTable* table = VG_(calloc)("dwarf.lines", 1, sizeof *table);
   for (UInt i = 0; i < DWARF_SECTIONS; i++)
      table->file.sections[i] = sections[i];
   table->units = VG_(newXA)(VG_(malloc), "dwarf.lines", VG_(free), sizeof(Unit));
   table->sequences = VG_(newXA)(VG_(malloc), "dwarf.lines", VG_(free), sizeof(Sequence));
   if (!read_units(table, start, end)) {
      line_table_free(table);
      return NULL;
   }
   Word n = VG_(sizeXA)(table->sequences);
   if (n > 0)
      VG_(ssort)(sequence_at(table, 0), (SizeT)n, sizeof(Sequence), by_start);
   mark_overlaps(table);
   return table;
}

static void free_unit(Unit* unit)
{
   if (!unit->has_names)
      return;
   for (Word i = 0; i < VG_(sizeXA)(unit->names.files); i++)
      VG_(free)(unit->paths[i]);
   VG_(free)(unit->paths);
   line_header_free_names(&unit->names);
}

void line_table_free(LineTable* table)
{
   for (Word i = 0; i < VG_(sizeXA)(table->units); i++)
      free_unit(VG_(indexXA)(table->units, i));
   for (Word i = 0; i < VG_(sizeXA)(table->sequences); i++)
      if (sequence_at(table, i)->rows != NULL)
         VG_(deleteXA)(sequence_at(table, i)->rows);
   VG_(deleteXA)(table->units);
   VG_(deleteXA)(table->sequences);
   for (UInt i = 0; i < DWARF_SECTIONS; i++)
      section_free(&table->file.sections[i]);
   VG_(free)(table);
}

/*--------------------------------------------------------------------*/
/* One line                                                            */

static Unit* unit_of(const LineTable* table, const Sequence* sequence)
{
   return VG_(indexXA)(table->units, sequence->unit);
}

/* What has been read of a sequence.  */
typedef struct {
   XArray* rows;
   Bool has_any;
   Row last; /* of them */
} Rows;

/* Adds a row that reaches to `end`, or joins it to the last one.  */
static void add_row(Rows* to, Row row, Addr end)
{
   if (to->has_any && row.line == to->last.line && end - to->last.start <= LONGEST_ROW)
      return;
   Row added = row;
   if (end - row.start > LONGEST_ROW || (to->has_any && row.line == to->last.line))
      added.line = MOST_LINES + 1;
   VG_(addToXA)(to->rows, &added);
   to->last = row;
   to->has_any = True;
}

/* Of several rows at one address the last one counts.  */
static XArray* read_rows(const LineTable* table, const Sequence* sequence)
{
   const LineHeader* header = &unit_of(table, sequence)->header;
   Rows to = {.rows = VG_(newXA)(VG_(malloc), "dwarf.rows", VG_(free), sizeof(Row))};
   Machine machine = begin_sequence(header, sequence->at);
   Row row = {sequence->start, 0, 0};
   Bool is_row;
   do {
      is_row = next_row(&machine, header);
      if (machine.address > row.start)
         add_row(&to, row, machine.address);
      row = (Row){machine.address,
                  machine.line >= 0 && machine.line <= MOST_LINES ? (UInt)machine.line
                                                                  : MOST_LINES + 1,
                  machine.file < NO_FILE ? (UInt)machine.file : NO_FILE};
   } while (is_row);
   return to.rows;
}

/* The last element that does not begin behind `address`; -1 if there is none.  Elements
   begin with the address at which they start.  */
static Word last_before(XArray* elements, Addr address)
{
   Word low = 0, high = VG_(sizeXA)(elements);
   while (low < high) {
      Word middle = low + (high - low) / 2;
      if (*(const Addr*)VG_(indexXA)(elements, middle) <= address)
         low = middle + 1;
      else
         high = middle;
   }
   return low - 1;
}

static void read_names(Unit* unit)
{
   unit->names = line_header_names(&unit->header);
   unit->paths = VG_(calloc)("dwarf.paths", (SizeT)VG_(sizeXA)(unit->names.files) + 1,
                             sizeof(HChar*));
   unit->has_names = True;
}

static const HChar* folder_of(const LineNames* names, ULong number)
{
   return number < (ULong)VG_(sizeXA)(names->folders)
             ? *(const HChar**)VG_(indexXA)(names->folders, (Word)number)
             : "";
}

/* Folder 0 is the one that the unit was compiled in, and the others are relative to it.
   The core has the former from the unit's entry, where compilers write the same text, and
   takes folder 0 for relative to it, too.  NULL if the core may see it otherwise.  */
static HChar* make_path(const LineNames* names, const LineFile* file)
{
   const HChar *own = folder_of(names, 0), *folder = folder_of(names, file->folder);
   if (file->name == NULL || file->name[0] == '/' || file->name[0] == '\0' ||
       own[0] == '\0' || folder[0] == '\0' ||
       VG_(strlen)(own) + VG_(strlen)(folder) + VG_(strlen)(file->name) > LONGEST_PATH)
      return NULL;
   HChar* full = line_header_join(own, folder);
   HChar* path = line_header_join(full, file->name);
   VG_(free)(full);
   return path;
}

static const HChar* path_of(Unit* unit, UInt number)
{
   if (!unit->has_names)
      read_names(unit);
   const LineNames* names = &unit->names;
   if (names->failed || number >= (UWord)VG_(sizeXA)(names->files))
      return NULL;
   HChar** path = &unit->paths[number];
   if (*path == NULL)
      *path = make_path(names, VG_(indexXA)(names->files, (Word)number));
   return *path;
}

LineAnswer line_table_find(LineTable* table, Addr address, const HChar** path, UInt* line)
{
   Word i = last_before(table->sequences, address);
   if (i < 0)
      return LineNone;
   Sequence* sequence = sequence_at(table, i);
   if (sequence->is_unclear)
      return LineUnclear;
   if (address >= sequence->end)
      return LineNone;
   if (sequence->rows == NULL)
      sequence->rows = read_rows(table, sequence);
   Word at = last_before(sequence->rows, address);
   if (at < 0)
      return LineNone;
   const Row* row = VG_(indexXA)(sequence->rows, at);
   if (row->line > MOST_LINES)
      return LineUnclear;
   *line = row->line;
   *path = path_of(unit_of(table, sequence), row->file);
   return *path != NULL ? LineFound : LineUnclear;
}
