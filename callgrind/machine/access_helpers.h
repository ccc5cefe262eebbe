/* SPDX-License-Identifier: GPL-2.0-or-later

   What there is for accesses to data by generated code: a set of helpers.  Who has one:
   data_access.h and data_access_avx2.h.  */

#ifndef CALLGRIND_ACCESS_HELPERS_H
#define CALLGRIND_ACCESS_HELPERS_H

#include "model/reference.h"

/* The helpers that are called most.  There are several of each, made for the commonest
   shapes of D1.  */
typedef struct {
   /* Simulates a group, in order, that has data, of which `first` is the first access.
      `missed` is what the check has computed: ICACHE_LINE_ABSENT if a line of code is
      absent, and only then.  */
   void (*access)(const PackedReference* first, UWord missed, Addr a, Addr b, Addr c,
                  Addr d);
   /* As `access`, for a group with a single access to data, which is its last reference,
      and is neither guarded nor of a kind that is always simulated.  */
   void (*access_one)(SizedReference access, UWord missed, Addr address);
   /* Simulates a group where generated code has not stored when lines of code were used.
      Each gets its time when its turn comes.  For groups whose lines may evict
      each other, and for cold code (cold_code.h), of which it also counts the MRU misses
      (Reference.mru_misses).  */
   void (*access_untimed)(Reference* first, Addr a, Addr b, Addr c, Addr d);
   /* Any access to data.  Not for generated code.  */
   void (*access_data)(const Reference* reference, Addr address);
} DataAccessHelpers;

#endif
