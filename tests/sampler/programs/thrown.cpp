// SPDX-License-Identifier: GPL-2.0-or-later
//
// Exceptions in flight: half of the time is spent in a destructor that runs while the
// stack is being unwound, half before the throw.
//
//    thrown [MILLISECONDS]

#include <cstdlib>
#include <ctime>

static volatile unsigned sink;

// As many rounds in the mean: turns of equal length could keep step with the samples.
__attribute__((noinline)) static void work()
{
   static unsigned chance = 1;
   chance = chance * 1664525u + 1013904223u;
   unsigned rounds = 20000 + (chance >> 8) % 40000;
   for (unsigned i = 0; i < rounds; i++)
      sink = sink * 1664525u + 1013904223u;
}

struct Guard {
   __attribute__((noinline)) ~Guard() { while_unwinding(); }
   __attribute__((noinline)) void while_unwinding() { work(); sink = sink + 1; }
};

namespace deep {
__attribute__((noinline)) void before_the_throw() { work(); sink = sink + 1; }

__attribute__((noinline)) void descend(int depth)
{
   if (depth > 0) {
      descend(depth - 1);
      sink = sink + 1;
      return;
   }
   Guard guard;
   before_the_throw();
   throw depth;
}
} // namespace deep

int main(int count, char** arguments)
{
   long milliseconds = count > 1 ? std::atol(arguments[1]) : 1000;
   std::clock_t end = std::clock() + milliseconds * (CLOCKS_PER_SEC / 1000);
   while (std::clock() < end) {
      try {
         deep::descend(20);
      } catch (int) {
         sink = sink + 1;
      }
   }
}
