/* SPDX-License-Identifier: BSD-2-Clause
   Part of callgrind-requests; see the file LICENSE that comes with it. */

/* Client requests of Valgrind, by inline assembly, so that a package builds where no
   Valgrind is installed.  clients/python and clients/node have this file each, for each
   of them is published alone; a test compares.

   Owns: the sequence of instructions that the core takes for a request, and the codes.
   Anywhere but under Valgrind on x86-64 and AArch64, a request has no effect. */

#ifndef CLIENT_REQUEST_H
#define CLIENT_REQUEST_H

#include <stdint.h>

/* An ABI: those of include/callgrind.h. */
enum {
   REQUEST_RUNNING_ON_VALGRIND = 0x1001,

   REQUEST_DUMP_STATS = 0x43540000,
   REQUEST_ZERO_STATS,
   REQUEST_TOGGLE_COLLECT,
   REQUEST_DUMP_STATS_AT,
   REQUEST_START_INSTRUMENTATION,
   REQUEST_STOP_INSTRUMENTATION,
   REQUEST_ADD_OBJ_SKIP,
   REQUEST_ADD_DESC,
   REQUEST_TIMELINE_MARK = REQUEST_DUMP_STATS + 0x4d00
};

/* Makes a request with a string, or NULL, as its argument.  Returns what Valgrind
   answers; 0 without Valgrind.  Inlined: a request is a few instructions of the function
   that makes it. */
static inline __attribute__((always_inline)) uintptr_t client_request(uintptr_t code,
                                                                      const char* text)
{
   volatile uintptr_t request[6] = {code, (uintptr_t)text, 0, 0, 0, 0};
   uintptr_t answer = 0;
#if defined(__x86_64__) && defined(__linux__)
   /* The rotations add up to two whole turns, and the exchange is of a register with
      itself. */
   __asm__ volatile("rolq $3, %%rdi\n\t"
                    "rolq $13, %%rdi\n\t"
                    "rolq $61, %%rdi\n\t"
                    "rolq $51, %%rdi\n\t"
                    "xchgq %%rbx, %%rbx"
                    : "+d"(answer)
                    : "a"(&request[0])
                    : "cc", "memory");
#elif defined(__aarch64__) && defined(__linux__)
   register volatile uintptr_t* at __asm__("x4") = request;
   register uintptr_t both __asm__("x3") = answer;
   __asm__ volatile("ror x12, x12, #3\n\t"
                    "ror x12, x12, #13\n\t"
                    "ror x12, x12, #51\n\t"
                    "ror x12, x12, #61\n\t"
                    "orr x10, x10, x10"
                    : "+r"(both)
                    : "r"(at)
                    : "cc", "memory");
   answer = both;
#else
   (void)request;
#endif
   return answer;
}

#endif
