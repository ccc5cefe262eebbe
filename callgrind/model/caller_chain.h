/* SPDX-License-Identifier: GPL-2.0-or-later

   Call chain: a function and those by way of which it was called, outwards, as far as
   contexts are told apart by them (--separate-callers).  Recursion does not lengthen it: a
   function stands there once for any number of activations on top of each other, and of a
   group (--fn-group) the innermost stands for all.

   Chains are made once and never freed, so that equal ones are the same.  */

#ifndef CALLGRIND_CALLER_CHAIN_H
#define CALLGRIND_CALLER_CHAIN_H

#include "guest/symbols.h"

#include "pub_tool_hashtable.h"

typedef struct CallChain {
   VgHashNode node;
   Function* function;
   struct CallChain* callers; /* NULL: nobody, or it does not matter */
   struct CallChain* shorter; /* this without its outermost function; NULL: not asked for
                                 yet, or there is nothing left */
   UInt length;               /* functions in it, 1 and up */
} CallChain;

void caller_chain_init(void);

/* The chain of `function` when `caller` (NULL: nobody) enters it: at most `max_length`
   functions, at least one.  */
CallChain* caller_chain_enter(Function* function, CallChain* caller, UInt max_length);

/* The first `length` functions of a chain.  */
CallChain* caller_chain_cut(CallChain* chain, UInt length);

#endif
