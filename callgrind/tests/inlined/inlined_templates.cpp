// SPDX-License-Identifier: GPL-2.0-or-later
//
// Templates that are made of two lambdas each, all of them inlined.  What is made of the
// one lambda and of the other has the same cost, and lies in the same line.

#define HUNDREDS(n) asm volatile(".rept 100*" #n "\n nop\n .endr")
#define INLINED inline __attribute__((always_inline))

namespace shapes {

template <typename F> INLINED int apply(F f, int n)
{
   HUNDREDS(1);
   return f(n);
}

template <typename F> struct Holder {
   F f;

   INLINED int run(int n)
   {
      HUNDREDS(2);
      return f(n);
   }
};

template <typename... F> INLINED int all(int n, F... f)
{
   HUNDREDS(3);
   int values[] = {f(n)...};
   return values[0] + values[1];
}

template <template <typename> class Held, typename F> INLINED int held(Held<F> holder)
{
   HUNDREDS(4);
   return holder.f(4);
}

template <typename R, typename A, typename F> INLINED int called(R (*)(A), F f, int n)
{
   HUNDREDS(5);
   return f(n);
}

} // namespace shapes

// A lambda in a template of a lambda.
template <typename F> INLINED int outer(F f, int n)
{
   auto inner = [&](int x) __attribute__((always_inline)) { return f(x); };
   return shapes::apply(inner, n);
}

template <typename One, typename Two> INLINED int both(One one, Two two, int n)
{
   shapes::Holder<One> first{one};
   shapes::Holder<Two> second{two};
   n += shapes::apply(one, n) + shapes::apply(two, n);
   n += outer(one, n) + outer(two, n);
   n += first.run(n) + second.run(n);
   n += shapes::all(n, one, two) + shapes::all(n, two, one);
   n += shapes::held(first) + shapes::held(second);
   n += shapes::called((One(*)(Two)) nullptr, one, n);
   n += shapes::called((Two(*)(One)) nullptr, one, n);
   return n;
}

int main(int n, char **)
{
   auto one = [](int x) __attribute__((always_inline)) { return x + 1; };
   auto two = [](int x) __attribute__((always_inline)) { return x + 2; };
   return both(one, two, n) == 0;
}
