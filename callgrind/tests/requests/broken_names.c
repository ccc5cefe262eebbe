/* SPDX-License-Identifier: GPL-2.0-or-later

   Two parts whose names differ by a line break alone, and one that looks like more of the
   header.

   build: -static  */

#include "callgrind.h"

int main(void)
{
   CALLGRIND_DUMP_STATS_AT("a b");
   CALLGRIND_DUMP_STATS_AT("a\nb");
   CALLGRIND_DUMP_STATS_AT("c\\\r\nevents: Evil");
   return 0;
}
