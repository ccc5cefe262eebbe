/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a line and ends with status 3.  */

#include <stdio.h>

int main(void)
{
   puts("the program's own output");
   return 3;
}
