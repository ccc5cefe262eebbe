/* SPDX-License-Identifier: GPL-2.0-or-later

   See needed_statements.h.

   Of most statements a skeleton has nothing.  This is asked for each superblock of a run
   that stores translations, so it is done with care: one pass over all statements,
   without a branch for each, finds those that are needed by themselves; what these are
   computed from is found from them.

   Relies on flat IR: a temporary is assigned once, before it is used.

   Keeps nothing.  */

#include "instrument/ir/needed_statements.h"

#include "instrument/ir/stack_moves.h"
#include "model/cost.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

static void make_tables(NeededStatements* needed, const IRSB* in)
{
   UInt n_temporaries = (UInt)in->tyenv->types_used + 1;
   needed->n_words = (UInt)in->stmts_used / STATEMENTS_PER_WORD + 1;
   if (n_temporaries > needed->n_assigned_at) {
      needed->n_assigned_at = 2 * n_temporaries;
      needed->assigned_at =
         VG_(realloc)("needed_statements.assigned_at", needed->assigned_at,
                      needed->n_assigned_at * sizeof *needed->assigned_at);
   }
   if (needed->n_words > needed->capacity) {
      needed->capacity = 2 * needed->n_words;
      ULong* words = VG_(realloc)("needed_statements.sets", needed->all,
                                  3 * needed->capacity * sizeof *words);
      needed->all = words;
      needed->assign = words + needed->capacity;
      needed->set_sp = words + 2 * needed->capacity;
   }
}

static inline void add_to(ULong* set, UInt i)
{
   set[i / STATEMENTS_PER_WORD] |= 1ULL << i % STATEMENTS_PER_WORD;
}

/* Notes the statements from number `from` on that are of use by themselves, and which
   temporaries are assigned where.  Returns those that set the stack pointer.  The
   compiler is kept from making jumps, which the processor could not foresee.  */
static ULong examine_some(NeededStatements* needed, const IRSB* in, UInt from, UInt n,
                          Int offset_sp, ULong* noted)
{
   UInt* assigned_at = needed->assigned_at;
   ULong marks = 0, set_sp = 0;
   for (UInt i = 0; i < n; i++) {
      const IRStmt* s = in->stmts[from + i];
      ULong is_mark = s->tag == Ist_IMark, is_exit = s->tag == Ist_Exit;
      ULong puts = s->tag == Ist_Put, assigns = s->tag == Ist_WrTmp;
      /* A temporary and an offset are at one place.  */
      ULong sets_it = puts & (s->Ist.Put.offset == offset_sp);
      UInt temporary = (UInt)(s->Ist.WrTmp.tmp + 1) & (UInt)(0 - assigns);
      __asm__("" : "+r"(is_mark), "+r"(is_exit), "+r"(sets_it), "+r"(temporary));
      assigned_at[temporary] = from + i;
      marks |= (is_mark | is_exit) << i;
      set_sp |= sets_it << i;
   }
   *noted = marks | set_sp;
   return set_sp;
}

/* The assignment of a temporary that the superblock needs is needed, and so is what that
   is computed from.  */
static void need(NeededStatements* needed, const IRSB* in, const IRExpr* atom)
{
   if (atom == NULL || atom->tag != Iex_RdTmp)
      return;
   IRTemp temporary = atom->Iex.RdTmp.tmp;
   UInt i = needed->assigned_at[temporary + 1];
   if (i >= (UInt)in->stmts_used || in->stmts[i]->tag != Ist_WrTmp ||
       in->stmts[i]->Ist.WrTmp.tmp != temporary || statements_have(needed->assign, i))
      return;
   add_to(needed->assign, i);
   add_to(needed->all, i);
   const IRExpr* data = in->stmts[i]->Ist.WrTmp.data;
   if (data->tag == Iex_RdTmp)
      need(needed, in, data);
   else if (data->tag == Iex_Binop && stack_moves_follows(data->Iex.Binop.op)) {
      need(needed, in, data->Iex.Binop.arg1);
      need(needed, in, data->Iex.Binop.arg2);
   }
}

/* The address that `s` accesses, an atom; NULL if it accesses no memory, or is a helper's
   call that does not say where.  */
static const IRExpr* accessed(const IRStmt* s)
{
   switch (s->tag) {
   case Ist_WrTmp:
      return s->Ist.WrTmp.data->tag == Iex_Load ? s->Ist.WrTmp.data->Iex.Load.addr : NULL;
   case Ist_Store: return s->Ist.Store.addr;
   case Ist_StoreG: return s->Ist.StoreG.details->addr;
   case Ist_LoadG: return s->Ist.LoadG.details->addr;
   case Ist_CAS: return s->Ist.CAS.details->addr;
   case Ist_LLSC: return s->Ist.LLSC.addr;
   case Ist_Dirty: return s->Ist.Dirty.details->mAddr;
   default: return NULL;
   }
}

static void note_accesses(NeededStatements* needed, const IRSB* in)
{
   for (UInt i = 0; i < (UInt)in->stmts_used; i++) {
      const IRExpr* address = accessed(in->stmts[i]);
      if (address != NULL) {
         add_to(needed->all, i);
         need(needed, in, address);
      }
   }
}

void needed_statements_find(NeededStatements* needed, const IRSB* in,
                            const VexGuestLayout* layout)
{
   const UInt n = (UInt)in->stmts_used;
   make_tables(needed, in);
   ULong before = 0;
   for (UInt word = 0; word < needed->n_words; word++) {
      UInt from = word * STATEMENTS_PER_WORD;
      ULong set_sp =
         examine_some(needed, in, from,
                      n - from < STATEMENTS_PER_WORD ? n - from : STATEMENTS_PER_WORD,
                      layout->offset_SP, &needed->all[word]);
      /* What is behind the setting of a stack pointer tells what was pushed.  */
      needed->all[word] |= set_sp << 1 | before >> (STATEMENTS_PER_WORD - 1);
      needed->set_sp[word] = before = set_sp;
      needed->assign[word] = 0;
   }
   for (UInt word = 0; word < needed->n_words; word++)
      for (ULong left = needed->set_sp[word]; left != 0; left &= left - 1)
         need(needed, in, in->stmts[statements_number(word, left)]->Ist.Put.data);
   needed->memory_matters = cost_depends_on_accesses();
   if (needed->memory_matters)
      note_accesses(needed, in);
   /* There is nothing behind the last one.  */
   needed->all[n / STATEMENTS_PER_WORD] &= (1ULL << n % STATEMENTS_PER_WORD) - 1;
}
