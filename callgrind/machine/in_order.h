/* SPDX-License-Identifier: GPL-2.0-or-later

   Simulates references one by one, in program order: the last level is shared by code and
   data, and its state depends on the order in which misses of the first levels reach
   it.  */

#ifndef CALLGRIND_IN_ORDER_H
#define CALLGRIND_IN_ORDER_H

#include "model/reference.h"
#include "sim/icache.h"

/* What simulates any access to data on this host (data_access.h).  Once, before all
   else.  */
void in_order_init(void (*access_data)(const Reference* reference, Addr address));

/* A fetch whose lines of code are used at `countdown`; ICACHE_LINE_AGED: generated code
   has stored when.  in_order_fetch() does the commonest case inline.  */
void in_order_fetch_any(const Reference* reference, UInt countdown);

static inline void in_order_fetch(const Reference* reference, UInt countdown)
{
   if (LIKELY(reference->line->state == ICACHE_LINE_PRESENT && !reference->is_from_two)) {
      if (countdown != ICACHE_LINE_AGED)
         reference->line->countdown = countdown;
   } else
      in_order_fetch_any(reference, countdown);
}

/* Simulates the group that begins with `reference`, up to its last one.  `arguments` are
   as many as the group has, and 0 behind the last possible one.  */
void in_order_simulate(const Reference* reference, const Addr* arguments);

#endif
