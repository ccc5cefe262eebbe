/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -foptimize-sibling-calls -fno-plt -lplt_library -Wl,-rpath,$ORIGIN
   Calls of the library are indirect calls and jumps, without any stub.
*/

#include "plt_calls.h"
