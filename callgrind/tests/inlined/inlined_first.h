/* SPDX-License-Identifier: GPL-2.0-or-later

   What inlined_first.cpp's functions begin with.  */

#define HUNDREDS(n) __asm__ volatile(".rept 100 * " #n "\n\tnop\n\t.endr")

inline __attribute__((always_inline)) void first_nops() { HUNDREDS(1); }

/* Its functions are defined elsewhere.  */
struct Shape {
   int area(int n);
   static int made(int n);
};
