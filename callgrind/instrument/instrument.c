/* SPDX-License-Identifier: GPL-2.0-or-later

   Instrumentation; see instrument.h.  stack/following/callstack.h tells what generated
   code must do for the shadow stack, and what it gets from it.

   What is added to a superblock, in this order (F: the id of the function that the code
   runs as; S: a call site):

      with --dump-every-bb:
         if (superblock_count_left == 0) superblock_count_due()       [guarded call]
         superblock_count_left -= 1
      if (shadowstack_now.at.current != F) callstack_enter()         [guarded call]
      with --ct-check=all, where registers are reserved (reserved_registers.h): do they
      hold what they should?
      with --collect-alloc, where an allocator begins: allocation_calls_enter(number)
      for each straight run, at its start:
         counters[slot of the run] += 1
         cost_clock[Ir] += instructions in the run
         cost_clock[e] += what else it does, for each event that it has
      for each group of references, where it ends (reference_plan.h):
         countdown of each line of code = the core's countdown
         if (one may be an MRU miss) simulation_access(group, missed, addresses)
                                                              [guarded call]
      before the stack pointer is set to what may be on another stack:
         coroutine_sp_loaded(new, old), or coroutine_sp_added(new, old)
      before each exit that may leave F without a call:
         shadowstack_now.at.last_exit = S
      with --branch-sim=yes, before each exit that is a branch of the guest's:
         its prediction; counters[slot of the branch] and cost_clock[Bcm] += wrong
      with --collect-jumps=yes, before each exit that is a jump within F:
         counters[slot of the jump] += 1, if it is taken
      with --branch-sim=yes, at the end, before an indirect jump or call, if it went
      elsewhere the last time:
         simulation_branch_indirect(reference, target)
      at the end, after a call:
         shadowstack_now.at.current = S
      at the end, before a return:
         dispatch_return_site = S, for dispatch.h; or callstack_return(target, S)
      with --collect-jumps=yes, at the end, before an indirect jump:
         jump_taken(target, S)

   A superblock that stays in the running function calls nothing on this account.  With
   simulated caches, cold superblocks are instrumented differently: see cold_code.h.

   The life of a SuperblockState (superblock_state.h).  Time goes down; on the left, who
   calls; on the right, what is set:

      translations/       superblocks_begin()      out: patch points, and if it is to be
         vex_calls.c                               stored placeholders and a digest;
         stored_translations.c                     dispatcher: VEX's arguments
      VEX, or a skeleton  superblocks_instrument() in, layout
         segments.c          segments_find()          cycles, bases, plans, shape;
                                                      segments, each with its block
         stack_moves.c       stack_moves_examine()    stack_moves
         instrument.c        instrument_segments()    out, exits; the dispatcher is chosen
         recording.c         recording_superblock()   recording: skeleton, digest
      translations/       superblocks_end()        nothing more is given out
      VEX's host code     patch_points_resolve()   read: out.patch_points
                          chains_sign_exits()      read: exits
                          code_relocations_*()     read: out.relocations
                          the disk cache           read: recording

   All of it stays until the next superblocks_begin().

   Owns a table of constants for generated code.  */

#include "instrument/instrument.h"

#include "base/hash.h"
#include "guest/address.h"
#include "guest/arch.h"
#include "instrument/emit/allocation_checks.h"
#include "instrument/emit/branch_checks.h"
#include "instrument/emit/cache_checks.h"
#include "instrument/emit/cold_code.h"
#include "instrument/emit/reserved_registers.h"
#include "instrument/emit/stack_checks.h"
#include "instrument/shape/jumps.h"
#include "instrument/shape/references.h"
#include "instrument/shape/static_events.h"
#include "model/block.h"
#include "model/block_cost.h"
#include "model/callsite.h"
#include "model/cost.h"
#include "model/tree/calltree.h"
#include "options/options.h"
#include "stack/following/callstack.h"
#include "stack/following/jump_taken.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/threads/superblock_count.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"

/* The instruction whose IR is being copied.  */
typedef struct {
   Addr address;
   UInt size;
   SourceLine line;
} Instruction;

/* --dump-every-bb: counts the superblock, once a part that is due has been written.  */
static void emit_superblock_count(IrOutput* out)
{
   IRExpr* where = ir_address(&superblock_count_left);
   IRDirty* due =
      ir_call("superblock_count_due", (void*)superblock_count_due, mkIRExprVec_0());
   due->guard = ir_compare(out, Iop_CmpEQ64, ir_load(out, Ity_I64, where),
                           IRExpr_Const(IRConst_U64(0)));
   ir_add_call(out, due);
   ir_add_to(out, where, 0, ~0ULL);
}

/* The call or jump that led to a stub has stored its site already, and leads on from
   it.  */
static Bool is_stub(const Block* block) { return block->function->kind == FunctionPlt; }

/* What a stub is known to cost, in bytes (callstack.h), if the superblock is all of it;
   otherwise 0.  */
static ULong cost_of_stub(const IrOutput* out, const Block* block)
{
   ULong cost[COST_MAX_EVENTS] = {0};
   ULong bytes = 0;
   if (!is_stub(block) || block->n_runs != 1 || out->code->jumpkind != Ijk_Boring ||
       out->code->next->tag == Iex_Const || cost_n_frequent() > CALLSTACK_STUB_EVENTS)
      return 0;
   block_add_run_cost(block, 0, 0, cost);
   for (UInt e = 0; e < cost_n_frequent(); e++) {
      if (cost[e] > CALLSTACK_STUB_COST)
         return 0;
      bytes |= cost[e] << 8 * e;
   }
   return bytes;
}

/* The call that enters the function of the superblock, which block_at() finds.  */
static IRDirty* entering(IrOutput* out, const Block* block, const VexGuestLayout* layout)
{
   CallstackHelpers helpers = callstack_helpers();
   ULong stub = cost_of_stub(out, block);
   if (stub == 0)
      return ir_call_with_sp("callstack_enter", (void*)helpers.enter, mkIRExprVec_0(),
                             layout);
   IRExpr** arguments =
      mkIRExprVec_2(ir_relocated_word(out, block->key), IRExpr_Const(IRConst_U64(stub)));
   return ir_call_with_sp("callstack_pass_stub", (void*)helpers.pass_stub, arguments,
                          layout);
}

/* Enters the superblock's function, if that is not the running one.  Returns the shared
   base if it has been loaded, otherwise NULL.  */
static IRExpr* emit_entry(IrOutput* out, Block* block, const VexGuestLayout* layout)
{
   IRDirty* enter =
      block_at(block->key) == block
         ? entering(out, block, layout)
         : ir_call_with_sp("callstack_enter_block", (void*)callstack_enter_block,
                           mkIRExprVec_1(ir_relocated_address(out, block)), layout);
   IRExpr* base = NULL;
   IRExpr* current =
      enter->args[0] == NULL
         ? ir_load_guarded(out, &shadowstack_now.at.current, reserved_registers_fetched())
         : NULL;
   if (current == NULL) {
      base = ir_load_shared_base(out);
      current = ir_load(out, IR_WORD, ir_near(out, base, &shadowstack_now.at.current));
   }
   UInt id = symbols_runs_as(block->function)->id;
   enter->guard =
      ir_compare(out, IR_WORD_OP(Iop_CmpNE), current, ir_relocated_word(out, id));
   ir_add_call(out, enter);
   if (base != NULL) /* no guard, which would fetch by itself */
      reserved_registers_fetch(out);
   return base;
}

/* Pairs of numbers that generated code adds to two events of the clock at once: in the
   order in which they were first needed, so that those of neighbouring code are together,
   and a hash table of their numbers + 1.  Costs in cycles are of many kinds.  */
#define MAX_PAIRS 0xffff
#define PAIR_PLACES 0x20000
static ULong pairs[MAX_PAIRS][2] __attribute__((aligned(16)));
static UShort pair_places[PAIR_PLACES];
static UInt n_pairs;

/* The pair with these two numbers, which is never freed.  NULL if there is no more
   room.  */
static const ULong* pairs_constant(const ULong* wanted)
{
   ULong place = hash_bytes(wanted, sizeof pairs[0]);
   UShort* number = &pair_places[place % PAIR_PLACES];
   while (*number != 0) {
      ULong* pair = pairs[*number - 1];
      if (pair[0] == wanted[0] && pair[1] == wanted[1])
         return pair;
      number = &pair_places[++place % PAIR_PLACES];
   }
   if (n_pairs == MAX_PAIRS)
      return NULL;
   pairs[n_pairs][0] = wanted[0];
   pairs[n_pairs][1] = wanted[1];
   *number = (UShort)(n_pairs + 1);
   return pairs[n_pairs++];
}

/* Adds the cost of a straight run to the clock.  Where there are pairs, calls and returns
   read the clock in pairs, right after it was written.  A host that loads a pair just
   after its two numbers were stored one by one has to wait for the stores.  So the events
   that are read in pairs are written in pairs, and no others.  */
static void emit_clock(IrOutput* out, IRExpr* base, const ULong* cost)
{
   for (UInt e = 0; e < cost_n_events(); e++) {
      tl_assert(cost[e] == 0 || !cost_is_rare(e));
      const ULong* pair = e < cost_n_paired() ? pairs_constant(&cost[e & ~1u]) : NULL;
      if (pair == NULL) {
         if (cost[e] != 0 && !reserved_registers_add_to_clock(out, e, cost[e]))
            ir_add_to(out, base, ir_from_shared_base(&cost_clock[e]), cost[e]);
      } else if ((e & 1) == 0 && (cost[e] != 0 || cost[e + 1] != 0))
         ir_add_pair_to(out, base, ir_from_shared_base(&cost_clock[e]),
                        ir_relocated_from_shared_base(out, pair));
   }
}

/* With --call-tree: counts what of the straight run is code of inlined functions.  The
   cost of a function with several spans is added once, at the first of them.  */
static void emit_inlined(IrOutput* out, const Block* block, UInt run)
{
   for (UInt span = 0; span < block->n_spans; span++) {
      const Inlined* inlined = block_line_of(&block->spans[span]).inlined;
      ULong cost[COST_MAX_EVENTS] = {0};
      if (inlined != NULL && block_is_first_span_of_inlined(block, span))
         block_add_inlined_cost(block, run, 0, inlined, cost);
      if (cost_is_zero(cost))
         continue;
      UInt slot = calltree_inlined_slot(block->function, inlined);
      IRExpr* costs = ir_load(out, IR_WORD, ir_address(&calltree_now.inlined));
      for (UInt e = 0; e < cost_n_events(); e++)
         if (cost[e] != 0)
            ir_add_to(out, costs, ir_relocated_offset(out, slot * cost_stride() + e),
                      cost[e]);
   }
}

/* Counts straight run number `run` of `block`.  */
static void emit_run(IrOutput* out, const Block* block, UInt run, IRExpr* base)
{
   ULong cost[COST_MAX_EVENTS] = {0};
   block_add_run_cost(block, run, 0, cost);
   UWord counter = ir_relocated_offset(out, block->slot + run);
   if (!reserved_registers_add_to_counter(out, counter, 1))
      ir_add_to(out, ir_load_counters(out, base), counter, 1);
   emit_clock(out, base, cost);
}

/* Counts jump number `jump` of `block` if `guard` is true; NULL: always.  */
static void emit_jump_count(IrOutput* out, const Block* block, UInt jump, IRExpr* guard)
{
   IRExpr* counters = ir_load_counters(out, ir_load_shared_base(out));
   IRExpr* times = guard == NULL
                      ? IRExpr_Const(IRConst_U64(1))
                      : ir_assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard));
   ir_add_value_to(out, counters, ir_relocated_offset(out, block_jump_slot(block, jump)),
                   times);
}

static CallSite* site_at(const Instruction* last, CallSiteKind kind, const Block* block)
{
   return callsite_intern(kind, last->address,
                          last->address - block->address + block->file_address,
                          last->address + last->size, block->function, last->line);
}

/* Stores a call site at `where`.  `base` is the shared base if it has been loaded,
   otherwise NULL; so in all that follows.  */
static void emit_site(IrOutput* out, IRExpr* base, const void* where, CallSite* site)
{
   ir_store(out, base != NULL ? ir_near(out, base, where) : ir_address(where),
            ir_relocated_address(out, site));
}

static void emit_jump(IrOutput* out, IRExpr* base, CallSite* site)
{
   emit_site(out, base, &shadowstack_now.at.last_exit, site);
}

/* May a jump to `target` leave the function?  Where unbounded code ends is not known.  */
static Bool may_leave(const Function* function, Addr target)
{
   return function->is_unbounded || !address_is_inside(function, target);
}

/* Before a conditional exit.  The site is stored whether the exit is taken or not: any
   other way out of the superblock stores its own.  */
static void emit_exit(IrOutput* out, IRExpr* base, const IRStmt* statement,
                      const Instruction* current, const Block* block)
{
   if (statement->Ist.Exit.jk == Ijk_Boring && !is_stub(block) &&
       may_leave(block->function, ir_constant_address(statement->Ist.Exit.dst)))
      emit_jump(out, base, site_at(current, SiteJump, block));
}

/* After a call.  A call from skipped code to skipped code must not be noticed.  So it
   leaves `current` alone and stores its site as an exit's; a shown callee finds it
   there.  */
static void emit_call(IrOutput* out, IRExpr* base, const Instruction* last,
                      const Block* block)
{
   CallSite* site = site_at(last, SiteCall, block);
   if (symbols_runs_as(block->function) == block->function)
      emit_site(out, base, &shadowstack_now.at.current, site);
   else
      emit_jump(out, base, site);
}

/* At the superblock's end.  */
static void emit_end(SuperblockState* superblock, IRExpr* base, const Instruction* last,
                     const Block* block)
{
   IrOutput* out = &superblock->out;
   switch (out->code->jumpkind) {
   case Ijk_NoRedir:    /* a wrapper calls what it wraps */
      cold_code_stop(); /* fall through */
   case Ijk_Call:
      emit_call(out, base, last, block);
      dispatch_call_of(&superblock->dispatcher, out->code);
      break;
   case Ijk_Ret: {
      CallSite* site = site_at(last, SiteReturn, block);
      if (dispatch_return_of(&superblock->dispatcher, out->code)) {
         emit_site(out, base, &dispatch_return_site, site);
         break;
      }
      IRDirty* leave =
         ir_call_with_sp("callstack_return", (void*)callstack_helpers().leave,
                         mkIRExprVec_3(out->code->next, ir_guest_state(),
                                       ir_relocated_address(out, site)),
                         superblock->layout);
      ir_add_call(out, leave);
      reserved_registers_fetch(out);
      break;
   }
   case Ijk_Boring:
      if (is_stub(block))
         dispatch_call_of(&superblock->dispatcher, out->code);
      else if (out->code->next->tag != Iex_Const ||
               may_leave(block->function,
                         ir_constant_address(out->code->next->Iex.Const.con)))
         emit_jump(out, base, site_at(last, SiteJump, block));
      break;
   default: break; /* system calls and the like come back to the next instruction */
   }
}

/* --collect-jumps=yes: counts the superblock's end, if that is a jump.  */
static void emit_end_jump(IrOutput* out, const Instruction* last, const Block* block)
{
   if (block->n_jumps > 0 && block->jumps[block->n_jumps - 1].is_at_end)
      emit_jump_count(out, block, block->n_jumps - 1, NULL);
   else if (jumps_is_indirect(block->function, out->code)) {
      CallSite* site = site_at(last, SiteJump, block);
      ir_add_call(
         out, ir_call("jump_taken", (void*)jump_taken,
                      mkIRExprVec_2(out->code->next, ir_relocated_address(out, site))));
   }
}

/* Between two segments: the instruction before goes on into the function of `block`,
   which is a jump.  */
static void emit_fall_into(IrOutput* out, const Instruction* last, const Block* from,
                           Block* block, const VexGuestLayout* layout)
{
   emit_jump(out, NULL, site_at(last, SiteJump, from));
   IRDirty* enter =
      ir_call_with_sp("callstack_fall_into", (void*)callstack_fall_into,
                      mkIRExprVec_1(ir_relocated_address(out, block)), layout);
   ir_add_call(out, enter);
   reserved_registers_fetch(out);
}

/* How a segment counts: inline; by calls (cold_code.h); by calls, and its first straight
   run has been counted at the superblock's entry.  */
typedef enum { Warm, Cold, ColdAndEntered } Temperature;

/* A walk through the statements of a segment.  */
typedef struct {
   const IRSB* in;
   Block* block;
   const ReferencePlan* plan;
   Temperature temperature;
   UInt run, jump, span; /* the next ones */
   UInt group;           /* the next group of references */
   UInt n_seen;          /* instructions begun so far */
   Bool is_in_run;
   IRExpr* base; /* the shared base if it has been loaded, otherwise NULL */
   /* Of the exit that is copied, if it is a conditional branch that is predicted: its
      reference, and its outcome; otherwise `taken` is NULL.  */
   UInt branch;
   IRExpr* taken;
} Walk;

static void begin_run(IrOutput* out, Walk* walk)
{
   UInt run = walk->run++;
   walk->is_in_run = True;
   if (walk->temperature == Cold)
      cold_code_emit_run(out, walk->block, run);
   else if (walk->temperature == ColdAndEntered)
      walk->temperature = Cold;
   else {
      /* Loaded again for each run, it takes no register in between.  */
      if (run > 0 || walk->base == NULL)
         walk->base = ir_load_shared_base(out);
      emit_run(out, walk->block, run, walk->base);
   }
   if (options.call_tree)
      emit_inlined(out, walk->block, run);
}

static void emit_groups_before(IrOutput* out, Walk* walk, UInt i)
{
   while (walk->group < walk->plan->n_groups && walk->plan->groups[walk->group].at <= i)
      cache_checks_emit_group(out, walk->plan, &walk->plan->groups[walk->group++],
                              walk->block, walk->base);
}

static void begin_instruction(Walk* walk, const IRStmt* mark, Instruction* current)
{
   const Block* block = walk->block;
   while (walk->span + 1 < block->n_spans &&
          block->spans[walk->span + 1].first <= walk->n_seen)
      walk->span++;
   current->address = (Addr)mark->Ist.IMark.addr;
   current->size = mark->Ist.IMark.len;
   current->line = block_line_of(&block->spans[walk->span]);
   walk->n_seen++;
}

/* Has VEX inverted the branch of this exit?  It has if the exit is the superblock's last
   branch and leads to the next instruction in memory: then the guest's branch leads to
   where the superblock's end does.  */
static Bool is_turned(const IRSB* in, UInt exit, Addr behind)
{
   for (UInt i = exit + 1; i < (UInt)in->stmts_used; i++)
      if (in->stmts[i]->tag == Ist_Exit && references_is_branch(in->stmts[i]))
         return False;
   return ir_constant_address(in->stmts[exit]->Ist.Exit.dst) == behind;
}

/* The walk is at statement `i`, an exit, before what the instructions up to it have
   accessed is checked: the outcome of a branch is computed from what the host still has
   in registers.  Returns the exit as it is to be copied.  */
static IRStmt* begin_exit(IrOutput* out, Walk* walk, UInt i, const Instruction* current)
{
   const IRStmt* exit = walk->in->stmts[i];
   UInt branch = reference_plan_first_at(walk->plan, i);
   walk->taken = NULL;
   if (branch == walk->plan->n || walk->plan->statements[branch] != i)
      return walk->in->stmts[i];
   IRStmt* copy = IRStmt_Exit(exit->Ist.Exit.guard, exit->Ist.Exit.jk, exit->Ist.Exit.dst,
                              exit->Ist.Exit.offsIP);
   walk->branch = branch;
   walk->taken = branch_checks_emit_taken(
      out, copy, is_turned(walk->in, i, current->address + current->size));
   return copy;
}

static void end_run(IrOutput* out, Walk* walk, const IRStmt* exit,
                    const Instruction* current)
{
   if (walk->taken != NULL)
      branch_checks_emit_conditional(out, walk->block, walk->branch, walk->base,
                                     walk->taken);
   emit_exit(out, walk->base, exit, current, walk->block);
   if (jumps_is_counted(walk->block->function, exit, current->address + current->size))
      emit_jump_count(out, walk->block, walk->jump++, exit->Ist.Exit.guard);
   walk->is_in_run = False;
}

/* Copies a statement; `copied` is it, or an exit in its place.  */
static void copy(IrOutput* out, const IRStmt* statement, IRStmt* copied)
{
   if (copied != statement)
      ir_digest_exit(&out->digest, copied);
   ir_digest_copied(&out->digest, statement);
   addStmtToIRSB(out->code, copied);
}

/* Copies the statements of a segment, and adds what counts them.  *current becomes its
   last instruction.  Returns the shared base if it has been loaded behind the segment,
   otherwise NULL.  */
static IRExpr* emit_segment(SuperblockState* superblock, const Segment* segment,
                            Instruction* current, IRExpr* base, Temperature temperature)
{
   const IRSB* in = superblock->in;
   IrOutput* out = &superblock->out;
   const SuperblockCycles* cycles = &superblock->cycles;
   Walk walk = {.in = in,
                .block = segment->block,
                .plan = &segment->plan,
                .temperature = temperature,
                .base = base};
   StaticEvent events[STATIC_EVENTS_MAX];
   for (UInt i = segment->first; i < segment->end; i++) {
      IRStmt* statement = in->stmts[i];
      if (!walk.is_in_run && (statement->tag == Ist_IMark ||
                              static_events_in(in, walk.plan, cycles, i, events) > 0))
         begin_run(out, &walk);
      if (statement->tag == Ist_Exit)
         statement = begin_exit(out, &walk, i, current);
      emit_groups_before(out, &walk, i);
      if (statement->tag == Ist_IMark)
         begin_instruction(&walk, statement, current);
      else if (statement->tag == Ist_Exit)
         end_run(out, &walk, statement, current);
      else
         stack_checks_emit(superblock, (Int)i);
      copy(out, in->stmts[i], statement);
   }
   if (!walk.is_in_run &&
       static_events_in(in, walk.plan, cycles, segment->end, events) > 0)
      begin_run(out, &walk);
   emit_groups_before(out, &walk, segment->end);
   UInt branch = reference_plan_first_at(walk.plan, segment->end);
   if (branch < walk.plan->n)
      branch_checks_emit_indirect(out, walk.block, branch, walk.base, in->next);
   return walk.base;
}

/* At the superblock's exits, is it known which function runs?  Nothing is known where a
   part may be written before, or where a stub leads on.  */
static void note_exits(SuperblockState* superblock)
{
   chains_note_exits_known(&superblock->exits);
   if (superblock_count_is_on())
      chains_note_exits_unknown(&superblock->exits);
   for (UInt i = 0; i < superblock->n_segments; i++)
      if (is_stub(superblock->segments[i].block))
         chains_note_exits_unknown(&superblock->exits);
}

/* Before the first segment.  Returns as emit_entry().  */
static IRExpr* emit_begin(SuperblockState* superblock, Bool is_cold)
{
   IrOutput* out = &superblock->out;
   Block* first = superblock->segments[0].block;
   IRExpr* base = NULL;
   if (superblock_count_is_on())
      emit_superblock_count(out);
   if (is_cold)
      cold_code_emit_entry(out, first, superblock->layout);
   else
      base = emit_entry(out, first, superblock->layout);
   reserved_registers_check(out);
   allocation_checks_emit(out, first);
   return base;
}

IRSB* instrument_segments(SuperblockState* superblock)
{
   const IRSB* in = superblock->in;
   const Segment* segments = superblock->segments;
   const UInt n = superblock->n_segments;
   IrOutput* out = &superblock->out;
   out->code = deepCopyIRSBExceptStmts(in);
   for (UInt i = 0; i < segments[0].first; i++)
      copy(out, in->stmts[i], in->stmts[i]);
   note_exits(superblock);
   Bool is_cold = cold_code_is(segments[0].block);
   IRExpr* base = emit_begin(superblock, is_cold);
   Instruction current = {0, 0, {NULL, 0, NULL}};
   for (UInt i = 0; i < n; i++) {
      if (i > 0) {
         emit_fall_into(out, &current, segments[i - 1].block, segments[i].block,
                        superblock->layout);
         base = NULL;
      }
      base = emit_segment(superblock, &segments[i], &current, base,
                          !is_cold ? Warm
                          : i == 0 ? ColdAndEntered
                                   : Cold);
   }
   emit_end_jump(out, &current, segments[n - 1].block);
   emit_end(superblock, base, &current, segments[n - 1].block);
   return out->code;
}
