/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -fPIE -pie -Wl,-z,now,-z,relro -lplt_library -Wl,-rpath,$ORIGIN
   Stubs of the PLT that fault by their first instruction, which is all that they have; on
   arm64 by the second of four.
*/

#include "plt_faults.h"
