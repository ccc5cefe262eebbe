/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For generated programs: a system call in inline code, without the C library.  */

#ifndef SYSTEM_CALL_H
#define SYSTEM_CALL_H

/* Makes the call `number`; returns what the kernel does, an error as a negative number.  */
static inline __attribute__((always_inline, unused)) long system_call(long number, long a,
                                                                      long b, long c)
{
#if defined(__x86_64__)
   __asm__ volatile("syscall"
                    : "+a"(number)
                    : "D"(a), "S"(b), "d"(c)
                    : "rcx", "r11", "memory");
   return number;
#elif defined(__aarch64__)
   register long x8 __asm__("x8") = number;
   register long x0 __asm__("x0") = a;
   register long x1 __asm__("x1") = b;
   register long x2 __asm__("x2") = c;
   __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
   return x0;
#else
#error "not known here"
#endif
}

#endif
