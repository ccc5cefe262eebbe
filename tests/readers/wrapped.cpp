/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   A benchmark as gungraun builds it: what is to be measured is called by a function of a
   module with a name of its own; setting up is not measured.
*/

#define OPAQUE __attribute__((noipa))

OPAQUE static int leaf(int n) { return n + 1; }

OPAQUE static int set_up() { return leaf(leaf(leaf(0))); }

namespace my_bench
{
namespace __iai_callgrind_wrapper_mod
{
OPAQUE int bench(int n)
{
   int sum = 0;
   for (int i = 0; i < n; i++)
      sum = leaf(sum);
   return sum;
}
} // namespace __iai_callgrind_wrapper_mod
} // namespace my_bench

int main()
{
   int n = set_up();
   return my_bench::__iai_callgrind_wrapper_mod::bench(n) == n ? 0 : 1;
}
