/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Puts descriptions into the profile's header: two before the first dump, with ends of
   lines in one of them; one before the second; and one that is still waiting when the
   program forks.  The child dumps at once and ends, without any of its own.
*/

#include <sys/wait.h>
#include <unistd.h>

#include "callgrind.h"

#include "known_cost.h"

KNOWN_COST(leaf, 10)

int main(void)
{
   leaf();
   CALLGRIND_ADD_DESC("Benchmark pid: 42");
   CALLGRIND_ADD_DESC("Two\r\nlines: one\nof them\r");
   CALLGRIND_DUMP_STATS_AT("first");
   leaf();
   CALLGRIND_ADD_DESC("Second: dump");
   CALLGRIND_DUMP_STATS;
   leaf();
   CALLGRIND_ADD_DESC("Third: waiting");
   if (fork() == 0) {
      leaf();
      CALLGRIND_DUMP_STATS_AT("child");
      _exit(0);
   }
   wait(NULL);
   leaf();
   return 0;
}
