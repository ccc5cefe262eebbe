// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions whose linker names are not the source's: members, overloads, operators,
// templates, functions in namespaces, lambdas.

#include "known_cost.h"

namespace shapes {

template <typename Number> struct Point {
   Number x, y;
   OPAQUE Point operator+(const Point &other) const
   {
      return {static_cast<Number>(x + other.x), static_cast<Number>(y + other.y)};
   }
};

OPAQUE void draw(int) {}
OPAQUE void draw(const Point<long> &) {}

} // namespace shapes

int main()
{
   auto lambda = [](int n) OPAQUE { shapes::draw(n); NO_TAIL_CALL; };
   const shapes::Point<long> origin = {0, 0};
   shapes::draw(origin + origin);
   shapes::draw(1);
   lambda(2);
   lambda(3);
   return 0;
}
