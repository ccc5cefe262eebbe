/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   odd and even call each other, 10 deep; each calls leaf once before and once after.
*/

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void odd(int n);

OPAQUE static void even(int n)
{
   leaf();
   if (n > 0)
      odd(n - 1);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void odd(int n)
{
   leaf();
   even(n - 1);
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   odd(9);
   return 0;
}
