/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   A function of the inlined program that is never called: the compiler puts it into its
   callers.
*/

static inline __attribute__((always_inline)) void seven_nops(void)
{
   __asm__ volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
}
