/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns all call chains; see caller_chain.h.  */

#include "model/caller_chain.h"

#include "pub_tool_mallocfree.h"

static VgHashTable* chains;

void caller_chain_init(void) { chains = VG_(HT_construct)("chain.table"); }

static Word compare_chains(const void* a, const void* b)
{
   const CallChain* chain = a;
   const CallChain* other = b;
   return chain->function != other->function || chain->callers != other->callers;
}

static CallChain* intern(Function* function, CallChain* callers)
{
   CallChain sought;
   sought.node.key = (UWord)function->id * 31 + (UWord)callers / sizeof(CallChain);
   sought.function = function;
   sought.callers = callers;
   CallChain* chain = VG_(HT_gen_lookup)(chains, &sought, compare_chains);
   if (chain == NULL) {
      chain = VG_(perm_malloc)(sizeof *chain, vg_alignof(CallChain));
      *chain = sought;
      chain->shorter = NULL;
      chain->length = callers == NULL ? 1 : callers->length + 1;
      VG_(HT_add_node)(chains, chain);
   }
   return chain;
}

/* Without its outermost function; NULL if that was the last.  */
static CallChain* without_outermost(CallChain* chain)
{
   if (chain->length > 1 && chain->shorter == NULL)
      chain->shorter = intern(chain->function, without_outermost(chain->callers));
   return chain->shorter;
}

CallChain* caller_chain_cut(CallChain* chain, UInt length)
{
   while (chain != NULL && chain->length > length)
      chain = without_outermost(chain);
   return chain;
}

static Bool is_same_group(const Function* function, const Function* other)
{
   return function == other || (function->group != 0 && function->group == other->group);
}

CallChain* caller_chain_enter(Function* function, CallChain* caller, UInt max_length)
{
   CallChain* callers = caller;
   if (callers != NULL && is_same_group(function, callers->function))
      callers = callers->callers;
   return intern(function, caller_chain_cut(callers, max_length - 1));
}
