// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions of all scopes that a compiler puts into their callers: each is called once,
// and costs some hundreds of instructions that no other has.
// build: -static

#define HUNDREDS(n) __asm__ volatile(".rept 100 * " #n "\n\tnop\n\t.endr")
#define INLINED inline __attribute__((always_inline))

namespace shapes {

template <typename Number> struct Box {
   Number value;
   INLINED explicit Box(Number given) : value(given) { HUNDREDS(1); }
   INLINED Number get() const
   {
      HUNDREDS(2);
      return value;
   }
   static INLINED Number twice(Number given)
   {
      HUNDREDS(3);
      return 2 * Box<Number>(given).get();
   }
};

namespace {
INLINED int secret(int n)
{
   HUNDREDS(4);
   return n;
}
} // namespace

INLINED int open(int n)
{
   HUNDREDS(5);
   return secret(n);
}

} // namespace shapes

extern "C" INLINED int plain(int n)
{
   HUNDREDS(6);
   return n;
}

int main(int n, char **)
{
   auto one = [](int x) __attribute__((always_inline)) {
      HUNDREDS(7);
      return x;
   };
   auto two = [](int x) __attribute__((always_inline)) {
      HUNDREDS(8);
      return x;
   };
   n = shapes::Box<int>::twice(n) + shapes::open(n);
   return plain(n) + one(n) + two(n) == 0;
}
