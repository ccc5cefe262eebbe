/* SPDX-License-Identifier: GPL-2.0-or-later

   Accesses to data by code that has checked for MRU hits inline: the helpers that are
   called most.  They are compiled once for each kind of host: data_access.c is for any,
   data_access_avx2.c for those with AVX2, where rows of tags (sim/linetags.h) are
   searched and moved at once.  Each includes this file, and nobody else does.  */

#ifndef CALLGRIND_DATA_ACCESS_H
#define CALLGRIND_DATA_ACCESS_H

#include "machine/misses.h"
#include "machine/simulation_helpers.h"

/* An access that may be an MRU miss.  True: all its lines were in D1.  */
static inline __attribute__((always_inline)) Bool touch_data(Addr address, UInt size,
                                                             UInt groups)
{
   return firstlevel_touch(&simulators.d1, address, size, groups,
                           lastlevel_set_of(&simulators.ll, address));
}

static __attribute__((noinline)) void miss_data(const Reference* reference, Addr address)
{
   misses_count(reference, address, misses_access_last(reference, address));
}

/* Any access to data, in any model but ModelUse.  */
static void access_data(const Reference* reference, Addr address)
{
   if (reference->is_guarded && address == REFERENCE_NOT_MADE)
      return;
   if (!touch_data(address, reference->size, firstlevel_groups(&simulators.d1)))
      miss_data(reference, address);
   else if (simulators.is_always_called[reference->kind])
      writeback_access_last(&simulators.ll_writeback, address, reference->size, True);
}

static __attribute__((noinline)) void access_unpacked(const Reference* reference,
                                                      const Addr* arguments)
{
   access_data(reference, reference->address + arguments[reference->argument]);
}

/* If all lines of code are there, fetches change nothing, and only the data are
   simulated.  The reference itself is read only if its data miss: the host may have to
   wait for it.  */
static inline __attribute__((always_inline)) void
access_group(const PackedReference* first, UWord missed, const Addr* arguments,
             UInt groups)
{
   if (UNLIKELY(missed == ICACHE_LINE_ABSENT)) {
      const Reference* reference = reference_of_packed(first);
      simulation_in_order(reference - reference->before, arguments);
      return;
   }
   const FirstLevel* d1 = &simulators.d1;
   for (const PackedReference* access = first;; access++) {
      const PackedReference packed = *access;
      if (UNLIKELY((packed & PACKED_ARGUMENT) == PACKED_INCOMPLETE ||
                   (packed & simulators.always_called) != 0))
         access_unpacked(reference_of_packed(access), arguments);
      else {
         Addr address = (Addr)((Long)packed >> 32) + arguments[packed & PACKED_ARGUMENT];
         UInt size = packed >> PACKED_SIZE_SHIFT & PACKED_SIZE;
         if (UNLIKELY(!firstlevel_is_mru_hit(d1, address, size)) &&
             !touch_data(address, size, groups))
            miss_data(reference_of_packed(access), address);
      }
      if (packed & PACKED_IS_LAST)
         return;
   }
}

/* Simulates the whole group whose last reference, and only access to data, is
   `access`.  */
static __attribute__((noinline)) void simulate_up_to(const Reference* access,
                                                     Addr address)
{
   Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {0};
   arguments[access->argument] = address - access->address;
   simulation_in_order(access - access->before, arguments);
}

static inline __attribute__((always_inline)) void
access_one(SizedReference sized, UWord missed, Addr address, UInt groups)
{
   if (UNLIKELY(missed == ICACHE_LINE_ABSENT)) {
      simulate_up_to(reference_of_sized(sized), address);
      return;
   }
   if (touch_data(address, reference_size_of_sized(sized), groups))
      return;
   const Reference* reference = reference_of_sized(sized);
   misses_count(reference, address, misses_access_last(reference, address));
}

/* The same for any shape of D1, and for the commonest ones.  With a constant number of
   tag groups the compiler unrolls the loops over them; loops and calls would take a third
   of the time.  */
static void access_any(const PackedReference* first, UWord missed, Addr a, Addr b, Addr c,
                       Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_group(first, missed, arguments, firstlevel_groups(&simulators.d1));
}

static void access_8_ways(const PackedReference* first, UWord missed, Addr a, Addr b,
                          Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_group(first, missed, arguments, firstlevel_groups_of(8));
}

static void access_12_ways(const PackedReference* first, UWord missed, Addr a, Addr b,
                           Addr c, Addr d)
{
   const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};
   access_group(first, missed, arguments, firstlevel_groups_of(12));
}

static void access_one_any(SizedReference access, UWord missed, Addr address)
{
   access_one(access, missed, address, firstlevel_groups(&simulators.d1));
}

static void access_one_8_ways(SizedReference access, UWord missed, Addr address)
{
   access_one(access, missed, address, firstlevel_groups_of(8));
}

static void access_one_12_ways(SizedReference access, UWord missed, Addr address)
{
   access_one(access, missed, address, firstlevel_groups_of(12));
}

static inline SimulationHelpers helpers_for(UInt ways)
{
   static const SimulationHelpers any = {access_any, access_one_any, access_data},
                                  ways_8 = {access_8_ways, access_one_8_ways,
                                            access_data},
                                  ways_12 = {access_12_ways, access_one_12_ways,
                                             access_data};
   switch (ways) {
   case 8: return ways_8;
   case 12: return ways_12;
   default: return any;
   }
}

#endif
