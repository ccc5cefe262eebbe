/* SPDX-License-Identifier: GPL-2.0-or-later

   See x86_decode.h.  Facts about the encoding are those of the processors' manuals.  */

#include "cycles/x86_decode.h"

/* The bytes that are still to be read.  */
typedef struct {
   const UChar* at;
   const UChar* end;
   Bool has_66, has_f2, has_f3, has_67;
   UChar rex; /* its low bits: W R X B */
} Reader;

static Bool in(UInt value, UInt low, UInt high) { return value - low <= high - low; }

/*--------------------------------------------------------------------*/
/* What opcodes have                                                   */

static Bool one_has_modrm(UInt op)
{
   if (op < 0x40)
      return (op & 7) < 4;
   return op == 0x63 || op == 0x69 || op == 0x6b || in(op, 0x80, 0x8f) ||
          in(op, 0xc0, 0xc1) || in(op, 0xc6, 0xc7) || in(op, 0xd0, 0xd3) ||
          in(op, 0xd8, 0xdf) || in(op, 0xf6, 0xf7) || op >= 0xfe;
}

static Bool two_has_modrm(UInt op)
{
   return !(in(op, 0x05, 0x0b) || op == 0x0e || in(op, 0x30, 0x37) || op == 0x77 ||
            in(op, 0x80, 0x8f) || in(op, 0xa0, 0xa2) || in(op, 0xa8, 0xaa) ||
            in(op, 0xc8, 0xcf));
}

/* Does ModRM's register say which instruction it is?  */
static Bool has_digit(UInt map, UInt op)
{
   if (map == X86MapOne)
      return in(op, 0x80, 0x83) || op == 0x8f || in(op, 0xc0, 0xc1) ||
             in(op, 0xc6, 0xc7) || in(op, 0xd0, 0xd3) || in(op, 0xd8, 0xdf) ||
             in(op, 0xf6, 0xf7) || op >= 0xfe;
   if (map == X86Map0F)
      return op <= 0x01 || op == 0x0d || op == 0x18 || op == 0x1e || in(op, 0x71, 0x73) ||
             op == 0xae || op == 0xba || op == 0xc7;
   return map == X86Map0F38 && op == 0xf3;
}

/* And its other register, too?  */
static Bool has_whole_modrm(UInt map, UInt op)
{
   return map == X86MapOne ? in(op, 0xd8, 0xdf)
                           : map == X86Map0F && (op == 0x01 || op == 0x1e);
}

/* May F2 or F3 repeat it?  */
static Bool is_string(UInt op)
{
   return in(op, 0x6c, 0x6f) || in(op, 0xa4, 0xa7) || in(op, 0xaa, 0xaf) || op == 0x90;
}

static UInt one_immediate(UInt op, UInt digit, Bool is_wide, UInt word)
{
   if (op < 0x40)
      return (op & 7) == 4 ? 1 : (op & 7) == 5 ? word : 0;
   if (in(op, 0x70, 0x7f) || in(op, 0xb0, 0xb7) || in(op, 0xe0, 0xe7))
      return 1;
   if (in(op, 0xb8, 0xbf))
      return is_wide ? 8 : word;
   switch (op) {
   case 0x6a:
   case 0x6b:
   case 0x80:
   case 0x82:
   case 0x83:
   case 0xa8:
   case 0xc0:
   case 0xc1:
   case 0xc6:
   case 0xcd:
   case 0xeb: return 1;
   case 0x68:
   case 0x69:
   case 0x81:
   case 0xa9:
   case 0xc7: return word;
   case 0xc2:
   case 0xca: return 2;
   case 0xc8: return 3;
   case 0xe8:
   case 0xe9: return 4;
   case 0xf6: return digit < 2 ? 1 : 0;
   case 0xf7: return digit < 2 ? word : 0;
   default: return 0;
   }
}

static UInt two_immediate(UInt op)
{
   if (in(op, 0x80, 0x8f))
      return 4;
   return in(op, 0x70, 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
          in(op, 0xc4, 0xc6);
}

/*--------------------------------------------------------------------*/
/* Reading                                                             */

static Bool read_number(Reader* reader, UInt size, Long* number)
{
   if (reader->at + size > reader->end)
      return False;
   ULong value = 0;
   for (UInt i = 0; i < size; i++)
      value |= (ULong)reader->at[i] << 8 * i;
   reader->at += size;
   UInt unused = 64 - 8 * size;
   *number = size == 0 ? 0 : (Long)(value << unused) >> unused;
   return True;
}

static void read_prefixes(Reader* reader, X86Instruction* instruction)
{
   for (; reader->at < reader->end; reader->at++)
      switch (*reader->at) {
      case 0x66: reader->has_66 = True; break;
      case 0xf2: reader->has_f2 = True, reader->has_f3 = False; break;
      case 0xf3: reader->has_f3 = True, reader->has_f2 = False; break;
      case 0xf0: instruction->is_locked = True; break;
      case 0x67: reader->has_67 = True; break;
      case 0x26:
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x64:
      case 0x65: break;
      default: return;
      }
}

/* VEX in two or three bytes.  */
static Bool read_vex(Reader* reader, X86Instruction* instruction)
{
   Bool is_short = *reader->at == 0xc5;
   if (reader->at + 3 > reader->end)
      return False;
   UInt first = reader->at[1], second = is_short ? first : reader->at[2];
   instruction->is_vex = True;
   instruction->map = is_short ? X86Map0F : (UChar)(first & 0x1f);
   instruction->is_wide = !is_short && (second & 0x80) != 0;
   instruction->is_long = (second & 4) != 0;
   instruction->prefix =
      (UChar[]){X86PrefixNone, X86Prefix66, X86PrefixF3, X86PrefixF2}[second & 3];
   instruction->other = (UChar)(~second >> 3 & 15);
   reader->rex = (UChar)(is_short ? ~first >> 5 & 4 : ~first >> 5 & 7);
   reader->at += is_short ? 2 : 3;
   return in(instruction->map, X86Map0F, X86Map0F3A);
}

/* Up to the opcode.  */
static Bool read_opcode(Reader* reader, X86Instruction* instruction)
{
   read_prefixes(reader, instruction);
   if (reader->at < reader->end && (*reader->at & 0xf0) == 0x40)
      reader->rex = *reader->at++ & 15;
   if (reader->at >= reader->end)
      return False;
   if (*reader->at == 0xc4 || *reader->at == 0xc5) {
      if (!read_vex(reader, instruction))
         return False;
   } else {
      instruction->is_wide = (reader->rex & 8) != 0;
      instruction->prefix = reader->has_f2   ? X86PrefixF2
                            : reader->has_f3 ? X86PrefixF3
                            : reader->has_66 ? X86Prefix66
                                             : X86PrefixNone;
      if (*reader->at == 0x0f) {
         instruction->map = X86Map0F;
         if (++reader->at >= reader->end)
            return False;
         if (*reader->at == 0x38 || *reader->at == 0x3a)
            instruction->map = *reader->at++ == 0x38 ? X86Map0F38 : X86Map0F3A;
      }
   }
   if (reader->at >= reader->end)
      return False;
   instruction->opcode = *reader->at++;
   if (instruction->map == X86MapOne && !is_string(instruction->opcode))
      instruction->prefix = reader->has_66 ? X86Prefix66 : X86PrefixNone;
   return !(instruction->map == X86MapOne && instruction->opcode == 0x62);
}

/* The address of an operand in memory.  */
static Bool read_address(Reader* reader, UInt modrm, X86Instruction* instruction)
{
   UInt mode = modrm >> 6, rm = modrm & 7, size = mode == 1 ? 1 : mode == 2 ? 4 : 0;
   instruction->scale = 1;
   instruction->base = (UChar)(rm | (reader->rex & 1) << 3);
   if (rm == 4) {
      if (reader->at >= reader->end)
         return False;
      UInt sib = *reader->at++;
      UInt index = (sib >> 3 & 7) | (reader->rex & 2) << 2;
      instruction->index = index == 4 ? X86_NO_REGISTER : (UChar)index;
      instruction->scale = (UChar)(1 << (sib >> 6));
      instruction->base = (UChar)((sib & 7) | (reader->rex & 1) << 3);
      if ((sib & 7) == 5 && mode == 0) {
         instruction->base = X86_NO_REGISTER;
         size = 4;
      }
   } else if (rm == 5 && mode == 0) {
      instruction->base = X86_RIP;
      size = 4;
   }
   return read_number(reader, size, &instruction->displacement);
}

static Bool read_modrm(Reader* reader, X86Instruction* instruction)
{
   if (reader->at >= reader->end)
      return False;
   UInt modrm = *reader->at++;
   instruction->reg = (UChar)((modrm >> 3 & 7) | (reader->rex & 4) << 1);
   instruction->is_memory = modrm < 0xc0;
   if (instruction->is_memory)
      return read_address(reader, modrm, instruction);
   instruction->rm = (UChar)((modrm & 7) | (reader->rex & 1) << 3);
   return True;
}

static UInt form_of(const X86Instruction* instruction)
{
   UInt map = instruction->map, op = instruction->opcode;
   UInt form = op | map << 8 | (UInt)instruction->prefix << 10 |
               (UInt)instruction->is_vex << 12 | (UInt)instruction->is_wide << 13 |
               (UInt)instruction->is_long << 14 | (UInt)instruction->is_memory << 15 |
               (UInt)instruction->is_locked << 21;
   if (!instruction->has_modrm)
      return form;
   if (has_digit(map, op)) {
      form |= ((instruction->reg & 7u) + 1) << 16;
      if (has_whole_modrm(map, op) && !instruction->is_vex && !instruction->is_memory)
         form |= ((instruction->rm & 7u) + 1) << 22;
   } else if (!instruction->is_memory) {
      UInt same = instruction->is_vex ? instruction->other : instruction->reg;
      form |= (UInt)(same == instruction->rm) << 20;
   }
   return form;
}

Bool x86_decode(const UChar* code, UInt available, X86Instruction* instruction)
{
   Reader reader = {.at = code, .end = code + (available < 15 ? available : 15)};
   *instruction = (X86Instruction){.base = X86_NO_REGISTER, .index = X86_NO_REGISTER};
   if (!read_opcode(&reader, instruction))
      return False;
   UInt map = instruction->map, op = instruction->opcode;
   instruction->has_modrm = map == X86MapOne  ? one_has_modrm(op)
                            : map == X86Map0F ? two_has_modrm(op)
                                              : True;
   instruction->rm = (UChar)((op & 7) | (reader.rex & 1) << 3);
   if (instruction->has_modrm && !read_modrm(&reader, instruction))
      return False;
   UInt word = reader.has_66 && !instruction->is_wide ? 2 : 4;
   UInt size = map == X86MapOne
                  ? one_immediate(op, instruction->reg & 7u, instruction->is_wide, word)
               : map == X86Map0F ? two_immediate(op)
                                 : map == X86Map0F3A;
   if (map == X86MapOne && in(op, 0xa0, 0xa3))
      size = reader.has_67 ? 4 : 8;
   if (size == 3) {
      reader.at += 2;
      size = 1;
   }
   if (!read_number(&reader, size, &instruction->immediate))
      return False;
   instruction->size = (UChar)(reader.at - code);
   instruction->form = form_of(instruction);
   return True;
}
