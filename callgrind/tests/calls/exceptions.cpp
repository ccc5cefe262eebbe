// SPDX-License-Identifier: GPL-2.0-or-later
//
// An exception on its way from thrower() through a frame with a destructor and one that
// catches and throws it again, to the function that handles it; 3 times.

#include <stdexcept>

#include "known_cost.h"

extern "C" {
KNOWN_COST(leaf, 10)
KNOWN_COST(clean_up, 20)
}

struct Guard {
   OPAQUE ~Guard() { clean_up(); NO_TAIL_CALL; }
};

OPAQUE void thrower()
{
   leaf();
   throw std::runtime_error("on purpose");
}

OPAQUE void with_destructor()
{
   Guard guard;
   thrower();
}

OPAQUE void rethrowing()
{
   try {
      with_destructor();
   } catch (const std::exception &) {
      leaf();
      throw;
   }
}

OPAQUE void handling()
{
   try {
      rethrowing();
   } catch (const std::runtime_error &) {
      leaf();
   }
   leaf();
   NO_TAIL_CALL;
}

int main()
{
   for (int i = 0; i < 3; i++)
      handling();
   leaf();
   return 0;
}
