/* SPDX-License-Identifier: GPL-2.0-or-later

   Call chain: a function and its callers, innermost first, as far as they distinguish
   contexts (--separate-callers).  Recursion does not make it longer: a function stands
   there once for any number of activations on top of each other, and of a group
   (--fn-group) the innermost stands for all.

      main -> f -> f -> g    g's chain: g, f, main

   Chains are made once and never freed, so equal chains have equal pointers.  */

#ifndef CALLGRIND_CALLER_CHAIN_H
#define CALLGRIND_CALLER_CHAIN_H

#include "guest/symbols.h"

#include "pub_tool_hashtable.h"

typedef struct CallChain {
   VgHashNode node;
   Function* function;
   struct CallChain* callers; /* NULL: none, or they do not matter */
   struct CallChain*
      shorter;  /* this without its outermost function; NULL: not made yet, or
                                 nothing would be left */
   UInt length; /* functions in it, 1 and up */
} CallChain;

void caller_chain_init(void);

/* The chain of `function` when `caller` (NULL: nobody) enters it: at most `max_length`
   functions, at least one.  */
CallChain* caller_chain_enter(Function* function, CallChain* caller, UInt max_length);

/* The chain of a chain's first `length` functions; the chain itself if it has no
   more.  */
CallChain* caller_chain_cut(CallChain* chain, UInt length);

#endif
