/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   The body of the start_early_* programs, which differ in what runs before main and
   starts measurement.
*/

#include "known_cost.h"

KNOWN_COST(leaf, 10)

int main(void)
{
   leaf();
   return 0;
}
