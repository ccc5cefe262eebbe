/* SPDX-License-Identifier: GPL-2.0-or-later

   See boundaries.h.  The object's table of functions (.eh_frame_hdr) is in its memory,
   sorted, so that nothing is read from the disk where there is one.  What is broken or of
   another encoding than the usual one says nothing.  */

#include "native/boundaries.h"

#include "cycles/x86_decode.h"
#include "guest/elf/elf_sections.h"
#include "guest/memory.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include <elf.h>

#ifdef CORE_CAN_RUN_NATIVELY

/* Of .eh_frame_hdr: how its table is encoded, relative to it and with four bytes each;
   the pointer to .eh_frame and the number of entries are of four bytes, too.  */
enum { RelativeToTable = 0x3b, FourBytes = 0x03, Encoding = 0x0f };

typedef struct {
   UChar version, encoding_of_pointer, encoding_of_count, encoding_of_table;
   Int frames;
   UInt n_entries;
} TableHeader;

typedef struct {
   Int start, description; /* from the header on */
} TableEntry;

typedef struct {
   Addr header;
   UInt n_entries;
} Table;

typedef struct {
   UInt length, common;
   Int start; /* from here on */
   UInt size; /* of the function */
} Description;

#define LONGEST_INSTRUCTION 15

/*--------------------------------------------------------------------*/
/* The object's table                                                  */

/* Where the file that is mapped at `at` has its first byte; 0 if that is not there.  */
static Addr object_start(Addr at)
{
   const NSegment* segment = VG_(am_find_nsegment)(at);
   if (segment == NULL || segment->kind != SkFileC)
      return 0;
   const ULong device = segment->dev, inode = segment->ino;
   while (segment != NULL && segment->kind == SkFileC && segment->dev == device &&
          segment->ino == inode) {
      if (segment->offset == 0)
         return segment->start;
      segment = VG_(am_find_nsegment)(segment->start - 1);
   }
   return 0;
}

/* Where the program header of this type says its segment is in memory.  */
static Bool find_segment(Addr object, const Elf64_Ehdr* elf, UInt type, Addr* address)
{
   Addr moved = 0;
   Bool is_placed = False, is_found = False;
   for (UInt i = 0; i < elf->e_phnum; i++) {
      Elf64_Phdr header;
      if (!guest_memory_copy(&header, object + elf->e_phoff + i * sizeof header,
                             sizeof header))
         return False;
      if (header.p_type == PT_LOAD && header.p_offset == 0) {
         moved = object - header.p_vaddr;
         is_placed = True;
      }
      if (header.p_type == type) {
         *address = header.p_vaddr;
         is_found = True;
      }
   }
   *address += moved;
   return is_placed && is_found;
}

static Bool find_table(Addr at, Table* table)
{
   Elf64_Ehdr elf;
   TableHeader header;
   const Addr object = object_start(at);
   if (object == 0 || !guest_memory_copy(&elf, object, sizeof elf) ||
       VG_(memcmp)(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
       elf.e_phentsize != sizeof(Elf64_Phdr) ||
       !find_segment(object, &elf, PT_GNU_EH_FRAME, &table->header) ||
       !guest_memory_copy(&header, table->header, sizeof header))
      return False;
   table->n_entries = header.n_entries;
   return header.version == 1 && header.encoding_of_table == RelativeToTable &&
          (header.encoding_of_pointer & Encoding & ~8) == FourBytes &&
          (header.encoding_of_count & Encoding) == FourBytes;
}

static Bool entry_of(const Table* table, UInt i, TableEntry* entry)
{
   return guest_memory_copy(
      entry, table->header + sizeof(TableHeader) + i * sizeof *entry, sizeof *entry);
}

/* The last entry that begins at `at` or before.  */
static Bool find_entry(const Table* table, Addr at, TableEntry* found)
{
   UInt low = 0, high = table->n_entries;
   while (low < high) {
      const UInt middle = low + (high - low) / 2;
      if (!entry_of(table, middle, found))
         return False;
      if (table->header + (Addr)(Long)found->start <= at)
         low = middle + 1;
      else
         high = middle;
   }
   return low > 0 && entry_of(table, low - 1, found);
}

/* The function that `at` is in, by the table in memory.  */
static Bool find_in_memory(Addr at, Addr* start, Addr* end)
{
   Table table = {0, 0};
   TableEntry entry;
   Description description;
   if (!find_table(at, &table) || !find_entry(&table, at, &entry))
      return False;
   const Addr place = table.header + (Addr)(Long)entry.description;
   *start = table.header + (Addr)(Long)entry.start;
   if (!guest_memory_copy(&description, place, sizeof description) ||
       place + offsetof(Description, start) + (Addr)(Long)description.start != *start)
      return False;
   *end = *start + description.size;
   return at < *end;
}

/* Likewise by the file, as a program without a dynamic linker may have no table.  */
static Bool find_in_file(Addr at, Addr* start, Addr* end)
{
   const NSegment* segment = VG_(am_find_nsegment)(at);
   const HChar* path =
      segment != NULL && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
   if (path == NULL)
      return False;
   static HChar* last_path;
   static ElfSections sections; /* of that file; few files have no table */
   if (last_path == NULL || VG_(strcmp)(last_path, path) != 0) {
      last_path = VG_(strdup)("native.path", path);
      sections = elf_sections_read(path);
   }
   const ULong offset = (ULong)segment->offset + (at - segment->start);
   const ElfSection* section = elf_sections_find(&sections, offset);
   if (section == NULL)
      return False;
   const Addr moved = at - (section->address + (offset - section->file_offset));
   const FunctionExtent* function = elf_sections_function(&sections, path, at - moved);
   if (function == NULL)
      return False;
   *start = function->start + moved;
   *end = function->end + moved;
   return True;
}

static Bool find_function(Addr at, Addr* start, Addr* end)
{
   return find_in_memory(at, start, end) || find_in_file(at, start, end);
}

/*--------------------------------------------------------------------*/

Boundary native_boundary_from(Addr start, Addr at, Addr end)
{
   while (start < at) {
      X86Instruction instruction;
      UChar code[LONGEST_INSTRUCTION];
      const UInt size =
         (UInt)(end - start < LONGEST_INSTRUCTION ? end - start : LONGEST_INSTRUCTION);
      if (!guest_memory_copy(code, start, size) ||
          !x86_decode(code, size, &instruction) || instruction.size == 0)
         return BoundaryUnknown;
      start += instruction.size;
   }
   return start == at ? BoundaryHere : BoundaryNone;
}

Boundary native_boundary_at(Addr at)
{
   Addr start, end;
   return find_function(at, &start, &end) ? native_boundary_from(start, at, end)
                                          : BoundaryUnknown;
}

#endif
