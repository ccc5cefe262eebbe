/* SPDX-License-Identifier: GPL-2.0-or-later

   Is the state in use that the core has not (core/wide_state.h)?

   As long as a program has executed no instruction that reads or writes it, all of it is
   zero, and nothing needs to be done for it.  Before the first one, all translations are
   discarded.  From then on, what the core decodes and writes the whole of a YMM register,
   as each instruction with VEX does, clears what lies above, as the processor does.  */

#ifndef CALLGRIND_WIDE_USE_H
#define CALLGRIND_WIDE_USE_H

#include "core_version.h"

typedef enum { WideUnused, WideUsed, WideRefused } WideUse;

/* WideRefused: the core keeps its state otherwise than is known, and what needs more
   cannot be executed.  */
WideUse wide_use(void);

/* It is from the beginning.  */
void wide_use_expect(void);

/* What takes the place of a superblock that is like `in` and begins at `address`: it has
   the state looked at, and all translations discarded, and is then made anew.  */
IRSB* wide_use_begin(const IRSB* in, Addr address);

/* Adds to `in` what clears upper halves.  */
void wide_use_add_clearing(IRSB* in);

#endif
