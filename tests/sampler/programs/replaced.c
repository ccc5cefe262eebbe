/* SPDX-License-Identifier: GPL-2.0-or-later

   Maps a library, puts another file in its place on the disk, and works in the one that is
   mapped, for a quarter of a second.

      replaced LIBRARY NEW     (both with a slash)  */

#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

int main(int count, char** arguments)
{
   if (count != 3)
      return 2;
   void* library = dlopen(arguments[1], RTLD_NOW);
   void (*work)(void) = library ? (void (*)(void))dlsym(library, "work") : NULL;
   if (work == NULL || rename(arguments[2], arguments[1]) != 0)
      return 1;
   clock_t end = clock() + CLOCKS_PER_SEC / 4;
   while (clock() < end)
      work();
   return 0;
}
