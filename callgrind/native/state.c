/* SPDX-License-Identifier: GPL-2.0-or-later

   See state.h.

   The layout is that of XSAVE's standard form: 512 bytes of old, a header of 64 with a
   bit for each component that is there, and behind it the upper halves of AVX's
   registers, then others.  The system has the same in a signal's frame.  */

#include "native/state.h"

#include "core/code_exits.h"
#include "core/wide_state.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#ifdef CORE_CAN_RUN_NATIVELY

enum { /* where things are in the area, in bytes */
       AtControl = 0,
       AtMxcsr = 24,
       AtStack = 32,
       StackEnd = 160,
       AtXmm = 160,
       AtHeader = 512,
       AtUpper = 576,
       KnownEnd = 832
};

enum { /* components */
       Floats = 1,
       Xmm = 2,
       Upper = 4,
       Known = 7,
       Masks = 1 << 5, /* of AVX-512; so are the next two */
       UpperWide = 1 << 6,
       HighWide = 1 << 7,
       ProtectionKeys = 1 << 9,
       Tiles = 3 << 17
};

#define INITIAL_CONTROL 0x37f
#define INITIAL_MXCSR 0x1f80u
#define VECTORS 16
#define HALF 16 /* bytes of a vector's lower or upper half */
#define ALIGNMENT 64

/* These come with each system call.  The core's own functions for memory take several
   times as long for so little.  */
#define WORD 8

typedef struct {
   ULong of[HALF / WORD];
} Half;

static void copy_half(UChar* to, const UChar* from) { *(Half*)to = *(const Half*)from; }

static void clear_half(UChar* half) { *(Half*)half = (Half){{0, 0}}; }

/* Sizes in bytes, in whole words.  */
static void copy_words(UChar* to, const UChar* from, SizeT size)
{
   SizeT n = size / WORD;
   __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static Bool are_same_words(const void* one, const void* other, SizeT size)
{
   const ULong *first = one, *second = other;
   for (SizeT i = 0; i < size / WORD; i++)
      if (first[i] != second[i])
         return False;
   return True;
}

static UInt area_size;
static UInt at_masks, at_upper_wide, at_high_wide; /* in the area */
static ULong components;                           /* that the way in loads */

static void ask_processor(UInt leaf, UInt sub_leaf, UInt answer[4])
{
   __asm__("cpuid"
           : "=a"(answer[0]), "=b"(answer[1]), "=c"(answer[2]), "=d"(answer[3])
           : "a"(leaf), "c"(sub_leaf));
}

static ULong enabled_components(void)
{
   UInt low, high;
   __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
   return (ULong)high << 32 | low;
}

/* In the standard form of the area.  */
static UInt place_of_component(UInt number)
{
   UInt answer[4];
   ask_processor(0xd, number, answer);
   return answer[1];
}

/* A signal's frame need not have room for more.  */
static UInt end_of_components(void)
{
   UInt answer[4], end = KnownEnd;
   for (UInt i = 3; i < 63; i++) {
      if ((components >> i & 1) == 0)
         continue;
      ask_processor(0xd, i, answer);
      if (answer[1] + answer[0] > end)
         end = answer[1] + answer[0];
   }
   return end;
}

const HChar* native_state_set_up(void)
{
   enum { HasXsaveInUse = 1 << 27 };
   UInt answer[4];
   ask_processor(1, 0, answer);
   if ((answer[2] & HasXsaveInUse) == 0 || (enabled_components() & Known) != Known)
      return "the processor has no AVX";
   /* Keys and tiles the program has not got.  */
   components = enabled_components() & ~(ULong)(ProtectionKeys | Tiles);
   area_size = end_of_components();
   if (native_state_has_wide()) {
      at_masks = place_of_component(5);
      at_upper_wide = place_of_component(6);
      at_high_wide = place_of_component(7);
   }
   return NULL;
}

ULong native_state_components(void) { return components; }

Bool native_state_has_wide(void)
{
   const ULong wide = Masks | UpperWide | HighWide;
   return (components & wide) == wide;
}

Bool native_state_is_wide(void) { return (components & ~(ULong)Known) != 0; }

/*--------------------------------------------------------------------*/

static void general_of(const VexGuestAMD64State* guest, ULong general[16])
{
   general[0] = guest->guest_RAX;
   general[1] = guest->guest_RCX;
   general[2] = guest->guest_RDX;
   general[3] = guest->guest_RBX;
   general[4] = guest->guest_RSP;
   general[5] = guest->guest_RBP;
   general[6] = guest->guest_RSI;
   general[7] = guest->guest_RDI;
   general[8] = guest->guest_R8;
   general[9] = guest->guest_R9;
   general[10] = guest->guest_R10;
   general[11] = guest->guest_R11;
   general[12] = guest->guest_R12;
   general[13] = guest->guest_R13;
   general[14] = guest->guest_R14;
   general[15] = guest->guest_R15;
}

static KeptFloats floats_of(const VexGuestAMD64State* guest)
{
   KeptFloats floats;
   copy_words((UChar*)floats.registers, (const UChar*)guest->guest_FPREG,
              sizeof floats.registers);
   copy_words(floats.tags, (const UChar*)guest->guest_FPTAG, sizeof floats.tags);
   floats.conditions = guest->guest_FC3210;
   floats.rounding = guest->guest_FPROUND;
   floats.rounding_of_vectors = guest->guest_SSEROUND;
   floats.top = guest->guest_FTOP;
   return floats;
}

UChar* native_state_new_area(void)
{
   UChar* memory = VG_(calloc)("native.area", 1, area_size + ALIGNMENT);
   return (UChar*)(((Addr)memory + ALIGNMENT - 1) & ~(Addr)(ALIGNMENT - 1));
}

static ULong* header_of(UChar* area) { return (ULong*)(area + AtHeader); }

static UInt* mxcsr_of(UChar* area) { return (UInt*)(area + AtMxcsr); }

/* What the guest's state says of the x87 and MXCSR, in an area of which nothing is
   known.  */
static void floats_to_area(UChar* area, VexGuestAMD64State* guest)
{
   core_save_x87(guest, area);
   *header_of(area) |= Floats;
   const UInt rounding = ((UInt)guest->guest_SSEROUND & 3) << 13;
   *mxcsr_of(area) = (*mxcsr_of(area) & ~(3u << 13)) | rounding;
}

static void vectors_to_area(UChar* area, const VexGuestAMD64State* guest)
{
   const UChar* vector = (const UChar*)&guest->guest_YMM0;
   for (UInt i = 0; i < VECTORS; i++, vector += 2 * HALF) {
      copy_half(area + AtXmm + HALF * i, vector);
      copy_half(area + AtUpper + HALF * i, vector + HALF);
   }
   *header_of(area) |= Xmm | Upper;
}

/* AVX-512's part, which is kept behind the guest's state (core/wide_state.h), is in use:
   a component of it was, or it is not all zero.  */
static Bool wide_is_used;

static Bool is_zero(const UChar* words, SizeT size)
{
   ULong any = 0;
   for (SizeT i = 0; i < size / WORD; i++)
      any |= ((const ULong*)words)[i];
   return any == 0;
}

static void wide_to_area(UChar* area, VexGuestAMD64State* guest)
{
   const UChar* state = (const UChar*)guest;
   if (!native_state_has_wide())
      return;
   wide_is_used = wide_is_used ||
                  !is_zero(state + WIDE_STATE_UPPER, WIDE_STATE_END - WIDE_STATE_UPPER);
   if (!wide_is_used)
      return;
   copy_words(area + at_masks, state + WIDE_STATE_MASKS,
              WIDE_STATE_HIGH - WIDE_STATE_MASKS);
   copy_words(area + at_upper_wide, state + WIDE_STATE_UPPER,
              WIDE_STATE_MASKS - WIDE_STATE_UPPER);
   copy_words(area + at_high_wide, state + WIDE_STATE_HIGH,
              WIDE_STATE_END - WIDE_STATE_HIGH);
   *header_of(area) |= Masks | UpperWide | HighWide;
}

void native_state_load(NativeState* state, VexGuestAMD64State* guest,
                       NativeRegisters* registers)
{
   if (state->area == NULL) {
      state->area = native_state_new_area();
      *mxcsr_of(state->area) = INITIAL_MXCSR;
   }
   const KeptFloats floats = floats_of(guest);
   if (!state->is_known || !are_same_words(&floats, &state->floats, sizeof floats))
      floats_to_area(state->area, guest);
   vectors_to_area(state->area, guest);
   wide_to_area(state->area, guest);
   general_of(guest, registers->general);
   registers->instruction_pointer = guest->guest_RIP;
   registers->flags = LibVEX_GuestAMD64_get_rflags(guest);
   registers->area = state->area;
   registers->components_low = components & 0xffffffff;
   registers->components_high = components >> 32;
}

/*--------------------------------------------------------------------*/

static void general_from(VexGuestAMD64State* guest, const struct vki_sigcontext* from)
{
   guest->guest_RAX = from->rax;
   guest->guest_RCX = from->rcx;
   guest->guest_RDX = from->rdx;
   guest->guest_RBX = from->rbx;
   guest->guest_RSP = from->rsp;
   guest->guest_RBP = from->rbp;
   guest->guest_RSI = from->rsi;
   guest->guest_RDI = from->rdi;
   guest->guest_R8 = from->r8;
   guest->guest_R9 = from->r9;
   guest->guest_R10 = from->r10;
   guest->guest_R11 = from->r11;
   guest->guest_R12 = from->r12;
   guest->guest_R13 = from->r13;
   guest->guest_R14 = from->r14;
   guest->guest_R15 = from->r15;
   guest->guest_RIP = from->rip;
   LibVEX_GuestAMD64_put_rflags(from->eflags, guest);
}

/* A component that is not there is as the processor began.  */
static void vectors_from(VexGuestAMD64State* guest, const UChar* frame, ULong has)
{
   UChar* vector = (UChar*)&guest->guest_YMM0;
   for (UInt i = 0; i < VECTORS; i++, vector += 2 * HALF) {
      if ((has & Xmm) != 0)
         copy_half(vector, frame + AtXmm + HALF * i);
      else
         clear_half(vector);
      if ((has & Upper) != 0)
         copy_half(vector + HALF, frame + AtUpper + HALF * i);
      else
         clear_half(vector + HALF);
   }
}

static void part_from(UChar* to, const UChar* from, SizeT size, Bool is_there)
{
   if (is_there)
      VG_(memcpy)(to, from, size);
   else
      VG_(memset)(to, 0, size);
}

static void wide_from(VexGuestAMD64State* guest, const UChar* frame, ULong has)
{
   UChar* state = (UChar*)guest;
   wide_is_used = wide_is_used || (has & (Masks | UpperWide | HighWide)) != 0;
   if (!native_state_has_wide() || !wide_is_used)
      return;
   part_from(state + WIDE_STATE_MASKS, frame + at_masks,
             WIDE_STATE_HIGH - WIDE_STATE_MASKS, (has & Masks) != 0);
   part_from(state + WIDE_STATE_UPPER, frame + at_upper_wide,
             WIDE_STATE_MASKS - WIDE_STATE_UPPER, (has & UpperWide) != 0);
   part_from(state + WIDE_STATE_HIGH, frame + at_high_wide,
             WIDE_STATE_END - WIDE_STATE_HIGH, (has & HighWide) != 0);
}

/* Are the x87's part of the area and of the frame the same?  */
static Bool has_same_floats(const UChar* area, const UChar* frame)
{
   return are_same_words(area, frame, AtMxcsr) &&
          are_same_words(area + AtStack, frame + AtStack, StackEnd - AtStack);
}

static void clear_floats(UChar* area)
{
   VG_(memset)(area, 0, AtMxcsr);
   VG_(memset)(area + AtStack, 0, StackEnd - AtStack);
   *(UShort*)(area + AtControl) = INITIAL_CONTROL;
}

/* Takes over the frame.  True if the x87's part is another one than it was.  */
static Bool frame_to_area(UChar* area, const UChar* frame, ULong has)
{
   const Bool same = (has & Floats) != 0 && has_same_floats(area, frame);
   const ULong others = has & ~(ULong)Known & components;
   copy_words(area, frame, others != 0 ? area_size : KnownEnd);
   for (UInt at = AtHeader; at < AtUpper; at += HALF)
      clear_half(area + at);
   *header_of(area) = (has & Known) | Floats | others;
   if ((has & Floats) == 0)
      clear_floats(area);
   return !same;
}

static void general_from_registers(VexGuestAMD64State* guest, const NativeRegisters* from)
{
   const ULong* general = from->general;
   guest->guest_RAX = general[0];
   guest->guest_RCX = general[1];
   guest->guest_RDX = general[2];
   guest->guest_RBX = general[3];
   guest->guest_RSP = general[4];
   guest->guest_RBP = general[5];
   guest->guest_RSI = general[6];
   guest->guest_RDI = general[7];
   guest->guest_R8 = general[8];
   guest->guest_R9 = general[9];
   guest->guest_R10 = general[10];
   guest->guest_R11 = general[11];
   guest->guest_R12 = general[12];
   guest->guest_R13 = general[13];
   guest->guest_R14 = general[14];
   guest->guest_R15 = general[15];
   guest->guest_RIP = from->instruction_pointer;
   LibVEX_GuestAMD64_put_rflags(from->flags, guest);
}

/* All but the general registers.  */
static void save_others(NativeState* state, VexGuestAMD64State* guest, const UChar* frame)
{
   const ULong has = *(const ULong*)(frame + AtHeader);
   vectors_from(guest, frame, has);
   wide_from(guest, frame, has);
   if (frame_to_area(state->area, frame, has) || !state->is_known)
      core_restore_x87(guest, state->area);
   guest->guest_SSEROUND = *mxcsr_of(state->area) >> 13 & 3;
   state->floats = floats_of(guest);
   state->is_known = True;
}

void native_state_save(NativeState* state, VexGuestAMD64State* guest,
                       const struct vki_ucontext* context)
{
   const struct vki_sigcontext* from =
      (const struct vki_sigcontext*)&context->uc_mcontext;
   general_from(guest, from);
   save_others(state, guest, (const UChar*)from->fpstate);
}

void native_state_save_registers(NativeState* state, VexGuestAMD64State* guest,
                                 const NativeRegisters* registers, const UChar* area)
{
   general_from_registers(guest, registers);
   save_others(state, guest, area);
}

#endif
