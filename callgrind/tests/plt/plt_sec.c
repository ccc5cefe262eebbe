/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -foptimize-sibling-calls -fcf-protection -Wl,-z,lazy,-z,ibtplt -lplt_library -Wl,-rpath,$ORIGIN
   Calls of the library go through the second PLT, .plt.sec, of Intel's CET.
*/

#include "plt_calls.h"
