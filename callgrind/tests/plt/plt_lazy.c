/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -foptimize-sibling-calls -Wl,-z,lazy -lplt_library -Wl,-rpath,$ORIGIN
   Calls of the library are bound when they are first made, by the resolver of ld.so.
*/

#include "plt_calls.h"
