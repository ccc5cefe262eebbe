/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -ldl
   Loads two libraries in turn, 4 times, and calls them 10, 20, 30 and 40 times.  Prints
   whether they lay at the same place.
*/

#include <dlfcn.h>
#include <stdio.h>

#include "known_cost.h"

typedef void (*Entry)(void);

OPAQUE static void run(Entry entry)
{
   entry();
   NO_TAIL_CALL;
}

int main(void)
{
   static const char* const libraries[] = {"./libreused_first.so",
                                           "./libreused_second.so"};
   void* places[4];
   for (int round = 0; round < 4; round++) {
      void* library = dlopen(libraries[round % 2], RTLD_NOW);
      if (library == NULL) {
         puts(dlerror());
         return 1;
      }
      places[round] = dlsym(library, "entry");
      for (int i = 0; i < 10 * (round + 1); i++)
         run((Entry)places[round]);
      dlclose(library);
   }
   puts(places[0] == places[1] ? "same place" : "other place");
   return 0;
}
