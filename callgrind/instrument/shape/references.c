/* SPDX-License-Identifier: GPL-2.0-or-later

   Finding references; see references.h.

   What is an access, and of which kind, is what stock callgrind counts, found by
   comparing with it.  An instruction that reads some bytes and then writes them makes one
   access, a write; so does an atomic one.  What a helper of VEX's touches is cut to the
   length of the smallest cache line.  A conditional load or store is an access if its
   condition holds.

   An instruction is fetched as a whole.  Within a superblock nothing else is fetched in
   between, so the line of the previous instruction is still the one used last, and an
   instruction makes a reference only if it touches another line.  */

#include "instrument/shape/references.h"

#include "instrument/shape/plan_builder.h"
#include "machine/icache_lines.h"
#include "machine/simulation.h"

/* The search through one segment.  */
typedef struct {
   const IRSB* in;
   const Block* earlier; /* as references_find() got it, and `shift` */
   Addr shift;
   AddressBases* bases; /* what has been learnt so far */
   PlanBuilder builder;
   /* Whether an instruction has been fetched, and the number of the line that holds its
      last byte.  */
   Bool has_fetched;
   Addr last_line;
} Search;

/*--------------------------------------------------------------------*/
/* Fetches                                                             */

static void fetch(Search* search, const IRStmt* mark)
{
   Addr address = (Addr)mark->Ist.IMark.addr + search->shift;
   UInt size = mark->Ist.IMark.len > 0 ? mark->Ist.IMark.len : 1;
   UInt bits = simulation_code()->line_bits;
   Addr first = address >> bits, last = (address + size - 1) >> bits;
   if (search->has_fetched && first == search->last_line &&
       !simulation_is_always_called(ReferenceFetch))
      first++;
   if (first > last)
      return;
   ICacheLine* lines[2] = {icache_line_at(first << bits, search->shift),
                           icache_line_at(last << bits, search->shift)};
   plan_builder_add_fetch(&search->builder, address, size, lines, first == last ? 1 : 2);
   search->has_fetched = True;
   search->last_line = last;
}

/*--------------------------------------------------------------------*/
/* Data                                                                */

/* How often the next reference is known to have missed the MRU line.  */
static UChar known_mru_misses(const Search* search)
{
   UInt i = search->builder.plan.n;
   const Block* earlier = search->earlier;
   Bool is_known = earlier != NULL && i < earlier->n_references &&
                   earlier->references[i].at == search->builder.instruction_address;
   return is_known ? earlier->references[i].mru_misses : 0;
}

static void access(Search* search, ReferenceKind kind, IRExpr* address, UInt size)
{
   plan_builder_add_access(&search->builder, kind, address, size,
                           known_mru_misses(search));
}

/* A read of what is then written becomes a write.  */
static void write(Search* search, IRExpr* address, UInt size)
{
   if (!plan_builder_turn_read_into_write(&search->builder, address, size))
      access(search, ReferenceWrite, address, size);
}

static UInt size_of(const Search* search, IRExpr* data)
{
   return (UInt)sizeofIRType(typeOfIRExpr(search->in->tyenv, data));
}

static void helper_accesses(Search* search, const IRDirty* call)
{
   if (call->mFx == Ifx_None)
      return;
   UInt size = (UInt)call->mSize;
   if (size > simulation_smallest_line())
      size = simulation_smallest_line();
   if (call->mFx == Ifx_Read || call->mFx == Ifx_Modify)
      access(search, ReferenceRead, call->mAddr, size);
   if (call->mFx == Ifx_Write || call->mFx == Ifx_Modify)
      write(search, call->mAddr, size);
}

static void guarded_load(Search* search, const IRLoadG* load)
{
   IRType result, loaded;
   typeOfIRLoadGOp(load->cvt, &result, &loaded);
   plan_builder_add_guarded_access(&search->builder, ReferenceRead, load->addr,
                                   load->guard, (UInt)sizeofIRType(loaded));
}

static void guarded_store(Search* search, const IRStoreG* store)
{
   plan_builder_add_guarded_access(&search->builder, ReferenceWrite, store->addr,
                                   store->guard, size_of(search, store->data));
}

static void linked_access(Search* search, const IRStmt* statement)
{
   IRExpr* stored = statement->Ist.LLSC.storedata;
   if (stored != NULL) {
      access(search, ReferenceWrite, statement->Ist.LLSC.addr, size_of(search, stored));
      return;
   }
   IRType type = typeOfIRTemp(search->in->tyenv, statement->Ist.LLSC.result);
   access(search, ReferenceRead, statement->Ist.LLSC.addr, (UInt)sizeofIRType(type));
}

static void compare_and_swap(Search* search, const IRCAS* cas)
{
   UInt size = size_of(search, cas->dataLo) * (cas->dataHi != NULL ? 2 : 1);
   access(search, ReferenceWrite, cas->addr, size);
}

static void assignment(Search* search, const IRStmt* statement)
{
   const IRExpr* data = statement->Ist.WrTmp.data;
   if (data->tag == Iex_Load)
      access(search, ReferenceRead, data->Iex.Load.addr,
             (UInt)sizeofIRType(data->Iex.Load.ty));
   address_bases_learn(search->bases, statement);
}

static void accesses_of(Search* search, const IRStmt* statement)
{
   switch (statement->tag) {
   case Ist_IMark: fetch(search, statement); break;
   case Ist_WrTmp: assignment(search, statement); break;
   case Ist_Store:
      write(search, statement->Ist.Store.addr,
            size_of(search, statement->Ist.Store.data));
      break;
   case Ist_StoreG: guarded_store(search, statement->Ist.StoreG.details); break;
   case Ist_LoadG: guarded_load(search, statement->Ist.LoadG.details); break;
   case Ist_Dirty: helper_accesses(search, statement->Ist.Dirty.details); break;
   case Ist_CAS: compare_and_swap(search, statement->Ist.CAS.details); break;
   case Ist_LLSC: linked_access(search, statement); break;
   default: break;
   }
}

/*--------------------------------------------------------------------*/
/* Branches                                                            */

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
/* A segment                                                           */

static void search_segment(Search* search, UInt first, UInt end)
{
   const Bool has_caches = cost_is_counted(EventDr),
              has_branches = cost_is_counted(EventBc);
   PlanBuilder* builder = &search->builder;
   for (UInt i = first; i < end; i++) {
      const IRStmt* statement = search->in->stmts[i];
      builder->statement = i;
      if (statement->tag == Ist_IMark)
         plan_builder_begin_instruction(builder, (Addr)statement->Ist.IMark.addr);
      if (statement->tag == Ist_Exit) {
         plan_builder_close_group(builder);
         if (has_branches && references_is_branch(statement))
            plan_builder_add_branch(builder, ReferenceConditional, search->shift);
      } else if (has_caches)
         accesses_of(search, statement);
   }
   builder->statement = end;
   plan_builder_close_group(builder);
   if (has_branches && end == (UInt)search->in->stmts_used &&
       references_is_indirect(search->in))
      plan_builder_add_branch(builder, ReferenceIndirect, search->shift);
}

static Bool is_anything_simulated(void)
{
   return cost_is_counted(EventDr) || cost_is_counted(EventBc);
}

void references_begin(PlanRoom* room, AddressBases* bases, const IRSB* in,
                      ThreadId thread)
{
   plan_room_discard_all(room);
   if (is_anything_simulated())
      address_bases_begin(bases, in, thread);
}

ReferencePlan references_find(PlanRoom* room, AddressBases* bases, const IRSB* in,
                              UInt first, UInt end, const Block* earlier, Addr shift)
{
   Search search = {.in = in,
                    .earlier = earlier,
                    .shift = shift,
                    .bases = bases,
                    .builder = plan_builder_new(room, bases)};
   if (is_anything_simulated())
      search_segment(&search, first, end);
   plan_room_keep(room, &search.builder.plan);
   return search.builder.plan;
}
