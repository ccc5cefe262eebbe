/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   For test programs: functions that cost a known number of instructions, whatever the
   compiler, so that the tests can say what a profile has to hold.
*/

#ifndef KNOWN_COST_H
#define KNOWN_COST_H

/* The compiler neither inlines nor clones such a function, nor looks into it.  */
#define OPAQUE __attribute__((noipa))

/* A call of NAME executes exactly INSTRUCTIONS instructions, the return included.  */
#define KNOWN_COST(NAME, INSTRUCTIONS)                                                   \
   OPAQUE __attribute__((naked)) void NAME(void)                                         \
   {                                                                                     \
      __asm__(".rept " #INSTRUCTIONS " - 1\n\tnop\n\t.endr\n\tret");                     \
   }

/* Behind a call, keeps the compiler from making it a jump.  */
#define NO_TAIL_CALL __asm__ volatile("")

#endif
