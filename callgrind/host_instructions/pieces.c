/* SPDX-License-Identifier: GPL-2.0-or-later

   See pieces.h.  The encodings of what is around an instruction are those of Intel's
   manual, volume 2.

   A piece is put together in this order (rdi: the guest's state; rsi: the operand):

      vectors, masks and general registers     loaded from the guest's state
      rounding, if it is not to the nearest    loaded into MXCSR
      the instruction
      flags                                    pushed and popped into rax
      rounding to the nearest again
      what it has written                      stored
      vzeroupper, ret  */

#include "host_instructions/pieces.h"

#if defined(VGA_amd64) && defined(CORE_CAN_KEEP_TRANSLATIONS)

#include "base/table.h"
#include "core/wide_state.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Registers of the host's, by number.  */
enum { RAX = 0, RCX = 1, RDX = 2, RSI = 6, RDI = 7 };

/* Which of them stands for a general register in each field.  */
enum { HostReg = RAX, HostRm = RCX, HostOther = RDX };

#define LONGEST_PIECE 512

typedef struct {
   UChar bytes[LONGEST_PIECE];
   UInt n;
} Code;

/*--------------------------------------------------------------------*/
/* Putting code together                                               */

static void put(Code* code, UInt byte)
{
   tl_assert(code->n < LONGEST_PIECE);
   code->bytes[code->n++] = (UChar)byte;
}

static void put_all(Code* code, const UChar* bytes, UInt n)
{
   for (UInt i = 0; i < n; i++)
      put(code, bytes[i]);
}

#define PUT_ALL(code, ...)                                                               \
   put_all(code, (const UChar[]){__VA_ARGS__}, sizeof((const UChar[]){__VA_ARGS__}))

static void put_word(Code* code, UInt word)
{
   for (UInt i = 0; i < 4; i++)
      put(code, word >> 8 * i & 0xff);
}

/* ModRM and displacement: a register, and memory at rdi + offset.  */
static void put_in_state(Code* code, UInt reg, SizeT offset)
{
   put(code, 0x80 | (reg & 7) << 3 | RDI);
   put_word(code, (UInt)offset);
}

/* mov between a general register of the host's and the guest's state.  */
static void put_general(Code* code, Bool is_store, UInt host, UInt guest)
{
   PUT_ALL(code, 0x48, is_store ? 0x89 : 0x8b);
   put_in_state(code, host, (SizeT)pieces_general_offset(guest));
}

static void put_mask(Code* code, Bool is_store, UInt number)
{
   PUT_ALL(code, 0xc4, 0xe1, 0xf8, is_store ? 0x91 : 0x90); /* kmovq */
   put_in_state(code, number, WIDE_STATE_MASKS + 8 * (SizeT)number);
}

/* vmovdqu, the lower 16 or 32 bytes.  */
static void put_lower(Code* code, Bool is_store, UInt number, Bool is_long)
{
   PUT_ALL(code, 0xc5, (number < 8 ? 0xfa : 0x7a) | is_long << 2, is_store ? 0x7f : 0x6f);
   put_in_state(code, number,
                offsetof(VexGuestAMD64State, guest_YMM0) + 32 * (SizeT)number);
}

/* vinserti64x4 from, or vextracti64x4 to where the upper half is kept.  */
static void put_upper(Code* code, Bool is_store, UInt number)
{
   const UInt other = is_store ? 15 : ~number & 15;
   PUT_ALL(code, 0x62, number < 8 ? 0xf3 : 0x73, 0x85 | other << 3, 0x48,
           is_store ? 0x3b : 0x3a);
   put_in_state(code, number, WIDE_STATE_UPPER + 32 * (SizeT)number);
   put(code, 1);
}

/* vmovdqu64 of the registers that the core has nothing of.  */
static void put_high(Code* code, Bool is_store, UInt number)
{
   PUT_ALL(code, 0x62, (number & 8) == 0 ? 0xe1 : 0x61, 0xfe, 0x48,
           is_store ? 0x7f : 0x6f);
   put_in_state(code, number, WIDE_STATE_HIGH + 64 * (SizeT)(number - 16));
}

/*--------------------------------------------------------------------*/
/* The instruction                                                     */

/* Its fields as they are in the piece.  */
typedef struct {
   UInt reg, other, rm;
   UInt x; /* of the index, or of a vector's number */
} Fields;

static Bool has_vector_index(const HostInstruction* instruction)
{
   return instruction->is_memory && (instruction->form->memory == MemoryGather ||
                                     instruction->form->memory == MemoryScatter);
}

static Fields fields_of(const HostInstruction* instruction)
{
   const InstructionForm* form = instruction->form;
   Fields fields = {instruction->reg, instruction->other, instruction->rm, 0};
   if (form->reg == OperandGeneral)
      fields.reg = HostReg;
   if (form->other == OperandGeneral)
      fields.other = HostOther;
   if (instruction->is_memory)
      fields.rm = RSI;
   else if (form->rm == OperandGeneral)
      fields.rm = HostRm;
   fields.x = instruction->is_memory ? 0 : fields.rm >> 4 & 1;
   if (has_vector_index(instruction)) {
      fields.x = instruction->index >> 3 & 1;
      fields.other = instruction->index & 16;
   }
   return fields;
}

static void put_operands(Code* code, const HostInstruction* instruction,
                         const Fields* fields)
{
   const UInt reg = instruction->encoding == EncodingLegacy && instruction->opcode == 0x01
                       ? 5
                       : fields->reg & 7;
   if (has_vector_index(instruction)) {
      put(code, reg << 3 | 4);
      put(code, (UInt)instruction->scale << 6 | (instruction->index & 7u) << 3 | RSI);
   } else
      put(code, (instruction->is_memory ? 0 : 0xc0) | reg << 3 | (fields->rm & 7));
   if (instruction->form->immediate > 0)
      put(code, instruction->immediate);
}

static void put_evex(Code* code, const HostInstruction* instruction, const Fields* fields)
{
   PUT_ALL(
      code, 0x62,
      (~fields->reg >> 3 & 1) << 7 | (~fields->x & 1) << 6 | (~fields->rm >> 3 & 1) << 5 |
         (~fields->reg >> 4 & 1) << 4 | instruction->map,
      (UInt)instruction->wide << 7 | (~fields->other & 15) << 3 | 4 | instruction->prefix,
      (UInt)instruction->zeroes << 7 | (UInt)instruction->length << 5 |
         (UInt)instruction->is_broadcast << 4 | (~fields->other >> 4 & 1) << 3 |
         instruction->mask,
      instruction->opcode);
}

static void put_vex(Code* code, const HostInstruction* instruction, const Fields* fields)
{
   PUT_ALL(code, 0xc4,
           (~fields->reg >> 3 & 1) << 7 | 1 << 6 | (~fields->rm >> 3 & 1) << 5 |
              instruction->map,
           (UInt)instruction->wide << 7 | (~fields->other & 15) << 3 |
              (UInt)instruction->length << 2 | instruction->prefix,
           instruction->opcode);
}

static void put_legacy(Code* code, const HostInstruction* instruction,
                       const Fields* fields)
{
   static const UChar prefixes[] = {0, 0x66, 0xf3, 0xf2};
   if (instruction->prefix != 0)
      put(code, prefixes[instruction->prefix]);
   put(code, 0x40 | (UInt)instruction->wide << 3 | (fields->reg >> 3 & 1) << 2 |
                (fields->rm >> 3 & 1));
   put(code, 0x0f);
   if (instruction->map > 1)
      put(code, instruction->map == 2 ? 0x38 : 0x3a);
   put(code, instruction->opcode);
}

static void put_instruction(Code* code, const HostInstruction* instruction)
{
   const Fields fields = fields_of(instruction);
   (instruction->encoding == EncodingEvex  ? put_evex
    : instruction->encoding == EncodingVex ? put_vex
                                           : put_legacy)(code, instruction, &fields);
   put_operands(code, instruction, &fields);
}

/*--------------------------------------------------------------------*/
/* Around it                                                           */

/* The registers of an instruction by kind, as bits.  */
typedef struct {
   UInt vectors, masks;
   UInt written_vectors, written_masks;
} Sets;

static void add_operand(Sets* sets, UInt kind, UInt number, Bool is_written)
{
   if (kind == OperandVector) {
      sets->vectors |= 1u << number;
      sets->written_vectors |= (UInt)is_written << number;
   } else if (kind == OperandMask) {
      sets->masks |= 1u << (number & 7);
      sets->written_masks |= (UInt)is_written << (number & 7);
   }
}

static Sets sets_of(const HostInstruction* instruction)
{
   const InstructionForm* form = instruction->form;
   Sets sets = {0, 0, 0, 0};
   add_operand(&sets, form->reg, instruction->reg, (form->writes & WritesReg) != 0);
   add_operand(&sets, form->other, instruction->other, (form->writes & WritesOther) != 0);
   if (!instruction->is_memory)
      add_operand(&sets, form->rm, instruction->rm, (form->writes & WritesRm) != 0);
   if (has_vector_index(instruction))
      sets.vectors |= 1u << instruction->index;
   if (instruction->mask != 0)
      add_operand(&sets, OperandMask, instruction->mask, (form->writes & WritesK) != 0);
   if ((form->writes & ReadsXmm0) != 0)
      sets.vectors |= 1;
   return sets;
}

static void load(Code* code, const HostInstruction* instruction, const Sets* sets)
{
   const InstructionForm* form = instruction->form;
   const Bool is_wide = host_instruction_is_wide(instruction);
   for (UInt i = 0; i < 32; i++)
      if ((sets->vectors >> i & 1) != 0) {
         if (i >= 16)
            put_high(code, False, i);
         else {
            put_lower(code, False, i, True);
            if (is_wide)
               put_upper(code, False, i);
         }
      }
   for (UInt i = 0; i < 8; i++)
      if ((sets->masks >> i & 1) != 0)
         put_mask(code, False, i);
   if (form->reg == OperandGeneral)
      put_general(code, False, HostReg, instruction->reg);
   if (form->other == OperandGeneral)
      put_general(code, False, HostOther, instruction->other);
   if (form->rm == OperandGeneral && !instruction->is_memory)
      put_general(code, False, HostRm, instruction->rm);
}

/* Legacy instructions leave alone what lies above 16 bytes.  */
static void store(Code* code, const HostInstruction* instruction, const Sets* sets,
                  Bool clears_upper)
{
   const InstructionForm* form = instruction->form;
   const Bool is_legacy = instruction->encoding == EncodingLegacy;
   for (UInt i = 0; i < 32; i++)
      if ((sets->written_vectors >> i & 1) != 0) {
         if (i >= 16)
            put_high(code, True, i);
         else {
            put_lower(code, True, i, !is_legacy);
            if (!is_legacy && clears_upper)
               put_upper(code, True, i);
         }
      }
   for (UInt i = 0; i < 8; i++)
      if ((sets->written_masks >> i & 1) != 0)
         put_mask(code, True, i);
   if (form->reg == OperandGeneral && (form->writes & WritesReg) != 0)
      put_general(code, True, HostReg, instruction->reg);
   if (form->other == OperandGeneral && (form->writes & WritesOther) != 0)
      put_general(code, True, HostOther, instruction->other);
   if (form->rm == OperandGeneral && !instruction->is_memory &&
       (form->writes & WritesRm) != 0)
      put_general(code, True, HostRm, instruction->rm);
}

/* r8d becomes the guest's rounding, which MXCSR gets if it is not to the nearest; the
   core's generated code runs with 0x1f80.  */
static void put_rounding(Code* code)
{
   PUT_ALL(code, 0x44, 0x8b); /* mov r8d, [rdi + ...] */
   put_in_state(code, 0, offsetof(VexGuestAMD64State, guest_SSEROUND));
   PUT_ALL(code, 0x45, 0x85, 0xc0,             /* test r8d, r8d */
           0x74, 24,                           /* jz behind */
           0x45, 0x89, 0xc1,                   /* mov r9d, r8d */
           0x41, 0xc1, 0xe1, 13,               /* shl r9d, 13 */
           0x41, 0x81, 0xc9, 0x80, 0x1f, 0, 0, /* or r9d, 0x1f80 */
           0x44, 0x89, 0x4c, 0x24, 0xfc,       /* mov [rsp - 4], r9d */
           0x0f, 0xae, 0x54, 0x24, 0xfc);      /* ldmxcsr [rsp - 4] */
}

static void put_rounding_back(Code* code)
{
   PUT_ALL(code, 0x45, 0x85, 0xc0,                   /* test r8d, r8d */
           0x74, 13,                                 /* jz behind */
           0xc7, 0x44, 0x24, 0xfc, 0x80, 0x1f, 0, 0, /* mov [rsp - 4], 0x1f80 */
           0x0f, 0xae, 0x54, 0x24, 0xfc);            /* ldmxcsr [rsp - 4] */
}

static void assemble(Code* code, const HostInstruction* instruction, Bool clears_upper)
{
   const Sets sets = sets_of(instruction);
   const Bool rounds = sets.vectors != 0 || instruction->encoding == EncodingEvex;
   code->n = 0;
   load(code, instruction, &sets);
   if (rounds)
      put_rounding(code);
   put_instruction(code, instruction);
   if ((instruction->form->writes & WritesFlags) != 0)
      PUT_ALL(code, 0x9c, 0x58); /* pushfq; pop rax */
   if (rounds)
      put_rounding_back(code);
   store(code, instruction, &sets, clears_upper);
   if (sets.vectors != 0)
      PUT_ALL(code, 0xc5, 0xf8, 0x77); /* vzeroupper */
   put(code, 0xc3);
}

/*--------------------------------------------------------------------*/
/* Where they are kept                                                 */

typedef struct {
   Piece* function;
   UInt size;
} Kept;

static Table all; /* of Kept, by what they hold */

#define ROOM_SIZE (1u << 20)
static UChar* room;
static SizeT n_used; /* of the room */

static Bool is_same(const void* record, const void* sought)
{
   const Kept* kept = record;
   const Code* code = sought;
   return kept->size == code->n &&
          VG_(memcmp)((const void*)kept->function, code->bytes, code->n) == 0;
}

static UChar* space_for(UInt size)
{
   if (room == NULL || n_used + size > ROOM_SIZE) {
      room = core_map_zeros(ROOM_SIZE, "host_instructions.pieces");
      n_used = 0;
   }
   const NSegment* segment = VG_(am_find_nsegment)((Addr)room);
   if (segment == NULL || !segment->hasX)
      return NULL;
   UChar* space = room + n_used;
   n_used += (size + 15) & ~15u;
   return space;
}

Piece* pieces_for(const HostInstruction* instruction, Bool clears_upper)
{
   static Code code;
   assemble(&code, instruction, clears_upper);
   const ULong hash = hash_bytes(code.bytes, code.n);
   const Kept* known = table_find(&all, hash, is_same, &code);
   if (known != NULL)
      return known->function;
   UChar* space = space_for(code.n);
   if (space == NULL)
      return NULL;
   VG_(memcpy)(space, code.bytes, code.n);
   Kept* kept = VG_(malloc)("host_instructions.piece", sizeof *kept);
   kept->function = (Piece*)(Addr)space;
   kept->size = code.n;
   table_add(&all, hash, kept);
   return kept->function;
}

Int pieces_general_offset(UInt number)
{
   return (Int)(offsetof(VexGuestAMD64State, guest_RAX) + sizeof(ULong) * number);
}

#endif
