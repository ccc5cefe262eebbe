/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Goes as many ways as its argument says, 12 calls deep, each by functions that are drawn
   from 20: nearly every one is a path that was never taken before.
*/

#include <stdlib.h>

#include "known_cost.h"

static void go_on(unsigned deep);

#define EACH_WAY(DO)                                                                     \
   DO(a)                                                                                 \
   DO(b)                                                                                 \
   DO(c)                                                                                 \
   DO(d)                                                                                 \
   DO(e)                                                                                 \
   DO(f)                                                                                 \
   DO(g) DO(h) DO(i) DO(j) DO(k) DO(l) DO(m) DO(n) DO(o) DO(p) DO(q) DO(r) DO(s) DO(t)

#define FUNCTION(LETTER)                                                                 \
   OPAQUE static void way_##LETTER(unsigned deep)                                        \
   {                                                                                     \
      go_on(deep);                                                                       \
      NO_TAIL_CALL;                                                                      \
   }

EACH_WAY(FUNCTION)

#define NAME(LETTER) way_##LETTER,

static void (*const ways[20])(unsigned) = {EACH_WAY(NAME)};

static unsigned draw(void)
{
   static unsigned long state = 1;
   state = state * 6364136223846793005ul + 1442695040888963407ul;
   return (unsigned)(state >> 40) % 20;
}

static inline __attribute__((always_inline)) void go_on(unsigned deep)
{
   if (deep > 0)
      ways[draw()](deep - 1);
}

int main(int argc, char** argv)
{
   for (int n = argc > 1 ? atoi(argv[1]) : 1000; n > 0; n--)
      go_on(12);
   return 0;
}
