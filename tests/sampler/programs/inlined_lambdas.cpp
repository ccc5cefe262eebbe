// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work in two lambdas, and in what a template makes of each, all of it inlined.

static volatile unsigned sink;

namespace shop {

template <typename Step> inline __attribute__((always_inline)) void repeated(Step step)
{
   for (unsigned i = 0; i < 100000; i++)
      step();
   for (unsigned i = 0; i < 100000; i++)
      sink = sink * 1664525u + 1013904223u;
}

__attribute__((noinline)) void work()
{
   auto one = []() __attribute__((always_inline)) { sink = sink * 22695477u + 1u; };
   auto two = []() __attribute__((always_inline)) { sink = sink * 69069u + 5u; };
   repeated(one);
   repeated(two);
}

} // namespace shop

// Half a second, so that few samples are of the program's start.
int main()
{
   for (int i = 0; i < 1000; i++)
      shop::work();
}
