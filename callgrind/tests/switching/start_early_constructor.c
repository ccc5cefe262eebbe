/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Measurement starts in the program's own constructor.
*/

#include "callgrind.h"

#include "start_early.h"

__attribute__((constructor)) static void constructor(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   leaf();
   NO_TAIL_CALL;
}
