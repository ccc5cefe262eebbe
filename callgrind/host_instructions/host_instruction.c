/* SPDX-License-Identifier: GPL-2.0-or-later

   See host_instruction.h.  */

#include "host_instructions/host_instruction.h"

#if defined(VGA_amd64)

#include "pub_tool_libcbase.h"

/* The bytes that are still to be read, and the prefixes that were.  */
typedef struct {
   const UChar* at;
   const UChar* end;
   Bool has_66, has_f2, has_f3;
   UChar r, x, b; /* the bits that make ModRM's numbers longer */
   UChar r_high, v_high;
} Reader;

static Bool has(const Reader* reader, UInt n)
{
   return (SizeT)(reader->end - reader->at) >= n;
}

/* False at a prefix that none of these instructions may have.  */
static Bool read_prefixes(Reader* reader, HostInstruction* instruction)
{
   for (; has(reader, 1); reader->at++)
      switch (*reader->at) {
      case 0x66: reader->has_66 = True; break;
      case 0xf2: reader->has_f2 = True, reader->has_f3 = False; break;
      case 0xf3: reader->has_f3 = True, reader->has_f2 = False; break;
      case 0x67: instruction->is_32_bits = True; break;
      case 0x64: instruction->segment = SegmentFs; break;
      case 0x65: instruction->segment = SegmentGs; break;
      case 0x26:
      case 0x2e:
      case 0x36:
      case 0x3e: break;
      case 0xf0: return False;
      default: return True;
      }
   return False;
}

/* What is common to the last bytes of VEX and EVEX: W vvvv ? pp.  */
static void read_payload(HostInstruction* instruction, UChar byte)
{
   instruction->wide = byte >> 7;
   instruction->other = ~byte >> 3 & 15;
   instruction->prefix = byte & 3;
}

static Bool read_evex(Reader* reader, HostInstruction* instruction)
{
   if (!has(reader, 5))
      return False;
   const UChar* payload = reader->at + 1;
   instruction->encoding = EncodingEvex;
   if ((payload[0] & 8) != 0 || (payload[1] & 4) == 0)
      return False;
   instruction->map = payload[0] & 7;
   reader->r = ~payload[0] >> 7 & 1;
   reader->x = ~payload[0] >> 6 & 1;
   reader->b = ~payload[0] >> 5 & 1;
   reader->r_high = ~payload[0] >> 4 & 1;
   read_payload(instruction, payload[1]);
   instruction->zeroes = payload[2] >> 7;
   instruction->length = payload[2] >> 5 & 3;
   instruction->is_broadcast = payload[2] >> 4 & 1;
   reader->v_high = ~payload[2] >> 3 & 1;
   instruction->mask = payload[2] & 7;
   reader->at += 4;
   return True;
}

static Bool read_vex(Reader* reader, HostInstruction* instruction)
{
   const Bool is_short = *reader->at == 0xc5;
   if (!has(reader, is_short ? 3 : 4))
      return False;
   const UChar* payload = reader->at + 1;
   const UChar last = payload[is_short ? 0 : 1];
   instruction->encoding = EncodingVex;
   read_payload(instruction, last);
   instruction->wide = is_short ? 0 : instruction->wide;
   instruction->length = last >> 2 & 1;
   instruction->map = is_short ? 1 : payload[0] & 31;
   reader->r = ~payload[0] >> 7 & 1;
   if (!is_short) {
      reader->x = ~payload[0] >> 6 & 1;
      reader->b = ~payload[0] >> 5 & 1;
   }
   reader->at += is_short ? 2 : 3;
   return instruction->map <= 7;
}

/* What the encodings without a prefix of their own have.  */
static Bool read_legacy(Reader* reader, HostInstruction* instruction)
{
   instruction->encoding = EncodingLegacy;
   instruction->prefix = reader->has_f2 ? 3 : reader->has_f3 ? 2 : reader->has_66 ? 1 : 0;
   if ((*reader->at & 0xf0) == 0x40) {
      const UChar rex = *reader->at++;
      instruction->wide = rex >> 3 & 1;
      reader->r = rex >> 2 & 1;
      reader->x = rex >> 1 & 1;
      reader->b = rex & 1;
   }
   if (!has(reader, 2) || *reader->at++ != 0x0f)
      return False;
   instruction->map = *reader->at == 0x38 ? 2 : *reader->at == 0x3a ? 3 : 1;
   reader->at += instruction->map > 1;
   return has(reader, 1);
}

static Bool read_opcode(Reader* reader, HostInstruction* instruction)
{
   if (!read_prefixes(reader, instruction))
      return False;
   const UChar byte = *reader->at;
   const Bool is_vector = byte == 0x62 || byte == 0xc4 || byte == 0xc5;
   if (is_vector && (reader->has_66 || reader->has_f2 || reader->has_f3))
      return False;
   if (!(byte == 0x62 ? read_evex
         : is_vector  ? read_vex
                      : read_legacy)(reader, instruction))
      return False;
   instruction->opcode = *reader->at++;
   return has(reader, 1);
}

static Bool find_form(HostInstruction* instruction)
{
   const UInt wide = instruction->encoding == EncodingLegacy ? 0 : instruction->wide;
   const UInt key = FORM_KEY(instruction->encoding, instruction->map, instruction->prefix,
                             wide, instruction->opcode, 0);
   instruction->form = form_table_find(key);
   if (instruction->form == NULL)
      instruction->form = form_table_find(key + (instruction->modrm >> 3 & 7) + 1);
   return instruction->form != NULL;
}

static Bool read_number(Reader* reader, UInt size, Long* number)
{
   Int word = 0;
   if (!has(reader, size))
      return False;
   VG_(memcpy)(&word, reader->at, size);
   *number = size == 1 ? (Long)(Char)word : (Long)word;
   reader->at += size;
   return True;
}

static Bool is_indexed_by_vector(const HostInstruction* instruction)
{
   return instruction->form->memory == MemoryGather ||
          instruction->form->memory == MemoryScatter;
}

/* False: there is no such instruction.  */
static Bool read_index(Reader* reader, HostInstruction* instruction, Bool* has_base)
{
   if (!has(reader, 1))
      return False;
   const UChar sib = *reader->at++;
   UChar index = (UChar)((sib >> 3 & 7) | reader->x << 3);
   if (is_indexed_by_vector(instruction))
      index |= (UChar)(reader->v_high << 4);
   else if (index == 4)
      index = HOST_NO_REGISTER;
   instruction->index = index;
   instruction->scale = sib >> 6;
   instruction->base = (UChar)((sib & 7) | reader->b << 3);
   *has_base = (sib & 7) != 5 || instruction->modrm >= 0x40;
   return True;
}

static void find_memory_size(HostInstruction* instruction)
{
   const InstructionForm* form = instruction->form;
   const UInt length = instruction->length < 3 ? instruction->length : 2;
   const Bool is_doubled = instruction->encoding == EncodingLegacy && instruction->wide &&
                           form->reg == OperandGeneral && form->memory != MemoryMove64;
   instruction->memory_size =
      instruction->is_broadcast && instruction->encoding == EncodingEvex ? form->broadcast
      : instruction->encoding == EncodingLegacy ? (UInt)form->sizes[0] << is_doubled
                                                : form->sizes[length];
}

/* The operand in memory.  EVEX's displacement of one byte counts what is read or written,
   or elements of it.  */
static Bool read_address(Reader* reader, HostInstruction* instruction)
{
   const UChar mode = instruction->modrm >> 6, rm = instruction->modrm & 7;
   const InstructionForm* form = instruction->form;
   Bool has_base = True;
   UInt size = mode == 1 ? 1 : mode == 2 ? 4 : 0;
   instruction->index = HOST_NO_REGISTER;
   instruction->base = (UChar)(rm | reader->b << 3);
   if (rm == 4 && !read_index(reader, instruction, &has_base))
      return False;
   if (rm == 5 && mode == 0) {
      instruction->base = HOST_INSTRUCTION_POINTER;
      size = 4;
   } else if (!has_base) {
      instruction->base = HOST_NO_REGISTER;
      size = 4;
   }
   if (!read_number(reader, size, &instruction->displacement))
      return False;
   find_memory_size(instruction);
   const UInt length = instruction->length < 3 ? instruction->length : 2;
   if (mode == 1 && instruction->encoding == EncodingEvex)
      instruction->displacement *=
         instruction->is_broadcast ? form->broadcast : form->scales[length];
   return form->memory != MemoryNone && instruction->memory_size > 0 &&
          (rm == 4 || !is_indexed_by_vector(instruction));
}

static Bool read_operands(Reader* reader, HostInstruction* instruction)
{
   instruction->reg =
      (UChar)((instruction->modrm >> 3 & 7) | reader->r << 3 | reader->r_high << 4);
   instruction->other |= (UChar)(reader->v_high << 4);
   instruction->is_memory = instruction->modrm < 0xc0;
   if (instruction->is_memory)
      return read_address(reader, instruction);
   instruction->rm = (UChar)((instruction->modrm & 7) | reader->b << 3);
   if (instruction->form->rm == OperandVector && instruction->encoding == EncodingEvex)
      instruction->rm |= (UChar)(reader->x << 4);
   return instruction->form->rm != OperandNone || instruction->opcode == 0x01;
}

/* Where a register has fewer than the field can say, the processor takes no notice of the
   rest, or refuses.  */
static Bool has_registers(const HostInstruction* instruction)
{
   const InstructionForm* form = instruction->form;
   return !(form->reg == OperandMask && instruction->reg > 7) &&
          !(form->reg == OperandGeneral && instruction->reg > 15) &&
          !(form->other == OperandMask && instruction->other > 7) &&
          !(form->other == OperandGeneral && instruction->other > 15) &&
          !(form->other == OperandNone && instruction->encoding != EncodingLegacy &&
            !is_indexed_by_vector(instruction) && instruction->other != 0);
}

Bool host_instruction_read(const UChar* code, UInt available,
                           HostInstruction* instruction)
{
   Reader reader = {.at = code, .end = code + available};
   VG_(memset)(instruction, 0, sizeof *instruction);
   if (!read_opcode(&reader, instruction))
      return False;
   instruction->modrm = *reader.at++;
   if (!find_form(instruction) || !read_operands(&reader, instruction) ||
       !has_registers(instruction) || !has(&reader, instruction->form->immediate) ||
       (instruction->encoding == EncodingLegacy && instruction->opcode == 0x01 &&
        instruction->map == 1 && instruction->modrm != 0xe8))
      return False;
   if (instruction->form->immediate > 0)
      instruction->immediate = *reader.at++;
   instruction->size = (UChar)(reader.at - code);
   return True;
}

Bool host_instruction_is_beyond_core(const HostInstruction* instruction)
{
   const InstructionForm* form = instruction->form;
   return instruction->encoding == EncodingEvex || form->reg == OperandMask ||
          form->rm == OperandMask;
}

Bool host_instruction_is_wide(const HostInstruction* instruction)
{
   return instruction->encoding == EncodingEvex &&
          (instruction->length >= 2 ||
           (instruction->is_broadcast && !instruction->is_memory));
}

#endif
