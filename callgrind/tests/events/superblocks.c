/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   go_round executes 10,000 superblocks, most of them of 4 instructions.
*/

#include "callgrind.h"

#include "known_cost.h"

OPAQUE __attribute__((naked)) static void go_round(void)
{
   __asm__("mov $10000,%ecx\n1:\tnop\n\tnop\n\tdec %ecx\n\tjnz 1b\n\tret");
}

int main(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   go_round();
   CALLGRIND_STOP_INSTRUMENTATION;
   return 0;
}
