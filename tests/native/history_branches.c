/* SPDX-License-Identifier: GPL-2.0-or-later

   Runs branches through sim/historysim.h and prints, for each kind, how many of the last
   1000 of 20000 were mispredicted.  */

#include "sim/historysim.h"

#include <stdio.h>

#define ALL 20000
#define LAST 1000

static HistoryPredictor predictor;

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void)
{
   random_state ^= random_state << 13;
   random_state ^= random_state >> 7;
   return random_state ^= random_state << 17;
}

/* By its number, where the branch leads.  */
static int always(int i) { return i >= 0; }
static int loop_of_8(int i) { return i % 8 != 7; }
static int loop_of_40(int i) { return i % 40 != 39; }
static int alternating(int i) { return i & 1; }
static int at_random(int i) { return i >= 0 && (next_random() >> 20 & 1); }
static int program_of_12(int i)
{
   static const int program[] = {0, 1, 2, 3, 0, 2, 1, 1, 3, 2, 0, 4};
   return program[i % 12];
}
static int random_of_4(int i) { return i >= 0 ? (int)(next_random() >> 20 & 3) : 0; }

static void run(const char* name, int (*outcome)(int), bool is_indirect)
{
   static uintptr_t address = 0x401000;
   int wrong = 0;
   address += 0x36;
   for (int i = 0; i < ALL; i++) {
      int where = outcome(i);
      uintptr_t target = 0x500000u + 0x40u * (unsigned)where;
      bool is_wrong = is_indirect
                         ? historysim_indirect(&predictor, address, target)
                         : historysim_conditional(&predictor, address, where != 0);
      wrong += is_wrong && i >= ALL - LAST;
   }
   printf("%s %d\n", name, wrong);
}

int main(void)
{
   run("always", always, false);
   run("alternating", alternating, false);
   run("loop_of_8", loop_of_8, false);
   run("loop_of_40", loop_of_40, false);
   run("at_random", at_random, false);
   run("indirect_always", always, true);
   run("program_of_12", program_of_12, true);
   run("random_of_4", random_of_4, true);
   return 0;
}
