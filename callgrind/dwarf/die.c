/* SPDX-License-Identifier: GPL-2.0-or-later

   See die.h.  */

#include "dwarf/die.h"

Bool die_read(DwarfUnit* unit, ULong offset, Die* die)
{
   if (offset < unit->root || offset >= unit->end)
      return False;
   Cursor at = {unit->file->sections[SectionInfo].bytes, offset, unit->end, False};
   ULong number = cursor_unsigned(&at);
   if (at.failed || number == 0)
      return False;
   const Abbreviation* abbreviation = abbreviations_find(unit->abbreviations, number);
   if (abbreviation == NULL)
      return False;
   *die = (Die){unit, offset, *abbreviation, at.offset};
   return True;
}

/*--------------------------------------------------------------------*/
/* Values                                                              */

/* The size of a form's number; 0 if it has none of a size.  */
static UInt size_of_form(const DwarfUnit* unit, UInt form)
{
   switch (form) {
   case FormData1:
   case FormFlag:
   case FormRef1:
   case FormStrx1:
   case FormAddrx1: return 1;
   case FormData2:
   case FormRef2:
   case FormStrx2:
   case FormAddrx2: return 2;
   case FormStrx3:
   case FormAddrx3: return 3;
   case FormData4:
   case FormRef4:
   case FormRefSup4:
   case FormStrx4:
   case FormAddrx4: return 4;
   case FormData8:
   case FormRef8:
   case FormRefSig8:
   case FormRefSup8: return 8;
   case FormAddr: return unit->address_size;
   /* In version 2 it had the size of an address.  */
   case FormRefAddr: return unit->version > 2 ? unit->offset_size : unit->address_size;
   case FormStrp:
   case FormLineStrp:
   case FormStrpSup:
   case FormSecOffset:
   case FormGnuRefAlt:
   case FormGnuStrpAlt: return unit->offset_size;
   default: return 0;
   }
}

/* Passes over a block, whose size comes first.  */
static void skip_block(Cursor* at, UInt form)
{
   switch (form) {
   case FormBlock1: cursor_skip(at, cursor_number(at, 1)); break;
   case FormBlock2: cursor_skip(at, cursor_number(at, 2)); break;
   case FormBlock4: cursor_skip(at, cursor_number(at, 4)); break;
   default: cursor_skip(at, cursor_unsigned(at)); break;
   }
}

DieValue die_read_value(const DwarfUnit* unit, Cursor* at, UInt form, Long constant)
{
   DieValue value = {form, 0, NULL};
   if (form == FormIndirect) {
      value.form = (UInt)cursor_unsigned(at);
      if (value.form == FormIndirect || value.form == FormImplicitConst)
         at->failed = True;
   }
   UInt size = size_of_form(unit, value.form);
   if (size != 0) {
      value.number = cursor_number(at, size);
      return value;
   }
   switch (value.form) {
   case FormImplicitConst: value.number = (ULong)constant; break;
   case FormFlagPresent: value.number = 1; break;
   case FormSdata: value.number = (ULong)cursor_signed(at); break;
   case FormUdata:
   case FormRefUdata:
   case FormStrx:
   case FormAddrx:
   case FormLoclistx:
   case FormRnglistx:
   case FormGnuAddrIndex:
   case FormGnuStrIndex: value.number = cursor_unsigned(at); break;
   case FormString: value.text = cursor_text(at); break;
   case FormData16: cursor_skip(at, 16); break;
   case FormBlock:
   case FormBlock1:
   case FormBlock2:
   case FormBlock4:
   case FormExprloc: skip_block(at, value.form); break;
   default: at->failed = True;
   }
   return value;
}

DieAttributes die_attributes(const Die* die)
{
   const UChar* bytes = die->unit->file->sections[SectionInfo].bytes;
   return (DieAttributes){
      .unit = die->unit,
      .at = {bytes, die->attributes, die->unit->end, False},
      .form = die->abbreviation.first,
      .end_form = die->abbreviation.first + die->abbreviation.n,
   };
}

Bool die_next_attribute(DieAttributes* attributes)
{
   if (attributes->form == attributes->end_form || attributes->at.failed)
      return False;
   const AttributeForm* form =
      abbreviations_form(attributes->unit->abbreviations, attributes->form++);
   attributes->attribute = form->attribute;
   attributes->value =
      die_read_value(attributes->unit, &attributes->at, form->form, form->constant);
   return !attributes->at.failed;
}

/*--------------------------------------------------------------------*/
/* What values mean                                                    */

static const HChar* text_in(const DwarfFile* file, DwarfSectionId id, ULong offset)
{
   const DwarfSection* section = &file->sections[id];
   return offset < section->size ? (const HChar*)section->bytes + offset : NULL;
}

/* Number `index` of those of this size in a section, from `base` on.  */
static Bool indexed(const DwarfUnit* unit, DwarfSectionId id, ULong base, UInt size,
                    ULong index, ULong* number)
{
   const DwarfSection* section = &unit->file->sections[id];
   if (base > section->size || index >= (section->size - base) / size)
      return False;
   Cursor at = {section->bytes, base + index * size, section->size, False};
   *number = cursor_number(&at, size);
   return !at.failed;
}

const HChar* die_text(const DwarfUnit* unit, DieValue value)
{
   ULong offset;
   switch (value.form) {
   case FormString: return value.text;
   case FormStrp: return text_in(unit->file, SectionStr, value.number);
   case FormLineStrp: return text_in(unit->file, SectionLineStr, value.number);
   case FormStrpSup:
   case FormGnuStrpAlt:
      return unit->file->alternate != NULL
                ? text_in(unit->file->alternate, SectionStr, value.number)
                : NULL;
   case FormStrx:
   case FormStrx1:
   case FormStrx2:
   case FormStrx3:
   case FormStrx4:
   case FormGnuStrIndex:
      return indexed(unit, SectionStrOffsets, unit->str_offsets, unit->offset_size,
                     value.number, &offset)
                ? text_in(unit->file, SectionStr, offset)
                : NULL;
   default: return NULL;
   }
}

Bool die_indexed_address(const DwarfUnit* unit, ULong index, Addr* address)
{
   ULong number;
   if (unit->file->skeleton != NULL)
      unit = unit->file->skeleton;
   if (!indexed(unit, SectionAddr, unit->addresses, unit->address_size, index, &number))
      return False;
   *address = (Addr)number;
   return True;
}

Bool die_address(const DwarfUnit* unit, DieValue value, Addr* address)
{
   switch (value.form) {
   case FormAddr: *address = (Addr)value.number; return True;
   case FormAddrx:
   case FormAddrx1:
   case FormAddrx2:
   case FormAddrx3:
   case FormAddrx4:
   case FormGnuAddrIndex: return die_indexed_address(unit, value.number, address);
   default: return False;
   }
}

Bool die_number(DieValue value, ULong* number)
{
   switch (value.form) {
   case FormData1:
   case FormData2:
   case FormData4:
   case FormData8:
   case FormSdata:
   case FormUdata:
   case FormImplicitConst:
   case FormSecOffset: *number = value.number; return True;
   default: return False;
   }
}

Bool die_reference(const DwarfUnit* unit, DieValue value, DwarfFile** file, ULong* offset)
{
   *file = unit->file;
   *offset = value.number;
   switch (value.form) {
   case FormRef1:
   case FormRef2:
   case FormRef4:
   case FormRef8:
   case FormRefUdata: *offset += unit->start; return *offset >= unit->start;
   case FormRefAddr: return True;
   case FormRefSup4:
   case FormRefSup8:
   case FormGnuRefAlt: *file = unit->file->alternate; return *file != NULL;
   default: return False;
   }
}

/*--------------------------------------------------------------------*/
/* Walks                                                               */

DieWalk die_walk(DwarfUnit* unit) { return (DieWalk){unit, unit->root, 0, False, False}; }

/* Is there the end of a list of children?  */
static Bool is_end_of_children(const DieWalk* walk)
{
   return walk->depth > 0 &&
          walk->unit->file->sections[SectionInfo].bytes[walk->next] == 0;
}

Bool die_walk_next(DieWalk* walk, Die* die, UInt* depth)
{
   while (!walk->has_ended && walk->next < walk->unit->end && is_end_of_children(walk)) {
      walk->next++;
      walk->has_ended = --walk->depth == 0;
   }
   if (walk->has_ended || walk->next >= walk->unit->end)
      return False;
   DieAttributes attributes;
   if (!die_read(walk->unit, walk->next, die) || walk->depth >= DIE_DEEPEST) {
      walk->has_ended = walk->failed = True;
      return False;
   }
   attributes = die_attributes(die);
   while (die_next_attribute(&attributes))
      ;
   *depth = walk->depth;
   walk->next = attributes.at.offset;
   walk->failed = walk->has_ended = attributes.at.failed;
   if (die->abbreviation.has_children)
      walk->depth++;
   else if (walk->depth == 0)
      walk->has_ended = True;
   return !walk->failed;
}
