/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -shared -fPIC
   A library in whose constructor measurement starts.
*/

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf_of_library, 10)

__attribute__((constructor)) static void constructor_of_library(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   leaf_of_library();
   NO_TAIL_CALL;
}
