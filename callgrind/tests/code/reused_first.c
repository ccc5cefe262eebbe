/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -shared -fPIC
   One of two libraries that the dlopens program loads in turn.  They are alike to the
   byte but for the names, and for the instructions of one function, which here are 10.
*/

#include "known_cost.h"

OPAQUE __attribute__((naked)) void in_first(void)
{
   __asm__(".rept 9\n\tnop\n\t.endr\n\tret");
}

void entry(void)
{
   in_first();
   NO_TAIL_CALL;
}
