/* SPDX-License-Identifier: GPL-2.0-or-later

   Where AVX-512's part of a thread's registers is kept.  The guest's state has the lower
   halves of ZMM0-15, as YMM0-15.

   libvex.h ("guest state layout") has two areas behind the guest's state, each of its
   size, for tools that keep something of each register.  This tool has no other use for
   them.  The core copies them when a thread begins, saves them in a signal's frame and
   puts them back, and they are zero when a program begins: as the registers that are kept
   here.

      offset in the areas   size     what
                        0   16 * 32  upper halves of ZMM0-15
                      512    8 *  8  K0-7
                      576   16 * 64  ZMM16-31  */

#ifndef CALLGRIND_WIDE_STATE_H
#define CALLGRIND_WIDE_STATE_H

#include "core_version.h"

#if defined(VGA_amd64)

/* Has the host AVX, and AVX-512 as servers have it (F, CD, DQ, BW and VL), with registers
   that the system keeps?  */
Bool core_host_has_avx(void);
Bool core_host_has_wide_state(void);

#endif

#if defined(VGA_amd64) && defined(CORE_CAN_KEEP_TRANSLATIONS)

/* Offsets from the guest's state, whose address generated code knows.  */
#define WIDE_STATE_UPPER sizeof(VexGuestAMD64State)
#define WIDE_STATE_MASKS (WIDE_STATE_UPPER + 16 * 32)
#define WIDE_STATE_HIGH (WIDE_STATE_MASKS + 8 * 8)
#define WIDE_STATE_END (WIDE_STATE_HIGH + 16 * 64)

_Static_assert(WIDE_STATE_END <= 3 * sizeof(VexGuestAMD64State),
               "the two areas have room for it");

/* Are the areas of the thread that runs where they are said to be?  `guest` is its state.
   They are as before when this returns.  */
Bool core_wide_state_is_there(UChar* guest);

#endif

#endif
