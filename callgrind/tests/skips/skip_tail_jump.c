/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -lskip_library -foptimize-sibling-calls -Wl,-z,now -Wl,-rpath,$ORIGIN
   Functions that end with a jump into a library, through the PLT; the library calls back,
   or ends with a jump back itself.
*/

#include "known_cost.h"
#include "skip_library.h"

KNOWN_COST(leaf, 10)

OPAQUE static void work(void)
{
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void ends_in_library(void)
{
   leaf();
   lib_call(work);
}

OPAQUE static void ends_in_jump_back(void)
{
   leaf();
   lib_jump(work);
}

OPAQUE static void calls_what_jumps_back(void)
{
   lib_jump(work);
   leaf();
   NO_TAIL_CALL;
}

OPAQUE static void next(void)
{
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   for (int i = 0; i < 3; i++) {
      ends_in_library();
      next();
      ends_in_jump_back();
      next();
      calls_what_jumps_back();
      next();
   }
   return 0;
}
