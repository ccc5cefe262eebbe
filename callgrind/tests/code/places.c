/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -ldl -pie
   Says at which addresses three of its functions are: one of its own, one of the C
   library, one of a library that is gone at the end.  Calls each of them.
*/

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "known_cost.h"

KNOWN_COST(leaf, 10)

typedef void (*Entry)(void);

OPAQUE static void run(const char* name, Entry entry)
{
   printf("%s %p\n", name, (void*)entry);
   entry();
}

static void call_library(void)
{
   void* library = dlopen("./libreused_first.so", RTLD_NOW);
   if (library == NULL) {
      puts(dlerror());
      exit(1);
   }
   run("entry", (Entry)dlsym(library, "entry"));
   dlclose(library);
}

int main(void)
{
   call_library();
   run("leaf", leaf);
   run("rand", (Entry)dlsym(RTLD_DEFAULT, "rand"));
   return 0;
}
