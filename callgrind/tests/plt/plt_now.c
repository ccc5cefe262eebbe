/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -foptimize-sibling-calls -Wl,-z,now -lplt_library -Wl,-rpath,$ORIGIN
   Calls of the library go through PLT stubs (.plt.got or .plt) that are bound at the
   start.
*/

#include "plt_calls.h"
