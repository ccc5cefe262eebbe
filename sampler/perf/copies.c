/* SPDX-License-Identifier: GPL-2.0-or-later

   The size of copies; see copies.h.

   A copy that is too short loses the callers for good, and so do the next, until the
   larger ones come.  Hence the size shrinks only after many samples that left a fifth of
   the smaller size free, and after twice as many each time that this was a mistake: of a
   long run, few are lost.  */

#include "perf/copies.h"

/* The kernel's largest; what most programs need at most; what compiled ones do.  */
static const unsigned several[COPIES_MAX_SIZES] = {4096, 16384, 65528};

#define FIRST_WINDOW 200

static unsigned sizes[COPIES_MAX_SIZES];
static unsigned size_count;
static unsigned wanted; /* atomic */
static bool proved;     /* atomic */

/* The unwinding thread's.  */
static unsigned long window = FIRST_WINDOW; /* how many samples decide */
static unsigned long samples;               /* of them, so far */
static unsigned most;                       /* that one has used, in bytes */

void copies_begin(unsigned fixed_size)
{
   size_count = fixed_size != 0 ? 1 : COPIES_MAX_SIZES;
   for (unsigned i = 0; i < size_count; i++)
      sizes[i] = fixed_size != 0 ? fixed_size : several[i];
   wanted = size_count - 1;
   proved = false;
   window = FIRST_WINDOW;
   samples = most = 0;
}

unsigned copies_count(void) { return size_count; }
unsigned copies_size(unsigned index) { return sizes[index]; }
unsigned copies_wanted(void) { return __atomic_load_n(&wanted, __ATOMIC_RELAXED); }

bool copies_are_proved(void) { return __atomic_load_n(&proved, __ATOMIC_RELAXED); }

static void want(unsigned index, bool is_proved)
{
   __atomic_store_n(&proved, is_proved, __ATOMIC_RELAXED);
   __atomic_store_n(&wanted, index, __ATOMIC_RELAXED);
   samples = most = 0;
}

/* The size of which a copy has so much room: the kernel cuts the largest, as no record
   may have 64 KB.  */
static unsigned size_with(unsigned room)
{
   unsigned index = 0;
   while (index + 1 < size_count && sizes[index] < room)
      index++;
   return index;
}

void copies_note(unsigned used, unsigned room, bool is_too_short)
{
   unsigned largest = size_count - 1;
   if (is_too_short) {
      if (wanted != largest)
         window *= 2;
      want(largest, false);
      return;
   }
   if (size_with(room) != wanted)
      return; /* from before the last change */
   most = used > most ? used : most;
   if (++samples < window)
      return;
   unsigned index = 0;
   while (index < largest && sizes[index] < most + most / 4)
      index++;
   want(index, index == wanted);
}
