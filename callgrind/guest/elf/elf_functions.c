/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads .eh_frame for the extents of functions; see elf_functions.h.

   The layout is that of the Linux Standard Base, "Exception Frames".  A record has a
   length, an id and a body.  The id 0 makes it a common information entry (CIE), which
   says how addresses are encoded.  Any other id makes it a frame description entry (FDE),
   and is the distance back to its CIE; its body begins with the address and the size of a
   function.

   The section may hold anything: a profiled program may map any file.  So everything is
   read through a Cursor, which knows where the record ends.  */

#include "guest/elf/elf_functions.h"

#include "base/cursor.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* How an address is encoded (DW_EH_PE_...): the low four bits are the format, the
   next three what it is relative to.  */
enum {
   PeAbsolute = 0x00,
   PeUleb128 = 0x01,
   PeUdata2 = 0x02,
   PeUdata4 = 0x03,
   PeUdata8 = 0x04,
   PeSleb128 = 0x09,
   PeSdata2 = 0x0a,
   PeSdata4 = 0x0b,
   PeSdata8 = 0x0c,
   PePcRelative = 0x10,
   PeOmit = 0xff
};

/* How a record begins: with its length, which does not count itself, and its id.  A
   length of 0 ends the section; LONG_RECORD announces one of more than 4 GB, which is
   not supported.  */
#define LENGTH_SIZE 4
#define ID_SIZE 4
#define RECORD_START (LENGTH_SIZE + ID_SIZE)
#define LONG_RECORD 0xffffffff

static ULong read_format(Cursor* at, UInt format)
{
   switch (format & 0x0f) {
   case PeAbsolute: return cursor_number(at, VG_WORDSIZE);
   case PeUleb128: return cursor_unsigned(at);
   case PeSleb128: return (ULong)cursor_signed(at);
   case PeUdata2: return cursor_number(at, 2);
   case PeUdata4: return cursor_number(at, 4);
   case PeUdata8:
   case PeSdata8: return cursor_number(at, 8);
   case PeSdata2: return (ULong)(Long)(Short)cursor_number(at, 2);
   case PeSdata4: return (ULong)(Long)(Int)cursor_number(at, 4);
   default: at->failed = True; return 0;
   }
}

/* The address encoding of the FDEs that name the CIE at `offset`; PeOmit if it
   cannot be understood.  */
static UInt encoding_of_cie(const UChar* section, ULong size, ULong offset)
{
   Cursor at = {section, offset, size, False};
   ULong length = cursor_number(&at, LENGTH_SIZE);
   if (at.failed || length == LONG_RECORD || length > size - at.offset)
      return PeOmit;
   at.end = at.offset + length;
   if (cursor_number(&at, ID_SIZE) != 0)
      return PeOmit;
   UInt version = (UInt)cursor_number(&at, 1);
   HChar augmentation[8] = "";
   UInt n = 0;
   for (HChar c; (c = (HChar)cursor_number(&at, 1)) != '\0' && !at.failed;)
      if (n + 1 < sizeof augmentation)
         augmentation[n++] = c;
      else
         return PeOmit; /* none that is known is so long */
   if (augmentation[0] != 'z')
      return augmentation[0] == '\0' ? PeAbsolute : PeOmit;
   cursor_unsigned(&at); /* code alignment */
   cursor_signed(&at);   /* data alignment */
   if (version == 1)
      cursor_number(&at, 1); /* return address register */
   else
      cursor_unsigned(&at);
   cursor_unsigned(&at); /* augmentation length */
   UInt encoding = PeAbsolute;
   for (UInt i = 1; i < n; i++)
      switch (augmentation[i]) {
      case 'R': encoding = (UInt)cursor_number(&at, 1); break;
      case 'L': cursor_number(&at, 1); break;
      case 'P': read_format(&at, (UInt)cursor_number(&at, 1)); break;
      default: break; /* 'S' and 'B' have no data */
      }
   return at.failed ? PeOmit : encoding;
}

/* Reads the function of the FDE whose body is at `at`.  False if it cannot be used.  */
static Bool read_extent(Cursor* at, UInt encoding, Addr section_address,
                        FunctionExtent* extent)
{
   UInt relative = encoding & 0x70;
   if (encoding == PeOmit || encoding & 0x80 ||
       (relative != 0 && relative != PePcRelative))
      return False;
   Addr place = section_address + (Addr)at->offset;
   Addr start = (Addr)read_format(at, encoding);
   if (relative == PePcRelative)
      start += place;
   /* A size is never relative and never negative.  */
   Addr size = (Addr)read_format(at, encoding & 0x07);
   extent->start = start;
   extent->end = start + size;
   return !at->failed && size != 0 && extent->end > start && start != 0;
}

static Int compare_extents(const void* a, const void* b)
{
   const FunctionExtent* e = a;
   const FunctionExtent* f = b;
   return e->start < f->start ? -1 : e->start > f->start ? 1 : 0;
}

FunctionExtents elf_functions_read(const UChar* bytes, ULong size, Addr address)
{
   FunctionExtents found = {0, NULL};
   UInt capacity = 0;
   ULong last_cie = ~0ULL;
   UInt last_encoding = PeOmit;
   Cursor at = {bytes, 0, size, False};
   while (size - at.offset >= RECORD_START) {
      ULong length = cursor_number(&at, LENGTH_SIZE);
      ULong body = at.offset;
      if (length < ID_SIZE || length == LONG_RECORD || length > size - body)
         break; /* the end mark, or nothing that can be read */
      ULong id = cursor_number(&at, ID_SIZE);
      if (id != 0 && id <= body) {
         if (body - id != last_cie) {
            last_cie = body - id;
            last_encoding = encoding_of_cie(bytes, size, last_cie);
         }
         if (found.n_extents == capacity) {
            capacity = capacity == 0 ? 256 : capacity * 2;
            found.extents = VG_(realloc)("elf_functions.extents", found.extents,
                                         capacity * sizeof(FunctionExtent));
         }
         Cursor fde = {bytes, at.offset, body + length, False};
         if (read_extent(&fde, last_encoding, address, &found.extents[found.n_extents]))
            found.n_extents++;
      }
      at.offset = body + length;
   }
   if (found.n_extents > 0)
      VG_(ssort)(found.extents, found.n_extents, sizeof(FunctionExtent), compare_extents);
   return found;
}

/* The last extent that begins at or before `address`, or NULL.  */
static const FunctionExtent* last_from(const FunctionExtents* functions, Addr address)
{
   UInt low = 0, high = functions->n_extents;
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      if (functions->extents[middle].start <= address)
         low = middle + 1;
      else
         high = middle;
   }
   return low == 0 ? NULL : &functions->extents[low - 1];
}

const FunctionExtent* elf_functions_find(const FunctionExtents* functions, Addr address)
{
   const FunctionExtent* found = last_from(functions, address);
   return found != NULL && address < found->end ? found : NULL;
}

Bool elf_functions_has_any(const FunctionExtents* functions, Addr first, Addr last)
{
   const FunctionExtent* found = last_from(functions, last);
   return found != NULL && first < found->end;
}
