/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Makes requests of the tool that do not exist, and prints the answers that it gets.
*/

#include <stdio.h>

#include "callgrind.h"

int main(void)
{
   for (int i = 0; i < 3; i++)
      printf("%d\n", (int)VALGRIND_DO_CLIENT_REQUEST_EXPR(
                        42, VG_USERREQ_TOOL_BASE('C', 'T') + 0x77, 0, 0, 0, 0, 0));
   return 0;
}
