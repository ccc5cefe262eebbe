/* SPDX-License-Identifier: GPL-2.0-or-later

   A program whose cost depends on how long its working folder's name is.  */

#include <unistd.h>

__attribute__((noinline)) static unsigned hash(const char* name)
{
   unsigned value = 0;
   for (; *name != '\0'; name++)
      value = value * 31 + (unsigned char)*name;
   return value;
}

int main(void)
{
   char name[4096];
   return getcwd(name, sizeof name) == NULL || hash(name) == 0;
}
