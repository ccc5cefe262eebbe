/* SPDX-License-Identifier: GPL-2.0-or-later

   The program of a file of kernels: its command line, and timing.  A kernel is defined
   with the row of the list that it has; the linker gathers these.

   Such a program lists its kernels: name, family, TIMES, and turns.  `PROGRAM NAME TIMES`
   does a kernel's work TIMES times, in run_kernel().  With a third argument that is done
   so often, and the least time is printed, in nanoseconds.

   A turn is what a reader would call one: of the kernel's innermost loop, or one call of
   what it is about.  Work done once has so many turns.  */

#ifndef CYCLES_HARNESS_H
#define CYCLES_HARNESS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* A row of the list, for a function that RUNS() defines.  */
#define ENTRY(NAME, FAMILY, RUN, PREPARE, SIZE, TIMES, TURNS)                            \
   __attribute__((section("kernels"), used)) static const Kernel* const NAME##_entry =   \
      &(const Kernel){#NAME, FAMILY, RUN, PREPARE, SIZE, TIMES, TURNS};
#define RUNS(NAME) __attribute__((noinline, noipa)) static void NAME(long n)
/* Both at once.  */
#define KERNEL(NAME, FAMILY, PREPARE, SIZE, TIMES, TURNS)                                \
   RUNS(NAME);                                                                           \
   ENTRY(NAME, FAMILY, NAME, PREPARE, SIZE, TIMES, TURNS)                                \
   RUNS(NAME)
/* A loop of assembly, `n` times.  */
#define ASM(NAME, FAMILY, BODY)                                                          \
   KERNEL(NAME, FAMILY, nothing, 0, 200000, 1)                                           \
   {                                                                                     \
      long a = 3, b = 5, c = 7, d = 9;                                                   \
      __asm__ volatile("1:\n" BODY "\ndec %[n]\njnz 1b"                                  \
                       : [n] "+r"(n), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d) \
                       : [m] "r"(memory)                                                 \
                       : "rax", "rdx", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3",   \
                         "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9");                \
   }
#define REPEAT(TIMES, BODY) ".rept " #TIMES "\n" BODY "\n.endr"
#define BARRIER __asm__ volatile("" ::: "memory")

static char memory_buffer[256] __attribute__((aligned(64)));
static char* memory = memory_buffer;
static volatile long sink;
static volatile double real_sink;

static uint64_t random_state = 88172645463325252ULL;
static inline uint64_t next_random(void)
{
   random_state ^= random_state << 13;
   random_state ^= random_state >> 7;
   return random_state ^= random_state << 17;
}

static inline void nothing(size_t size) { (void)size; }

static unsigned char* bytes;
static void make_bytes(size_t size)
{
   bytes = aligned_alloc(64, size + 64);
   for (size_t i = 0; i < size; i++)
      bytes[i] = (unsigned char)next_random();
}

static size_t copied;
static void set_copied(size_t size)
{
   make_bytes(1 << 18);
   copied = size;
}

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

int main(int count, char** arguments)
{
   extern const Kernel *const __start_kernels[], *const __stop_kernels[];
   for (const Kernel* const* at = __start_kernels; at < __stop_kernels; at++) {
      const Kernel* kernel = *at;
      if (count < 3)
         printf("%s %s %ld %ld\n", kernel->name, kernel->family, kernel->times,
                kernel->turns);
      else if (strcmp(arguments[1], kernel->name) == 0) {
         long times = atol(arguments[2]);
         kernel->prepare(kernel->size);
         kernel->run(2);
         /* Caches and predictors know it when it is timed: when it is counted, too.  */
         kernel->run(times);
         if (count > 3)
            run_and_time(kernel, times, atol(arguments[3]));
         else
            run_kernel(kernel, times);
         return 0;
      }
   }
   return count < 3 ? 0 : 1;
}

#endif
