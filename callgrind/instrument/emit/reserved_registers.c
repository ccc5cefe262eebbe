/* SPDX-License-Identifier: GPL-2.0-or-later

   See reserved_registers.h.

   VEX chooses among the registers of a list.  The first ones keep their values across
   calls, and are %r12, %r13, %r14, %r15.  Where its choice begins is a number in that
   list, and that is what is changed here, for superblocks that are instrumented.  (%r12
   cannot be reserved: the core's dispatcher changes it.  It is left unused.)

   Relies on the linker's --wrap, as translate.c does, for VEX's list and for the core's
   entry into translated code.  */

#include "instrument/emit/reserved_registers.h"

#include "instrument/host/host_reserved.h"
#include "instrument/is_on.h"
#include "options/options.h"
#include "stack/frames/shadowstack_types.h"

#include "pub_tool_libcprint.h"

#if defined(CORE_REGISTERS_CAN_BE_RESERVED) && defined(CORE_CAN_KEEP_TRANSLATIONS)

/* Generated code, and the code below, read the first word.  */
_Static_assert(offsetof(ShadowstackNow, counters) == 0, "its counters come first");

UInt* __real_getRRegUniverse_AMD64(void);
UInt* __wrap_getRRegUniverse_AMD64(void);

static Bool are_reserved;

void reserved_registers_init(void)
{
   const UInt* list = __real_getRRegUniverse_AMD64();
   static const UInt expected[] = CORE_REGISTERS_FIRST;
   are_reserved = !options.cache_sim && list[CORE_REGISTERS_BEGIN] == 0 &&
                  list[CORE_REGISTERS_END] == 9;
   for (UInt i = 0; i < sizeof expected / sizeof expected[0]; i++)
      are_reserved = are_reserved && list[CORE_REGISTERS_AT + i] == expected[i];
}

/* VEX asks for each superblock.  */
UInt* __wrap_getRRegUniverse_AMD64(void)
{
   UInt* list = __real_getRRegUniverse_AMD64();
   if (are_reserved)
      list[CORE_REGISTERS_BEGIN] = instrumentation_is_on() ? 3 : 0;
   return list;
}

/* The core's entry saves registers and jumps to what it is given third.  Only the thread
   that has the core's lock runs this.  What there is without instrumentation needs none
   of it, and may change both registers.  */
Addr reserved_registers_entered;
__asm__("   .text\n"
        "   .globl __wrap_vgPlain_disp_run_translations\n"
        "   .type __wrap_vgPlain_disp_run_translations, @function\n"
        "__wrap_vgPlain_disp_run_translations:\n"
        "   movq %rdx, reserved_registers_entered(%rip)\n"
        "   leaq 1f(%rip), %rdx\n"
        "   jmp __real_vgPlain_disp_run_translations\n"
        "1:\n" HOST_FETCH_COUNTERS "   leaq cost_clock(%rip), %r14\n"
        "   jmp *reserved_registers_entered(%rip)\n"
        "   .size __wrap_vgPlain_disp_run_translations,"
        " . - __wrap_vgPlain_disp_run_translations\n");

/* For superblocks without patch points.  VEX does not know that this changes a register,
   nor need it.  */
void reserved_registers_fetch_by_call(void);
__asm__("   .text\n"
        "   .type reserved_registers_fetch_by_call, @function\n"
        "reserved_registers_fetch_by_call:\n" HOST_FETCH_COUNTERS "   ret\n"
        "   .size reserved_registers_fetch_by_call,"
        " . - reserved_registers_fetch_by_call\n");

/* Adds the statement that becomes this.  False: there are no patch
   points.  */
static Bool emit(IrOutput* out, ReservedUse use, UWord place, ULong amount)
{
   ULong point =
      are_reserved ? patch_points_reserved(&out->patch_points, use, place, amount) : 0;
   if (point == 0)
      return False;
   ir_digest_meaning(&out->digest, use);
   ir_digest_meaning(&out->digest, place);
   ir_digest_meaning(&out->digest, amount);
   ir_store(out, ir_word((UWord)point), IRExpr_Const(IRConst_U64(1)));
   return True;
}

Bool reserved_registers_add_to_counter(IrOutput* out, UWord offset, ULong amount)
{
   return emit(out, ReservedAddToCounter, offset, amount);
}

Bool reserved_registers_add_to_clock(IrOutput* out, UInt event, ULong amount)
{
   return emit(out, ReservedAddToClock, event * sizeof cost_clock[0], amount);
}

const void* reserved_registers_fetched(void)
{
   return are_reserved ? &shadowstack_now.counters : NULL;
}

void reserved_registers_fetch(IrOutput* out)
{
   if (are_reserved &&
       !emit(out, ReservedFetchCounters, (UWord)&shadowstack_now.counters, 0))
      ir_add_call(out, ir_call("reserved_registers_fetch",
                               (void*)reserved_registers_fetch_by_call, mkIRExprVec_0()));
}

void reserved_registers_check(IrOutput* out)
{
   if (LIKELY(options.check != CheckAll))
      return;
   (void)emit(out, ReservedCheckCounters, (UWord)&shadowstack_now.counters, 0);
   (void)emit(out, ReservedCheckClock, (UWord)cost_clock, 0);
}

void reserved_registers_print_stats(void)
{
   VG_(umsg)("host registers: %d reserved\n", are_reserved ? 2 : 0);
}

#else

void reserved_registers_init(void) {}

Bool reserved_registers_add_to_counter(IrOutput* out, UWord offset, ULong amount)
{
   (void)out, (void)offset, (void)amount;
   return False;
}

Bool reserved_registers_add_to_clock(IrOutput* out, UInt event, ULong amount)
{
   (void)out, (void)event, (void)amount;
   return False;
}

const void* reserved_registers_fetched(void) { return NULL; }

void reserved_registers_fetch(IrOutput* out) { (void)out; }

void reserved_registers_check(IrOutput* out) { (void)out; }

void reserved_registers_print_stats(void) {}

#endif
