/* SPDX-License-Identifier: GPL-2.0-or-later

   See in_order.h.  Owns which function simulates accesses to data.  */

#include "machine/in_order.h"

#include "machine/misses.h"

static void (*access_data)(const Reference* reference, Addr address);

void in_order_init(void (*simulates)(const Reference* reference, Addr address))
{
   access_data = simulates;
}

void in_order_fetch_any(const Reference* reference, UInt countdown)
{
   ICacheLine* line = reference->line;
   Bool is_hit = True;
   /* The last level is needed if the line is absent, after it has been brought in.  */
   __builtin_prefetch(lastlevel_set_of(&simulators.ll, reference->address), 1);
   for (UInt left = reference->is_from_two ? 2 : 1; left > 0; left--) {
      if (countdown != ICACHE_LINE_AGED)
         line->countdown = countdown;
      is_hit = icache_touch(&simulators.i1, line) && is_hit;
      line = line->following;
   }
   if (!is_hit)
      misses_count(reference, reference->address,
                   misses_access_last(reference, reference->address));
}

static inline void simulate(const Reference* reference, const Addr* arguments)
{
   if (reference->kind == ReferenceFetch) {
      in_order_fetch(reference, ICACHE_LINE_AGED);
      return;
   }
   Addr address = reference->address + arguments[reference->argument];
   const FirstLevel* d1 = &simulators.d1;
   if (simulators.is_always_called[reference->kind] ||
       !firstlevel_is_mru_hit(d1, d1->shape, address, reference->size))
      access_data(reference, address);
}

void in_order_simulate(const Reference* reference, const Addr* arguments)
{
   for (;; reference++) {
      simulate(reference, arguments);
      if (reference->is_last)
         return;
   }
}
