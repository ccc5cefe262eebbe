/* SPDX-License-Identifier: GPL-2.0-or-later

   Allocation of counter slots: for each function, which indexes of its contexts' counter
   arrays belong to which of its blocks.  */

#ifndef CALLGRIND_COUNTER_SLOTS_H
#define CALLGRIND_COUNTER_SLOTS_H

#include "guest/symbols.h"

/* `n` slots in a row; returns the first.  */
UInt counter_slots_take(const Function* function, UInt n);

/* Gives back slots that were taken together.  Their counters must all be zero.  */
void counter_slots_give_back(const Function* function, UInt slot, UInt n);

/* All slots of the function lie below this number, which never gets smaller.  */
UInt counter_slots_end(const Function* function);

#endif
