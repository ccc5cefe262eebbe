/* SPDX-License-Identifier: GPL-2.0-or-later

   See die.h.  */

#include "dwarf/die.h"

Bool die_read(DwarfUnit* unit, ULong offset, Die* die)
{
   if (offset < unit->root || offset >= unit->end)
      return False;
   Cursor at = {unit->file->sections[SectionInfo].bytes, offset, unit->end, False};
   ULong number = at.bytes[offset]; /* most are small */
   if (number < 0x80)
      at.offset++;
   else
      number = cursor_unsigned(&at);
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

static ULong in_bytes(const DwarfUnit* unit, FormSize size)
{
   return size.bytes + (ULong)size.addresses * unit->address_size +
          (ULong)size.offsets * unit->offset_size;
}

/* The size of a form's number; 0 if it has none of a size.  */
static UInt size_of_number(const DwarfUnit* unit, UInt form)
{
   /* In version 2 it had the size of an address.  */
   if (form == FormRefAddr)
      return unit->version > 2 ? unit->offset_size : unit->address_size;
   return form == FormData16 ? 0 : (UInt)in_bytes(unit, form_size(form));
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
   UInt size = size_of_number(unit, value.form);
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

static const HChar* text_in(DwarfFile* file, DwarfSectionId id, ULong offset)
{
   const DwarfSection* section = dwarf_file_section(file, id);
   return offset < section->size ? (const HChar*)section->bytes + offset : NULL;
}

/* Number `index` of those of this size in a section, from `base` on.  */
static Bool indexed(const DwarfUnit* unit, DwarfSectionId id, ULong base, UInt size,
                    ULong index, ULong* number)
{
   const DwarfSection* section = dwarf_file_section(unit->file, id);
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

/* Sets `end` to where an entry ends, as far as its attributes go.  */
static Bool skip_attributes(const Die* die, ULong* end)
{
   const FormSize size = die->abbreviation.size;
   if (!size.varies) {
      *end = die->attributes + in_bytes(die->unit, size);
      return *end <= die->unit->end;
   }
   DieAttributes attributes = die_attributes(die);
   while (die_next_attribute(&attributes))
      ;
   *end = attributes.at.offset;
   return !attributes.at.failed;
}

Bool die_walk_next(DieWalk* walk, Die* die, UInt* depth)
{
   while (!walk->has_ended && walk->next < walk->unit->end && is_end_of_children(walk)) {
      walk->next++;
      walk->has_ended = --walk->depth == 0;
   }
   if (walk->has_ended || walk->next >= walk->unit->end)
      return False;
   if (!die_read(walk->unit, walk->next, die) || walk->depth >= DIE_DEEPEST) {
      walk->has_ended = walk->failed = True;
      return False;
   }
   *depth = walk->depth;
   walk->failed = walk->has_ended = !skip_attributes(die, &walk->next);
   if (die->abbreviation.has_children)
      walk->depth++;
   else if (walk->depth == 0)
      walk->has_ended = True;
   return !walk->failed;
}
