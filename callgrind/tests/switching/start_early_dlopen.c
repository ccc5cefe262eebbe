/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -ldl
   Measurement starts in the constructor of a library that is loaded while the program
   runs.
*/

#include <dlfcn.h>
#include <stdio.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

OPAQUE static void load(void)
{
   if (dlopen("./libstart_early_library.so", RTLD_NOW) == NULL)
      puts(dlerror());
   leaf();
   NO_TAIL_CALL;
}

int main(void)
{
   load();
   leaf();
   return 0;
}
