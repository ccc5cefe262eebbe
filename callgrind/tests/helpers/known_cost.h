/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   For test programs: functions that cost a known number of instructions, whatever the
   compiler, so that the tests can say what a profile has to hold.
*/

#ifndef KNOWN_COST_H
#define KNOWN_COST_H

/* The compiler neither inlines nor clones such a function, nor looks into it.  */
#define OPAQUE __attribute__((noipa))

/* A function of assembler alone, and what differs in those by architecture.  (GCC has no
   naked functions on arm64, but adds nothing to such a function but a return.)  */
#if defined(__aarch64__)
#define NAKED
#define NUMBER_OF_KILL "mov x8, #129"
#define SYSTEM_CALL "svc #0"
#else
#define NAKED __attribute__((naked))
#define NUMBER_OF_KILL "mov $62, %eax"
#define SYSTEM_CALL "syscall"
#endif

/* A call of NAME executes exactly INSTRUCTIONS instructions, the return included.  */
#define KNOWN_COST(NAME, INSTRUCTIONS)                                                   \
   OPAQUE NAKED void NAME(void)                                                          \
   {                                                                                     \
      __asm__(".rept " #INSTRUCTIONS " - 1\n\tnop\n\t.endr\n\tret");                     \
   }

/* Behind a call, keeps the compiler from making it a jump.  */
#define NO_TAIL_CALL __asm__ volatile("")

#endif
