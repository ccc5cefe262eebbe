/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -Wl,-z,now
   Measurement starts in a function that the dynamic linker calls while it relocates the
   program, to ask which variant of another one is to be used.
*/

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

typedef void (*Variant)(void);

static Variant resolver(void)
{
   CALLGRIND_START_INSTRUMENTATION;
   leaf();
   return leaf;
}

void variant(void) __attribute__((ifunc("resolver")));

int main(void)
{
   variant();
   return 0;
}
