// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions of several kinds that begin with inlined code of another file.

#include "inlined_first.h"

#define NOINLINE __attribute__((noinline))

NOINLINE int plain(int n)
{
   first_nops();
   return n + 1;
}

NOINLINE int Shape::area(int n)
{
   first_nops();
   return n * 3;
}

NOINLINE int Shape::made(int n)
{
   first_nops();
   return n * 5;
}

namespace {

template <typename F> NOINLINE int applied(F f, int n)
{
   first_nops();
   return f(n);
}

} // namespace

int main(int n, char **)
{
   auto one = [](int x) NOINLINE {
      first_nops();
      return x * 7;
   };
   Shape shape;
   return plain(n) + shape.area(n) + Shape::made(n) + applied(one, n) == 0;
}
