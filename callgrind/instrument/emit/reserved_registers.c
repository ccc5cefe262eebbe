/* SPDX-License-Identifier: GPL-2.0-or-later

   See reserved_registers.h.

   VEX chooses among the registers of a list.  The first ones keep their values across
   calls, and are %r12, %r13, %r14, %r15.  Three of them are left out for superblocks that
   are instrumented (core/host_registers.h).  (%r12 cannot be reserved: the core's
   dispatcher changes it.  It is left unused.)  */

#include "instrument/emit/reserved_registers.h"

#include "core/host_registers.h"
#include "core/translation.h"
#include "instrument/host/host_reserved.h"
#include "instrument/is_on.h"
#include "options/options.h"
#include "stack/frames/shadowstack_types.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"

#ifdef CORE_CAN_RESERVE_REGISTERS

/* Generated code, and the code below, read the first word.  */
_Static_assert(offsetof(ShadowstackNow, counters) == 0, "its counters come first");

static Bool are_reserved;

/* Are their values there when code runs that is made now?  The first superblock is made
   before that can be known; it counts without them, and keeps them right for others.  */
static Bool can_be_used(void)
{
   return are_reserved && core_registers_entry_is_taken() && core_translations_arrive();
}

static UInt n_left_out(void) { return instrumentation_is_on() ? 3 : 0; }

/* What there is without instrumentation needs none of it, and may change both
   registers.  */
void reserved_registers_set(void);
__asm__("   .text\n"
        "   .type reserved_registers_set, @function\n"
        "reserved_registers_set:\n" HOST_FETCH_COUNTERS
        "   leaq cost_clock(%rip), %r14\n" CORE_REGISTERS_GO_ON
        "   .size reserved_registers_set, . - reserved_registers_set\n");

void reserved_registers_init(void)
{
   are_reserved = !options.cache_sim && core_registers_are_known();
   if (are_reserved)
      core_registers_reserve(n_left_out, (const void*)reserved_registers_set);
}

void reserved_registers_give_up(void)
{
   core_registers_release();
   are_reserved = False;
}

static Bool release(const HChar* reason)
{
   if (VG_(clo_verbosity) > 1)
      VG_(dmsg)("%s otherwise than is known: none are reserved.\n", reason);
   reserved_registers_give_up();
   return False;
}

Bool reserved_registers_are_kept(void)
{
   static UInt n_not_entered;
   if (LIKELY(!are_reserved))
      return True;
   if (UNLIKELY(!core_registers_are_left_out()))
      return release("VEX chooses registers");
   /* The second one is made when the first has run; some are made twice.  */
   if (UNLIKELY(!core_registers_entry_is_taken()) && ++n_not_entered == 8)
      return release("The core enters code that may use registers");
   return True;
}

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
      can_be_used() ? patch_points_reserved(&out->patch_points, use, place, amount) : 0;
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
   VG_(umsg)("host registers: %d reserved\n", can_be_used() ? 2 : 0);
}

#else

void reserved_registers_init(void) {}

void reserved_registers_give_up(void) {}

Bool reserved_registers_are_kept(void) { return True; }

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
