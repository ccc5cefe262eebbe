/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -shared -fPIC -Wl,-z,now
   A library that tests fold away, with functions that are one instruction: a jump into
   the PLT, to a function of the program.  Compilers make them of wrappers.
*/

#include "known_cost.h"

OPAQUE __attribute__((naked)) static void stub_first(void)
{
   __asm__("jmp program_first@plt");
}

OPAQUE __attribute__((naked)) static void stub_second(void)
{
   __asm__("jmp program_second@plt");
}

void program_third(void);

OPAQUE static void stub_round(void)
{
   stub_first();
   stub_second();
   program_third();
   NO_TAIL_CALL;
}

OPAQUE void stub_rounds(void)
{
   for (int i = 0; i < 3; i++)
      stub_round();
   NO_TAIL_CALL;
}
