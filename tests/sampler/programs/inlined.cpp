// SPDX-License-Identifier: GPL-2.0-or-later
//
// Work in a function that is inlined into another, in a namespace and a template.

static volatile unsigned sink;

namespace shop {

template <typename Number> struct Counter {
   inline __attribute__((always_inline)) void inlined_work(Number rounds)
   {
      for (Number i = 0; i < rounds; i++)
         sink = sink * 1664525u + 1013904223u;
   }
};

__attribute__((noinline)) void around(Counter<unsigned>& counter)
{
   counter.inlined_work(200000);
}

} // namespace shop

// Half a second, so that few samples are of the program's start.
int main()
{
   shop::Counter<unsigned> counter;
   for (int i = 0; i < 2000; i++)
      shop::around(counter);
}
