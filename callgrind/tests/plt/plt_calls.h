/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   The body of the plt_* programs, which differ in how calls of a shared library are
   bound: calls of the library in a loop, from two functions, by a call and by a sibling
   call.
*/

#include "known_cost.h"

void lib_leaf(void);
void lib_outer(void);

OPAQUE static void first_caller(void)
{
   lib_leaf();
   NO_TAIL_CALL;
}

/* Ends with a jump into the PLT.  */
OPAQUE static void sibling_caller(void) { lib_leaf(); }

int main(void)
{
   first_caller();
   sibling_caller();
   for (int i = 0; i < 5; i++) {
      lib_leaf();
      lib_outer();
      NO_TAIL_CALL;
   }
   first_caller();
   return 0;
}
