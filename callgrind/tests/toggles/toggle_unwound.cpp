// SPDX-License-Identifier: GPL-2.0-or-later
//
// wanted is left in three ways: by return, by an exception that passes through it, and by
// longjmp over it.  Each time it calls leaf once; unwanted calls leaf in between.

#include <csetjmp>
#include <stdexcept>

#include "known_cost.h"

static std::jmp_buf escape;

extern "C" {

KNOWN_COST(leaf, 10)

OPAQUE void leave(int how)
{
   if (how == 1)
      throw 1;
   if (how == 2)
      std::longjmp(escape, 1);
   NO_TAIL_CALL;
}

OPAQUE void wanted(int how)
{
   leaf();
   leave(how);
   NO_TAIL_CALL;
}

OPAQUE void unwanted()
{
   leaf();
   NO_TAIL_CALL;
}
}

int main()
{
   wanted(0);
   unwanted();
   try {
      wanted(1);
   } catch (int) {
      unwanted();
   }
   unwanted();
   if (setjmp(escape) == 0)
      wanted(2);
   unwanted();
   wanted(0);
   return 0;
}
