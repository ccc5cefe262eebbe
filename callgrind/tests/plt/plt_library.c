/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -shared -fPIC -Wl,-z,lazy
   A library whose functions the plt_* programs call.  lib_outer calls lib_leaf through
   the library's own PLT.
*/

#include "known_cost.h"

KNOWN_COST(lib_leaf, 10)

OPAQUE void lib_outer(void)
{
   lib_leaf();
   NO_TAIL_CALL;
}
