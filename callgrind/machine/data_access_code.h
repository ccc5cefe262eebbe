/* SPDX-License-Identifier: GPL-2.0-or-later

   The code of the helpers of data_access.h.  It is compiled once for each kind of host:
   data_access.c and data_access_avx2.c include this file, and nobody else does.  */

#ifndef CALLGRIND_DATA_ACCESS_CODE_H
#define CALLGRIND_DATA_ACCESS_CODE_H

#include "base/always_inline.h"
#include "machine/access_helpers.h"
#include "machine/in_order.h"
#include "machine/misses.h"
#include "stack/threads/thread.h"

/* An access that may be an MRU miss.  True: all its lines were in D1.  */
ALWAYS_INLINE Bool touch_data(Addr address, UInt size, FirstLevelShape shape)
{
   return firstlevel_touch(&simulators.d1, shape, address, size,
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
   if (!touch_data(address, reference->size, simulators.d1.shape))
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
ALWAYS_INLINE void access_group(const PackedReference* first, UWord missed,
                                const Addr* arguments, FirstLevelShape shape)
{
   if (UNLIKELY(missed == ICACHE_LINE_ABSENT)) {
      const Reference* reference = reference_of_packed(first);
      in_order_simulate(reference - reference->before, arguments);
      return;
   }
   for (const PackedReference* access = first;; access++) {
      const PackedReference packed = *access;
      if (UNLIKELY((packed & PACKED_ARGUMENT) == PACKED_INCOMPLETE ||
                   (packed & simulators.always_called) != 0))
         access_unpacked(reference_of_packed(access), arguments);
      else {
         Addr address = (Addr)((Long)packed >> 32) + arguments[packed & PACKED_ARGUMENT];
         UInt size = packed >> PACKED_SIZE_SHIFT & PACKED_SIZE;
         if (UNLIKELY(!firstlevel_is_mru_hit(&simulators.d1, shape, address, size)) &&
             !touch_data(address, size, shape))
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
   in_order_simulate(access - access->before, arguments);
}

ALWAYS_INLINE void access_one(SizedReference sized, UWord missed, Addr address,
                              FirstLevelShape shape)
{
   if (UNLIKELY(missed == ICACHE_LINE_ABSENT)) {
      simulate_up_to(reference_of_sized(sized), address);
      return;
   }
   if (touch_data(address, reference_size_of_sized(sized), shape))
      return;
   const Reference* reference = reference_of_sized(sized);
   misses_count(reference, address, misses_access_last(reference, address));
}

/* An access by cold code was an MRU miss.  That is counted for the next translation; no
   cost depends on it.  */
static __attribute__((noinline)) void access_cold(Reference* reference, Addr address)
{
   if (!simulators.is_always_called[reference->kind] &&
       reference->mru_misses < REFERENCE_OFTEN_MISSES_MRU)
      reference->mru_misses++;
   access_data(reference, address);
}

ALWAYS_INLINE void access_untimed(Reference* reference, const Addr* arguments,
                                  FirstLevelShape shape)
{
   UInt countdown = thread_countdown();
   for (;; reference++) {
      if (reference->kind == ReferenceFetch)
         in_order_fetch(reference, countdown);
      else {
         Addr address = reference->address + arguments[reference->argument];
         if (UNLIKELY(simulators.is_always_called[reference->kind]) ||
             !firstlevel_is_mru_hit(&simulators.d1, shape, address, reference->size))
            access_cold(reference, address);
      }
      if (reference->is_last)
         return;
   }
}

/* Those for a D1 of this shape, with what a miss takes written out.  A constant shape
   saves a quarter of the instructions.  */
#define MAKE_HELPERS(NAME, SHAPE)                                                        \
   static void access_##NAME(const PackedReference* first, UWord missed, Addr a, Addr b, \
                             Addr c, Addr d)                                             \
   {                                                                                     \
      const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};               \
      access_group(first, missed, arguments, SHAPE);                                     \
   }                                                                                     \
   static void access_one_##NAME(SizedReference access, UWord missed, Addr address)      \
   {                                                                                     \
      access_one(access, missed, address, SHAPE);                                        \
   }                                                                                     \
   static void access_untimed_##NAME(Reference* first, Addr a, Addr b, Addr c, Addr d)   \
   {                                                                                     \
      const Addr arguments[REFERENCE_MAX_ARGUMENTS + 1] = {a, b, c, d, 0};               \
      access_untimed(first, arguments, SHAPE);                                           \
   }
#define HELPERS(NAME)                                                                    \
   {access_##NAME, access_one_##NAME, access_untimed_##NAME, access_data}

MAKE_HELPERS(any, simulators.d1.shape)
MAKE_HELPERS(8_ways, FIRSTLEVEL_COMMON_SHAPE(8))
MAKE_HELPERS(12_ways, FIRSTLEVEL_COMMON_SHAPE(12))

static inline DataAccessHelpers helpers_for(const FirstLevel* d1)
{
   static const DataAccessHelpers any = HELPERS(any), ways_8 = HELPERS(8_ways),
                                  ways_12 = HELPERS(12_ways);
   if (firstlevel_has_shape(d1, FIRSTLEVEL_COMMON_SHAPE(8)))
      return ways_8;
   return firstlevel_has_shape(d1, FIRSTLEVEL_COMMON_SHAPE(12)) ? ways_12 : any;
}

#endif
