/* SPDX-License-Identifier: GPL-2.0-or-later

   References of a segment; see references.h.

   What counts as an access, and of which kind, is what stock callgrind counts, found by
   comparing with it: an instruction that reads a place and then writes it has made one
   access, a write; an atomic one too; what a helper of VEX's touches is cut to the
   smallest line; a load or store under a condition is made when that holds.

   An instruction is fetched as a whole.  Within a superblock nothing else is fetched in
   between: the line of the instruction before is still the one used last, and only one
   that touches another line makes a reference.  */

#include "instrument/references.h"

#include "machine/icache_lines.h"
#include "instrument/ir_build.h"
#include "machine/simulation.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

/* Accesses at constant distances from one base are told of as one range if they lie within
   one piece of memory of this size, aligned to it: two that lie further apart are often in
   two lines, and a range in two lines is never a plain hit.  */
#define ALIAS_GRANULE 16

/* Ranges of a group, so that what is compared fits the host's registers.  */
#define MAX_RANGES 8

/* That of the statements [found_first, found_end), if there are any.  */
static ReferencePlan plan;
static UInt found_first, found_end;

/* What is known of the temporaries of the superblock: `base` + `offset`, where `base` is
   another temporary.  */
typedef struct {
   IRExpr* base;
   ULong offset;
} Sum;

#define MAX_TEMPORARIES 8192
static Sum sums[MAX_TEMPORARIES]; /* by temporary; base NULL: nothing is known */

/* What the temporary is beyond a multiple of ALIAS_GRANULE, as far as can be guessed.  */
static UChar base_misalignment[MAX_TEMPORARIES];

/* References that are known from an earlier translation.  */
static const Reference* earlier_ones;
static UInt n_earlier;

/* The group that is being filled, if is_open.  */
static Bool is_open;
static UInt n_outcomes;

/* The lines of the instructions fetched so far: the last one's number, if there is one.  */
static Bool has_fetched;
static Addr last_line;

static UInt instruction, n_instructions;
static Addr instruction_address;

static Bool is_anything_simulated(void)
{
   return cost_is_counted(EventDr) || cost_is_counted(EventBc);
}

static ReferenceGroup* open_group(void) { return &plan.groups[plan.n_groups - 1]; }

static void close_group(UInt at)
{
   if (!is_open)
      return;
   open_group()->at = at;
   plan.references[plan.n - 1].is_last = True;
   is_open = False;
}

static ReferenceGroup* need_group(UInt n_ranges, UInt at)
{
   if (is_open &&
       (open_group()->has_own_group || open_group()->n == REFERENCE_MAX_TOGETHER ||
        open_group()->n_ranges + open_group()->n_lines + n_ranges > MAX_RANGES))
      close_group(at);
   if (!is_open) {
      ReferenceGroup* group = &plan.groups[plan.n_groups++];
      VG_(memset)(group, 0, sizeof *group);
      group->first = plan.n;
      group->first_access = plan.n_accesses;
      group->first_range = plan.n_ranges;
      group->first_line = plan.n_lines;
      is_open = True;
   }
   return open_group();
}

static Reference* add_reference(ReferenceKind kind, Addr address, UInt size, UInt at)
{
   tl_assert(plan.n < BLOCK_MAX_REFERENCES);
   Reference* reference = &plan.references[plan.n];
   VG_(memset)(reference, 0, sizeof *reference);
   reference->kind = (UChar)kind;
   reference->address = address;
   reference->at = instruction_address;
   reference->size = (UShort)size;
   reference->instruction = (UShort)instruction;
   reference->argument = REFERENCE_NO_ARGUMENT;
   reference->outcomes = n_outcomes;
   n_outcomes += reference_n_outcomes(reference);
   reference->before = (UChar)(is_open ? plan.n - open_group()->first : 0);
   plan.n_accesses += reference_is_data(reference);
   plan.statements[plan.n++] = at;
   return reference;
}

static ReferenceRange* add_range(ReferenceGroup* group, IRExpr* first, IRExpr* base,
                                 ULong low, UInt length)
{
   ReferenceRange* range = &plan.ranges[plan.n_ranges++];
   group->n_ranges++;
   range->base = base;
   range->low = low;
   range->first = first;
   range->length = length;
   range->guard = NULL;
   return range;
}

/*--------------------------------------------------------------------*/
/* Fetches                                                             */

static void add_line(ReferenceGroup* group, ICacheLine* line)
{
   for (UInt i = 0; i < group->n_lines; i++)
      if (icache_share_set(simulation_code(), plan.lines[group->first_line + i], line))
         group->shares_set = True;
   plan.lines[group->first_line + group->n_lines++] = line;
   plan.n_lines++;
}

static void fetch(const IRStmt* mark, UInt at)
{
   Addr begin = (Addr)mark->Ist.IMark.addr;
   UInt size = mark->Ist.IMark.len > 0 ? mark->Ist.IMark.len : 1;
   UInt bits = simulation_code()->line_bits;
   Addr first = begin >> bits, last = (begin + size - 1) >> bits;
   Bool is_first_known =
      has_fetched && first == last_line && !simulation_is_always_called(ReferenceFetch);
   if (is_first_known && last == last_line)
      return;
   UInt n_new = (UInt)(last - first) + (is_first_known ? 0 : 1);
   ReferenceGroup* group = need_group(n_new, at);
   Reference* reference = add_reference(ReferenceFetch, begin, size, at);
   reference->line = icache_line_at((last - n_new + 1) << bits);
   reference->is_from_two = n_new > 1;
   if (n_new > 1)
      reference->line->following = icache_line_at(last << bits);
   group->n++;
   for (UInt i = n_new; i > 0; i--)
      add_line(group, icache_line_at((last - i + 1) << bits));
   has_fetched = True;
   last_line = last;
}

/*--------------------------------------------------------------------*/
/* Addresses                                                           */

static Bool is_constant(const IRExpr* expression) { return expression->tag == Iex_Const; }

static ULong constant(const IRExpr* expression)
{
   return ir_constant_address(expression->Iex.Const.con);
}

/* A register is aligned when the code runs as it is now, when it is about to run for the
   first time: stacks always, and most pointers.  */
static UChar register_misalignment(const IRExpr* get)
{
   ThreadId thread = VG_(get_running_tid)();
   UWord value = 0;
   if (thread != VG_INVALID_THREADID && get->Iex.Get.ty == IR_WORD)
      VG_(get_shadow_regs_area)(thread, (UChar*)&value, 0, get->Iex.Get.offset,
                                sizeof value);
   return value % ALIAS_GRANULE;
}

/* Notes what is known of a temporary that has been computed.  */
static void note_sum(const IRStmt* statement)
{
   IRTemp temporary = statement->Ist.WrTmp.tmp;
   const IRExpr* data = statement->Ist.WrTmp.data;
   if (temporary >= MAX_TEMPORARIES)
      return;
   sums[temporary].base = NULL;
   /* What was loaded or computed often is a pointer to a piece that was allocated.  */
   base_misalignment[temporary] = data->tag == Iex_Get ? register_misalignment(data) : 0;
   if (data->tag != Iex_Binop || !is_constant(data->Iex.Binop.arg2) ||
       data->Iex.Binop.arg1->tag != Iex_RdTmp)
      return;
   IRExpr* base = data->Iex.Binop.arg1;
   ULong offset;
   switch (data->Iex.Binop.op) {
   case Iop_Add32:
   case Iop_Add64: offset = constant(data->Iex.Binop.arg2); break;
   case Iop_Sub32:
   case Iop_Sub64: offset = -constant(data->Iex.Binop.arg2); break;
   default: return;
   }
   IRTemp under = base->Iex.RdTmp.tmp;
   if (under < MAX_TEMPORARIES && sums[under].base != NULL) {
      base = sums[under].base;
      offset += sums[under].offset;
   }
   sums[temporary].base = base;
   sums[temporary].offset = offset;
}

/* An address as a base, NULL if it is a constant, and a distance from it.  */
static void split_address(IRExpr* address, IRExpr** base, ULong* offset)
{
   *base = address;
   *offset = 0;
   if (is_constant(address)) {
      *base = NULL;
      *offset = constant(address);
   } else if (address->Iex.RdTmp.tmp < MAX_TEMPORARIES &&
              sums[address->Iex.RdTmp.tmp].base != NULL) {
      *base = sums[address->Iex.RdTmp.tmp].base;
      *offset = sums[address->Iex.RdTmp.tmp].offset;
   }
}

static Bool is_same(const IRExpr* a, const IRExpr* b)
{
   return a == b || (a != NULL && b != NULL && a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp);
}

/*--------------------------------------------------------------------*/
/* Data                                                                */

/* The argument of the open group that is `base`, after room for one is made.  */
static UChar argument_for(ReferenceGroup* group, IRExpr* base)
{
   if (base == NULL)
      return REFERENCE_NO_ARGUMENT;
   for (UInt i = 0; i < group->n_arguments; i++)
      if (is_same(group->arguments[i], base))
         return (UChar)i;
   group->arguments[group->n_arguments] = base;
   return (UChar)group->n_arguments++;
}

static Bool has_room_for(const ReferenceGroup* group, const IRExpr* base)
{
   if (base == NULL || group->n_arguments < REFERENCE_MAX_ARGUMENTS)
      return True;
   for (UInt i = 0; i < group->n_arguments; i++)
      if (is_same(group->arguments[i], base))
         return True;
   return False;
}

/* Are [begin, end) from `base` on likely to be within one line?  */
static Bool is_in_one_piece(const IRExpr* base, ULong begin, ULong end)
{
   if (base == NULL)
      return (begin ^ (end - 1)) < simulation_data()->line_size;
   IRTemp temporary = base->Iex.RdTmp.tmp;
   ULong beyond = temporary < MAX_TEMPORARIES ? base_misalignment[temporary] : 0;
   return ((beyond + begin) ^ (beyond + end - 1)) < ALIAS_GRANULE;
}

/* Has [low, low + size) taken in by a range that is there already.  */
static Bool join_range(const ReferenceGroup* group, IRExpr* first, const IRExpr* base,
                       ULong low, UInt size)
{
   for (UInt i = group->first_range; i < group->first_range + group->n_ranges; i++) {
      ReferenceRange* range = &plan.ranges[i];
      if (!is_same(range->base, base))
         continue;
      ULong begin = (Long)(low - range->low) < 0 ? low : range->low;
      ULong end = low + size, range_end = range->low + range->length;
      if ((Long)(range_end - end) > 0)
         end = range_end;
      if (end - begin > range->length && !is_in_one_piece(base, begin, end))
         continue;
      if (begin != range->low)
         range->first = first;
      range->low = begin;
      range->length = (UInt)(end - begin);
      return True;
   }
   return False;
}

/* Do the bytes [low, end) lie between the beginning of `a` and the end of `b`, with no room
   there for a line in between?  Then they are in the line of the one or of the other.  */
static Bool is_between(const ReferenceRange* a, const ReferenceRange* b, ULong low,
                       ULong end)
{
   ULong span = b->low + b->length - a->low;
   return span <= simulation_data()->line_size && low - a->low < span &&
          end - a->low <= span;
}

/* Are these bytes plain hits if all ranges of the group are, but for `except`?  */
static Bool is_covered(const ReferenceGroup* group, const ReferenceRange* except,
                       const IRExpr* base, ULong low, ULong end)
{
   const ReferenceRange* ranges = &plan.ranges[group->first_range];
   for (UInt a = 0; a < group->n_ranges; a++) {
      if (&ranges[a] == except || !is_same(ranges[a].base, base))
         continue;
      for (UInt b = 0; b < group->n_ranges; b++)
         if (&ranges[b] != except && is_same(ranges[b].base, base) &&
             is_between(&ranges[a], &ranges[b], low, end))
            return True;
   }
   return False;
}

/* Drops the ranges of this base that need not be looked at.  */
static void drop_covered(ReferenceGroup* group, const IRExpr* base)
{
   ReferenceRange* ranges = &plan.ranges[group->first_range];
   for (UInt i = 0; i < group->n_ranges;) {
      ReferenceRange* range = &ranges[i];
      if (!is_same(range->base, base) ||
          !is_covered(group, range, base, range->low, range->low + range->length)) {
         i++;
         continue;
      }
      *range = ranges[--group->n_ranges];
      plan.n_ranges--;
   }
}

static void check_inline(ReferenceGroup* group, IRExpr* address, IRExpr* base, ULong low,
                         UInt size)
{
   if (is_covered(group, NULL, base, low, low + size))
      return;
   if (!join_range(group, address, base, low, size))
      add_range(group, address, base, low, size);
   if (group->n_ranges > 2)
      drop_covered(group, base);
}

/* How often the next reference is known to have been no plain hit.  */
static UChar mru_misses_of_next(void)
{
   Bool is_known = plan.n < n_earlier && earlier_ones[plan.n].at == instruction_address;
   return is_known ? earlier_ones[plan.n].mru_misses : 0;
}

static void access(ReferenceKind kind, IRExpr* address, UInt size, UInt at)
{
   IRExpr* base;
   ULong offset;
   split_address(address, &base, &offset);
   UChar mru_misses = mru_misses_of_next();
   Bool has_own_group = mru_misses == REFERENCE_OFTEN_MISSES_MRU;
   /* Fetches before it are no data to be looked at each time that it asks.  */
   if (has_own_group && is_open && open_group()->n_ranges > 0)
      close_group(at);
   ReferenceGroup* group = need_group(1, at);
   if (!has_room_for(group, base)) {
      close_group(at);
      group = need_group(1, at);
   }
   Reference* reference = add_reference(kind, (Addr)offset, size, at);
   reference->mru_misses = mru_misses;
   group->n++;
   reference->argument = argument_for(group, base);
   check_inline(group, address, base, offset, size);
   group->has_own_group = has_own_group;
}

/* A group of its own: whether it is looked at is settled when the program runs.  */
static void guarded_access(ReferenceKind kind, IRExpr* address, IRExpr* guard, UInt size,
                           UInt at)
{
   close_group(at);
   ReferenceGroup* group = need_group(1, at);
   Reference* reference = add_reference(kind, 0, size, at);
   reference->is_guarded = True;
   n_outcomes++;
   reference->argument = 0;
   group->n++;
   group->guard = guard;
   group->arguments[group->n_arguments++] = address;
   ReferenceRange* range = is_constant(address)
                              ? add_range(group, address, NULL, constant(address), size)
                              : add_range(group, address, address, 0, size);
   range->guard = guard;
   close_group(at);
}

/* The reference made last, if that is a read of the same place by the same instruction;
   otherwise NULL.  */
static Reference* its_read(IRExpr* address, UInt size)
{
   if (!is_open || open_group()->n == 0)
      return NULL;
   Reference* last = &plan.references[plan.n - 1];
   IRExpr* base;
   ULong offset;
   split_address(address, &base, &offset);
   Bool is_same_place =
      last->kind == ReferenceRead && last->instruction == instruction &&
      last->size == size && last->address == (Addr)offset &&
      (base == NULL ? last->argument == REFERENCE_NO_ARGUMENT
                    : last->argument != REFERENCE_NO_ARGUMENT &&
                         is_same(open_group()->arguments[last->argument], base));
   return is_same_place ? last : NULL;
}

/* A read of what is then written becomes a write.  */
static void write(IRExpr* address, UInt size, UInt at)
{
   Reference* read = its_read(address, size);
   if (read != NULL)
      read->kind = ReferenceWrite;
   else
      access(ReferenceWrite, address, size, at);
}

/*--------------------------------------------------------------------*/
/* Statements                                                          */

static UInt size_of(const IRSB* in, IRExpr* data)
{
   return (UInt)sizeofIRType(typeOfIRExpr(in->tyenv, data));
}

static void helper_accesses(const IRDirty* call, UInt at)
{
   if (call->mFx == Ifx_None)
      return;
   UInt size = (UInt)call->mSize;
   if (size > simulation_smallest_line())
      size = simulation_smallest_line();
   if (call->mFx == Ifx_Read || call->mFx == Ifx_Modify)
      access(ReferenceRead, call->mAddr, size, at);
   if (call->mFx == Ifx_Write || call->mFx == Ifx_Modify)
      write(call->mAddr, size, at);
}

static void guarded_load(const IRLoadG* load, UInt at)
{
   IRType result, loaded;
   typeOfIRLoadGOp(load->cvt, &result, &loaded);
   guarded_access(ReferenceRead, load->addr, load->guard, (UInt)sizeofIRType(loaded), at);
}

static void linked_access(const IRSB* in, const IRStmt* statement, UInt at)
{
   if (statement->Ist.LLSC.storedata != NULL) {
      access(ReferenceWrite, statement->Ist.LLSC.addr,
             size_of(in, statement->Ist.LLSC.storedata), at);
      return;
   }
   IRType type = typeOfIRTemp(in->tyenv, statement->Ist.LLSC.result);
   access(ReferenceRead, statement->Ist.LLSC.addr, (UInt)sizeofIRType(type), at);
}

static void compare_and_swap(const IRSB* in, const IRCAS* cas, UInt at)
{
   UInt size = size_of(in, cas->dataLo) * (cas->dataHi != NULL ? 2 : 1);
   access(ReferenceWrite, cas->addr, size, at);
}

static void accesses_of(const IRSB* in, const IRStmt* statement, UInt at)
{
   switch (statement->tag) {
   case Ist_IMark: fetch(statement, at); break;
   case Ist_WrTmp: {
      IRExpr* data = statement->Ist.WrTmp.data;
      if (data->tag == Iex_Load)
         access(ReferenceRead, data->Iex.Load.addr, (UInt)sizeofIRType(data->Iex.Load.ty),
                at);
      note_sum(statement);
      break;
   }
   case Ist_Store:
      write(statement->Ist.Store.addr, size_of(in, statement->Ist.Store.data), at);
      break;
   case Ist_StoreG: {
      const IRStoreG* store = statement->Ist.StoreG.details;
      guarded_access(ReferenceWrite, store->addr, store->guard, size_of(in, store->data),
                     at);
      break;
   }
   case Ist_LoadG: guarded_load(statement->Ist.LoadG.details, at); break;
   case Ist_Dirty: helper_accesses(statement->Ist.Dirty.details, at); break;
   case Ist_CAS: compare_and_swap(in, statement->Ist.CAS.details, at); break;
   case Ist_LLSC: linked_access(in, statement, at); break;
   default: break;
   }
}

/*--------------------------------------------------------------------*/
/* Branches                                                            */

static void add_branch(ReferenceKind kind, Addr address, UInt at)
{
   Reference* reference = add_reference(kind, address, 0, at);
   reference->is_last = True;
}

Bool references_is_branch(const IRStmt* exit)
{
   IRJumpKind kind = exit->Ist.Exit.jk;
   return kind == Ijk_Boring || kind == Ijk_Call || kind == Ijk_Ret;
}

Bool references_is_indirect(const IRSB* in)
{
   return in->next->tag == Iex_RdTmp &&
          (in->jumpkind == Ijk_Boring || in->jumpkind == Ijk_Call);
}

/*--------------------------------------------------------------------*/

static void find(const IRSB* in, UInt first, UInt end)
{
   const Bool has_caches = cost_is_counted(EventDr),
              has_branches = cost_is_counted(EventBc);
   const IRStmt* mark = NULL;
   for (UInt i = first; i < end; i++) {
      const IRStmt* statement = in->stmts[i];
      if (statement->tag == Ist_IMark) {
         mark = statement;
         instruction = n_instructions++;
         instruction_address = (Addr)statement->Ist.IMark.addr;
      }
      if (statement->tag == Ist_Exit) {
         close_group(i);
         if (has_branches && references_is_branch(statement))
            add_branch(ReferenceConditional, (Addr)mark->Ist.IMark.addr, i);
      } else if (has_caches)
         accesses_of(in, statement, i);
   }
   close_group(end);
   if (has_branches && end == (UInt)in->stmts_used && references_is_indirect(in))
      add_branch(ReferenceIndirect, (Addr)mark->Ist.IMark.addr, end);
}

void references_begin(const IRSB* in)
{
   found_first = found_end = 0;
   if (!is_anything_simulated())
      return;
   for (Int i = 0; i < in->tyenv->types_used && i < MAX_TEMPORARIES; i++) {
      sums[i].base = NULL;
      base_misalignment[i] = 0;
   }
}

const ReferencePlan* references_find(const IRSB* in, UInt first, UInt end,
                                     const Block* earlier)
{
   if (first == found_first && end == found_end)
      return &plan;
   n_earlier = earlier != NULL ? earlier->n_references : 0;
   earlier_ones = n_earlier > 0 ? earlier->references : NULL;
   plan.n = plan.n_accesses = plan.n_groups = plan.n_ranges = plan.n_lines = 0;
   is_open = has_fetched = False;
   n_outcomes = n_instructions = 0;
   if (is_anything_simulated())
      find(in, first, end);
   found_first = first;
   found_end = end;
   return &plan;
}

UInt references_first_at(const ReferencePlan* of, UInt i)
{
   UInt low = 0, high = of->n;
   while (low < high) {
      UInt middle = (low + high) / 2;
      if (of->statements[middle] < i)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}
