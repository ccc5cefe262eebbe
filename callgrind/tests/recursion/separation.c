/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   What --separate-callers, --separate-recs<n> and --fn-group tell apart: leaf() is called
   by all; middle(), by first() with one recursion and by second() with two; and even() and
   odd() call each other, five activations in all.
*/

#define OPAQUE __attribute__((noinline, noclone))

volatile int work;

OPAQUE void leaf(void) { work++; }

OPAQUE void middle(int depth)
{
   leaf();
   if (depth > 0)
      middle(depth - 1);
   work++;
}

OPAQUE void first(void)
{
   middle(1);
   leaf();
   work++;
}

OPAQUE void second(void)
{
   middle(2);
   leaf();
   work++;
}

int odd(int n);

OPAQUE int even(int n)
{
   leaf();
   return n == 0 ? 1 : odd(n - 1) + work - work;
}

OPAQUE int odd(int n)
{
   leaf();
   return n == 0 ? 0 : even(n - 1) + work - work;
}

int main(void)
{
   first();
   second();
   even(4);
   return 0;
}
