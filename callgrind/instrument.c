/* SPDX-License-Identifier: GPL-2.0-or-later

   Instrumentation; see instrument.h, and stack/callstack.h for what generated
   code and the shadow stack owe each other.

   What is added to a superblock, in this order:

      if (shadowstack_now.at.where != F) callstack_enter()         [guarded call]
      for each straight run, at its start:
         counters[slot of the run] += 1
         cost_clock[Ir] += instructions in the run
         cost_clock[e] += what else it does, for each event that it has
      before the stack pointer is set to what may be on another stack:
         coroutine_sp_loaded(new, old)
      before each exit that may leave F without a call:
         shadowstack_now.at.exit = S
      with --collect-jumps=yes, before each exit that is a jump within F:
         counters[slot of the jump] += 1, if it is followed
      at the end, after a call:
         shadowstack_now.at.where = S
      at the end, before a return:
         callstack_return(target, S)
      with --collect-jumps=yes, at the end, before an indirect jump:
         jump_taken(target, S)

   Nothing is called for a superblock that runs on in the function it is in.  */

#include "instrument.h"

#include "jumps.h"
#include "model/callsite.h"
#include "model/cost.h"
#include "segments.h"
#include "stack/callstack.h"
#include "stack/coroutine.h"
#include "stack/jump_taken.h"
#include "stack_moves.h"
#include "static_events.h"
#include "switching.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"

#if defined(VG_BIGENDIAN)
#define HOST_END Iend_BE
#else
#define HOST_END Iend_LE
#endif

/*--------------------------------------------------------------------*/
/* Writing IR                                                          */

/* The instruction whose IR is being copied; its exits ask for it.  */
typedef struct {
   Addr address;
   UInt size;
   SourceLine line;
} Instruction;

static IRExpr* address_constant(const void* address)
{
#if VG_WORDSIZE == 8
   return IRExpr_Const(IRConst_U64((Addr)address));
#else
   return IRExpr_Const(IRConst_U32((Addr)address));
#endif
}

static IRExpr* assign(IRSB* out, IRType type, IRExpr* value)
{
   IRTemp temporary = newIRTemp(out->tyenv, type);
   addStmtToIRSB(out, IRStmt_WrTmp(temporary, value));
   return IRExpr_RdTmp(temporary);
}

static void store(IRSB* out, IRExpr* address, IRExpr* value)
{
   addStmtToIRSB(out, IRStmt_Store(HOST_END, address, value));
}

static IRExpr* plus(IRSB* out, IRType word, IRExpr* base, ULong offset)
{
   if (offset == 0)
      return base;
   return assign(
      out, word,
      word == Ity_I64
         ? IRExpr_Binop(Iop_Add64, base, IRExpr_Const(IRConst_U64(offset)))
         : IRExpr_Binop(Iop_Add32, base, IRExpr_Const(IRConst_U32((UInt)offset))));
}

/* *(base + offset) += amount, 64 bits wide.  The address is computed twice: VEX
   folds each into its load or store, but would keep a shared one in a
   register.  */
static void add_value_to(IRSB* out, IRType word, IRExpr* base, ULong offset,
                         IRExpr* amount)
{
   IRExpr* before =
      assign(out, Ity_I64, IRExpr_Load(HOST_END, Ity_I64, plus(out, word, base, offset)));
   IRExpr* after = assign(out, Ity_I64, IRExpr_Binop(Iop_Add64, before, amount));
   store(out, plus(out, word, base, offset), after);
}

static void add_to(IRSB* out, IRType word, IRExpr* base, ULong offset, ULong amount)
{
   add_value_to(out, word, base, offset, IRExpr_Const(IRConst_U64(amount)));
}

/* Generated code reaches the running thread's state and the clock from one address.
   It is loaded from memory: VEX would fold a constant back into each use, ten bytes
   each.  (A shadow register of the guest's holds it just as well, and is no
   faster.)  */
static UChar* const shared_base = (UChar*)&shadowstack_now;

static IRExpr* load_shared_base(IRSB* out, IRType word)
{
   return assign(out, word, IRExpr_Load(HOST_END, word, address_constant(&shared_base)));
}

static ULong from_shared_base(const void* address)
{
   return (ULong)((const UChar*)address - shared_base);
}

/* A helper call that looks at the guest's stack pointer.  */
static IRDirty* helper_call(const HChar* name, void* function, IRExpr** arguments,
                            const VexGuestLayout* layout)
{
   IRDirty* call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
   call->nFxState = 1;
   call->fxState[0].fx = Ifx_Read;
   call->fxState[0].offset = (UShort)layout->offset_SP;
   call->fxState[0].size = (UShort)layout->sizeof_SP;
   call->fxState[0].nRepeats = 0;
   call->fxState[0].repeatLen = 0;
   return call;
}

static void write_entry(IRSB* out, Block* block, const VexGuestLayout* layout,
                        IRType word, IRExpr* base)
{
   IRExpr* where = assign(
      out, word,
      IRExpr_Load(HOST_END, word,
                  plus(out, word, base, from_shared_base(&shadowstack_now.at.where))));
   UInt id = symbols_shown_as(block->function)->id;
   IRExpr* differs = assign(
      out, Ity_I1,
      word == Ity_I64 ? IRExpr_Binop(Iop_CmpNE64, where, IRExpr_Const(IRConst_U64(id)))
                      : IRExpr_Binop(Iop_CmpNE32, where, IRExpr_Const(IRConst_U32(id))));
   IRDirty* enter =
      block_at(block->node.key) == block
         ? helper_call("callstack_enter", (void*)callstack_helpers().enter,
                       mkIRExprVec_0(), layout)
         : helper_call("callstack_enter_block", (void*)callstack_enter_block,
                       mkIRExprVec_1(address_constant(block)), layout);
   enter->guard = differs;
   addStmtToIRSB(out, IRStmt_Dirty(enter));
}

static IRExpr* load_counters(IRSB* out, IRType word, IRExpr* base)
{
   return assign(
      out, word,
      IRExpr_Load(HOST_END, word,
                  plus(out, word, base, from_shared_base(&shadowstack_now.counters))));
}

/* Counts the run with index `run` of `block`.  */
static void write_run(IRSB* out, const Block* block, UInt run, IRType word, IRExpr* base)
{
   ULong cost[COST_MAX_EVENTS] = {0};
   block_add_run_cost(block, run, 0, cost);
   IRExpr* counters = load_counters(out, word, base);
   add_to(out, word, counters, (ULong)(block->slot + run) * sizeof(ULong), 1);
   for (UInt e = 0; e < cost_n_events(); e++)
      if (cost[e] != 0)
         add_to(out, word, base, from_shared_base(&cost_clock[e]), cost[e]);
}

/* Counts the jump with index `jump` of `block` if `guard` says that it is followed; NULL:
   it is.  */
static void write_jump_count(IRSB* out, const Block* block, UInt jump, IRType word,
                             IRExpr* guard)
{
   IRExpr* counters = load_counters(out, word, load_shared_base(out, word));
   IRExpr* times = guard == NULL ? IRExpr_Const(IRConst_U64(1))
                                 : assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard));
   add_value_to(out, word, counters, (ULong)block_jump_slot(block, jump) * sizeof(ULong),
                times);
}

static CallSite* site_at(const Instruction* last, CallSiteKind kind, const Block* block)
{
   return callsite_intern(kind, last->address,
                          last->address - block->address + block->file_address,
                          last->address + last->size, block->function, last->line);
}

static void write_jump(IRSB* out, CallSite* site)
{
   store(out, address_constant(&shadowstack_now.at.exit), address_constant(site));
}

static Addr constant_address(const IRConst* constant)
{
   return constant->tag == Ico_U64 ? (Addr)constant->Ico.U64 : (Addr)constant->Ico.U32;
}

/* Can a jump to `target` leave the function?  Where unbounded code ends is not
   known.  */
static Bool may_leave(const Function* function, Addr target)
{
   return function->is_unbounded || !symbols_is_inside(function, target);
}

/* A stub is on the way of a call or jump that has been noted already.  */
static Bool is_stub(const Block* block) { return block->function->kind == FunctionPlt; }

/* Before a conditional exit.  The site is set whether the exit is taken or not:
   whoever leaves by another way sets it again.  */
static void write_exit(IRSB* out, const IRStmt* statement, const Instruction* current,
                       const Block* block)
{
   if (statement->Ist.Exit.jk == Ijk_Boring && !is_stub(block) &&
       may_leave(block->function, constant_address(statement->Ist.Exit.dst)))
      write_jump(out, site_at(current, SiteJump, block));
}

/* After a call.  Skipped code calls unasked what is skipped as well: whoever it is,
   if it is shown, will find the site among the exits.  */
static void write_call(IRSB* out, const Instruction* last, const Block* block)
{
   CallSite* site = site_at(last, SiteCall, block);
   if (symbols_shown_as(block->function) == block->function)
      store(out, address_constant(&shadowstack_now.at.where), address_constant(site));
   else
      write_jump(out, site);
}

static void write_end(IRSB* out, const Instruction* last, const Block* block,
                      const VexGuestLayout* layout)
{
   switch (out->jumpkind) {
   case Ijk_Call:
   case Ijk_NoRedir: /* a wrapper calls what it wraps */
      write_call(out, last, block);
      break;
   case Ijk_Ret: {
      CallSite* site = site_at(last, SiteReturn, block);
      IRDirty* leave = helper_call(
         "callstack_return", (void*)callstack_helpers().leave,
         mkIRExprVec_3(out->next, IRExpr_GSPTR(), address_constant(site)), layout);
      addStmtToIRSB(out, IRStmt_Dirty(leave));
      break;
   }
   case Ijk_Boring:
      if (!is_stub(block) &&
          (out->next->tag != Iex_Const ||
           may_leave(block->function, constant_address(out->next->Iex.Const.con))))
         write_jump(out, site_at(last, SiteJump, block));
      break;
   default: break; /* system calls and the like come back to the next instruction */
   }
}

/* --collect-jumps=yes: counts where the superblock leads to, if that is a jump.  */
static void write_end_jump(IRSB* out, const Instruction* last, const Block* block,
                           IRType word)
{
   if (block->n_jumps > 0 && block->jumps[block->n_jumps - 1].is_at_end)
      write_jump_count(out, block, block->n_jumps - 1, word, NULL);
   else if (jumps_is_indirect(block->function, out)) {
      CallSite* site = site_at(last, SiteJump, block);
      addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
                            0, "jump_taken", VG_(fnptr_to_fnentry)((void*)jump_taken),
                            mkIRExprVec_2(out->next, address_constant(site)))));
   }
}

/* The instruction before has run on into the function of `block`: a jump.  */
static void write_fall_into(IRSB* out, const Instruction* last, const Block* from,
                            Block* block, const VexGuestLayout* layout)
{
   write_jump(out, site_at(last, SiteJump, from));
   IRDirty* enter = helper_call("callstack_fall_into", (void*)callstack_fall_into,
                                mkIRExprVec_1(address_constant(block)), layout);
   addStmtToIRSB(out, IRStmt_Dirty(enter));
}

/* A function that ends takes its stack pointer from the frame pointer, and goes up no
   further than this, nearly always.  */
#define MAX_FRAME_LEFT_UNASKED 0x4000

/* Before the stack pointer is set to what may be on another stack.  */
static void write_stack_move(IRSB* out, const IRStmt* statement, IRType word,
                             const VexGuestLayout* layout)
{
   StackMove move = stack_moves_kind(statement);
   if (LIKELY(move == MoveNone))
      return;
   IRExpr* old_sp = assign(out, word, IRExpr_Get(layout->offset_SP, word));
   IRExpr* new_sp = statement->Ist.Put.data;
   IRDirty* call = unsafeIRDirty_0_N(0, "coroutine_sp_loaded",
                                     VG_(fnptr_to_fnentry)((void*)coroutine_sp_loaded),
                                     mkIRExprVec_2(new_sp, old_sp));
   if (move == MoveFromFrame) {
      Bool is_64 = word == Ity_I64;
      IRExpr* up =
         assign(out, word, IRExpr_Binop(is_64 ? Iop_Sub64 : Iop_Sub32, new_sp, old_sp));
      call->guard = assign(
         out, Ity_I1,
         is_64 ? IRExpr_Binop(Iop_CmpLT64U,
                              IRExpr_Const(IRConst_U64(MAX_FRAME_LEFT_UNASKED)), up)
               : IRExpr_Binop(Iop_CmpLT32U,
                              IRExpr_Const(IRConst_U32(MAX_FRAME_LEFT_UNASKED)), up));
   }
   addStmtToIRSB(out, IRStmt_Dirty(call));
}

/* Copies the statements of one segment, with counts added; *current is left at its
   last instruction.  `base` is the shared base if it is at hand, otherwise NULL.  */
static void write_segment(IRSB* out, const IRSB* in, const Segment* segment,
                          Instruction* current, const VexGuestLayout* layout,
                          IRType host_word, IRExpr* base)
{
   const Block* block = segment->block;
   UInt n_seen = 0, run = 0, span = 0, jump = 0;
   Bool is_in_run = False;
   for (UInt i = segment->first; i < segment->end; i++) {
      IRStmt* statement = in->stmts[i];
      StaticEvent events[STATIC_EVENTS_MAX];
      if (!is_in_run &&
          (statement->tag == Ist_IMark || static_events_in(statement, events) > 0)) {
         /* Loaded anew, it need not be kept in a register all along.  */
         if (run > 0 || base == NULL)
            base = load_shared_base(out, host_word);
         write_run(out, block, run++, host_word, base);
         is_in_run = True;
      }
      if (statement->tag == Ist_IMark) {
         while (span + 1 < block->n_spans && block->spans[span + 1].first <= n_seen)
            span++;
         current->address = (Addr)statement->Ist.IMark.addr;
         current->size = statement->Ist.IMark.len;
         current->line.file = block->spans[span].file;
         current->line.line = block->spans[span].line;
         n_seen++;
      } else if (statement->tag == Ist_Exit) {
         write_exit(out, statement, current, block);
         if (jumps_is_counted(block->function, statement,
                              current->address + current->size))
            write_jump_count(out, block, jump++, host_word, statement->Ist.Exit.guard);
         is_in_run = False;
      } else
         write_stack_move(out, statement, host_word, layout);
      addStmtToIRSB(out, statement);
   }
}

static IRSB* write_superblock(const IRSB* in, const Segment* segments, UInt n_segments,
                              const VexGuestLayout* layout, IRType host_word)
{
   IRSB* out = deepCopyIRSBExceptStmts(in);
   for (UInt i = 0; i < segments[0].first; i++)
      addStmtToIRSB(out, in->stmts[i]);

   IRExpr* base = load_shared_base(out, host_word);
   write_entry(out, segments[0].block, layout, host_word, base);
   Instruction current = {0, 0, {NULL, 0}};
   for (UInt i = 0; i < n_segments; i++) {
      if (i > 0) {
         write_fall_into(out, &current, segments[i - 1].block, segments[i].block, layout);
         base = NULL;
      }
      write_segment(out, in, &segments[i], &current, layout, host_word, base);
   }
   write_end_jump(out, &current, segments[n_segments - 1].block, host_word);
   write_end(out, &current, segments[n_segments - 1].block, layout);
   return out;
}

/*--------------------------------------------------------------------*/
/* The core's callbacks                                                */

IRSB* instrument_superblock(VgCallbackClosure* closure, IRSB* in,
                            const VexGuestLayout* layout, const VexGuestExtents* extents,
                            const VexArchInfo* host, IRType guest_word, IRType host_word)
{
   (void)extents;
   (void)host;
   if (guest_word != host_word)
      VG_(tool_panic)("host and guest word sizes differ");
   if (!switching_is_on())
      return in;
   Segment segments[MAX_SEGMENTS];
   UInt n = segments_find(in, closure->nraddr, segments);
   if (n == 0)
      return in;
   shadowstack_counters_moved();
   stack_moves_examine(in, layout);
   return write_superblock(in, segments, n, layout, host_word);
}

void instrument_discard(Addr key, VexGuestExtents extents)
{
   (void)extents;
   segments_discarded(key);
}
