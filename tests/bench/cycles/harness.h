/* SPDX-License-Identifier: GPL-2.0-or-later

   What the programs of kernels share: their command line, and timing.

   Such a program lists its kernels: name, family, TIMES, and turns.  `PROGRAM NAME TIMES`
   does a kernel's work TIMES times, in run_kernel().  With a third argument that is done
   so often, and the least time is printed, in nanoseconds.

   A turn is what a reader would call one: of the kernel's innermost loop, or one call of
   what it is about.  Work done once has so many turns.  */

#ifndef BENCH_CYCLES_HARNESS_H
#define BENCH_CYCLES_HARNESS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNEL __attribute__((noinline, noipa)) static void

static char memory_buffer[256] __attribute__((aligned(64)));
static char* memory = memory_buffer;

/* A loop of assembly, `n` times.  */
#define LOOP(NAME, BODY)                                                                 \
   KERNEL NAME(long n)                                                                   \
   {                                                                                     \
      long a = 3, b = 5, c = 7, d = 9;                                                   \
      __asm__ volatile("1:\n\t" BODY "\n\tdec %[n]\n\tjnz 1b"                            \
                       : [n] "+r"(n), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d) \
                       : [m] "r"(memory)                                                 \
                       : "rax", "rdx", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3",   \
                         "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9");                \
   }

static volatile long sink;

static uint64_t random_state = 88172645463325252ULL;
static inline uint64_t next_random(void)
{
   random_state ^= random_state << 13;
   random_state ^= random_state >> 7;
   return random_state ^= random_state << 17;
}

static unsigned char* bytes;

static inline void make_bytes(size_t size)
{
   bytes = aligned_alloc(64, size + 64);
   for (size_t i = 0; i < size; i++)
      bytes[i] = (unsigned char)next_random();
}

static inline void nothing(size_t size) { (void)size; }

/* `times` natively take some tenths of a millisecond: less than other programs let one
   run, so that some of many runs are not disturbed.  */
typedef struct {
   const char *name, *family;
   void (*run)(long);
   void (*prepare)(size_t);
   size_t size;
   long times;
   long turns; /* in one */
} Kernel;

#define ASM(NAME, FAMILY) {#NAME, FAMILY, NAME, nothing, 0, 200000, 1}

__attribute__((noinline, noipa)) static void run_kernel(const Kernel* kernel, long times)
{
   kernel->run(times);
}

/* Of this thread: what waits for the processor has not run.  */
static long nanoseconds(void)
{
   struct timespec now;
   clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
   return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void run_and_time(const Kernel* kernel, long times, long rounds)
{
   long least = 0;
   for (long i = 0; i < rounds; i++) {
      long begin = nanoseconds();
      run_kernel(kernel, times);
      long taken = nanoseconds() - begin;
      least = i == 0 || taken < least ? taken : least;
   }
   printf("%ld\n", least);
}

/* The program.  */
static int kernels_main(const Kernel* kernels, size_t n, int count, char** arguments)
{
   if (count < 3) {
      for (size_t i = 0; i < n; i++)
         printf("%s %s %ld %ld\n", kernels[i].name, kernels[i].family, kernels[i].times,
                kernels[i].turns);
      return 0;
   }
   for (size_t i = 0; i < n; i++)
      if (strcmp(arguments[1], kernels[i].name) == 0) {
         kernels[i].prepare(kernels[i].size);
         kernels[i].run(2);
         /* Caches and predictors know it when it is timed: when it is counted, too.  */
         kernels[i].run(atol(arguments[2]));
         if (count > 3)
            run_and_time(&kernels[i], atol(arguments[2]), atol(arguments[3]));
         else
            run_kernel(&kernels[i], atol(arguments[2]));
         return 0;
      }
   fprintf(stderr, "%s: there is no %s\n", arguments[0], arguments[1]);
   return 1;
}

#endif
