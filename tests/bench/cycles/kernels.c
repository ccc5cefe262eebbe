/* SPDX-License-Identifier: GPL-2.0-or-later

   Kernels for `make bench-cycles`: the first set, which was seen when the model of Cy was
   made.  See harness.h.  */

#include "harness.h"

/* Chains: each instruction needs the result of the one before.  */
LOOP(chain_add, ".rept 8\n\tadd %[b], %[a]\n\t.endr")
LOOP(chain_lea, ".rept 8\n\tlea 1(%[a],%[b],2), %[a]\n\t.endr")
LOOP(chain_imul, ".rept 8\n\timul %[b], %[a]\n\t.endr")
LOOP(chain_rotate, ".rept 8\n\trol $3, %[a]\n\txor %[b], %[a]\n\t.endr")
LOOP(chain_addsd, ".rept 8\n\taddsd %%xmm1, %%xmm0\n\t.endr")
LOOP(chain_mulsd, ".rept 8\n\tmulsd %%xmm1, %%xmm0\n\t.endr")
LOOP(chain_fma, ".rept 8\n\tvfmadd231sd %%xmm1, %%xmm2, %%xmm0\n\t.endr")
LOOP(chain_pshufb, ".rept 8\n\tpshufb %%xmm1, %%xmm0\n\t.endr")
LOOP(chain_paddd, ".rept 8\n\tpaddd %%xmm1, %%xmm0\n\t.endr")
LOOP(chain_cvt, ".rept 4\n\tcvtsi2sd %[a], %%xmm0\n\tcvttsd2si %%xmm0, %[a]\n\t.endr")
LOOP(chain_cmov, ".rept 8\n\tcmp %[b], %[a]\n\tcmovl %[c], %[a]\n\t.endr")
LOOP(chain_over_blocks, ".rept 4\n\timul %[b], %[a]\n\ttest %[c], %[c]\n\tje 3f\n\t"
                        "imul %[b], %[a]\n3:\n\t.endr")

/* Throughput: nothing depends on anything.  */
LOOP(wide_add, ".rept 3\n\tlea 1(%[b]), %[a]\n\tlea 2(%[b]), %%rax\n\t"
               "lea 3(%[b]), %[c]\n\tlea 4(%[b]), %[d]\n\t.endr")
LOOP(wide_imul, ".rept 3\n\timul $3, %[b], %[a]\n\timul $5, %[b], %%rax\n\t"
                "imul $7, %[b], %[c]\n\t.endr")
LOOP(wide_mulps, ".rept 2\n\tvmulps %%ymm8, %%ymm9, %%ymm0\n\tvmulps %%ymm8, "
                 "%%ymm9, %%ymm1\n\tvmulps %%ymm8, %%ymm9, %%ymm2\n\t"
                 "vmulps %%ymm8, %%ymm9, %%ymm3\n\t.endr")
LOOP(wide_shuffle, ".rept 2\n\tvpshufb %%xmm8, %%xmm9, %%xmm0\n\t"
                   "vpshufd $1, %%xmm9, %%xmm1\n\tvpunpcklbw %%xmm8, %%xmm9, %%xmm2\n\t"
                   ".endr")
LOOP(wide_mixed, "lea 1(%[b]), %[a]\n\timul $5, %[b], %%rax\n\tmov (%[m]), %[c]\n\t"
                 "mulsd %%xmm8, %%xmm0\n\tpaddd %%xmm9, %%xmm1\n\tmov %[d], 64(%[m])")
LOOP(wide_loads, ".rept 4\n\tmov (%[m]), %[a]\n\tmov 8(%[m]), %[c]\n\t"
                 "mov 16(%[m]), %[d]\n\t"
                 ".endr")
LOOP(wide_stores, ".rept 4\n\tmov %[a], (%[m])\n\tmov %[b], 64(%[m])\n\t.endr")
LOOP(nops, ".rept 24\n\tnop\n\t.endr")

/* Division and roots.  */
LOOP(divide_64, "mov $987654321, %%eax\n\txor %%edx, %%edx\n\tdivq %[b]")
LOOP(divide_32, "mov $987654321, %%eax\n\txor %%edx, %%edx\n\tdivl %k[b]")
LOOP(divsd_chain, "divsd %%xmm1, %%xmm0\n\tdivsd %%xmm1, %%xmm0")
LOOP(divpd_wide, "vdivpd %%ymm8, %%ymm9, %%ymm0\n\tvdivpd %%ymm8, %%ymm9, %%ymm1")
LOOP(sqrtsd_chain, "sqrtsd %%xmm0, %%xmm0")

/* Memory in the first level.  */
LOOP(forward_chain, ".rept 4\n\taddq $1, (%[m])\n\t.endr")
LOOP(forward_registers, "mov %[a], (%[m])\n\tmov (%[m]), %[a]\n\tadd %[b], %[a]")
LOOP(push_pop, ".rept 4\n\tpush %[a]\n\tpop %[c]\n\t.endr")
LOOP(gather, "vpcmpeqd %%ymm1, %%ymm1, %%ymm1\n\tvpxor %%xmm2, %%xmm2, %%xmm2\n\t"
             "vpgatherdd %%ymm1, (%[m],%%ymm2,4), %%ymm0")
LOOP(locked, "lock addq $1, (%[m])")
LOOP(exchange, "mov %[a], %%rax\n\txchg %%rax, (%[m])")

/*--------------------------------------------------------------------*/
/* C                                                                   */

static volatile double real_sink;

#define MOST (32u << 20)
static void** links;
/* A cycle through `size` bytes, a line at a time, in random order.  It is written in
   another order, so that no part of it is more in the caches than the rest.  */
static void make_chain(size_t size)
{
   size_t n = size / 64;
   size_t* order = malloc(n * sizeof *order);
   links = aligned_alloc(4096, size);
   for (size_t i = 0; i < n; i++)
      order[i] = i;
   /* Sattolo's shuffle: what results is a single cycle.  */
   for (size_t i = n - 1; i > 0; i--) {
      size_t j = next_random() % i, t = order[i];
      order[i] = order[j];
      order[j] = t;
   }
   for (size_t i = 0; i < n; i++)
      links[i * 8] = &links[order[i] * 8];
   free(order);
}

/* Goes on where it has ended: the next steps lead to other lines.  */
KERNEL chase(long n)
{
   void** at = links;
   for (long i = 0; i < 1000 * n; i++)
      at = *at;
   links = at;
}

static size_t stream_size;
KERNEL stream_sum(long n)
{
   const long* values = (const long*)bytes;
   long sum = 0;
   for (long i = 0; i < n; i++)
      for (size_t j = 0; j < stream_size / sizeof(long); j++)
         sum += values[j];
   sink = sum;
}

KERNEL stream_copy(long n)
{
   for (long i = 0; i < n; i++)
      for (size_t j = 0; j < stream_size / 2; j += 8)
         *(long*)(bytes + stream_size / 2 + j) = *(const long*)(bytes + j);
}

/* Branches that are taken with a chance of chance / 256, never twice in the same order:
   processors learn long orders.  */
static int chance;
KERNEL branchy(long n)
{
   long sum = 0;
   for (long i = 0; i < n; i++) {
      unsigned char key = (unsigned char)next_random();
      for (int j = 0; j < 4096; j++) {
         if ((bytes[j + (i & 15) * 4096] ^ key) < chance)
            __asm__ volatile("add $3, %0" : "+r"(sum));
         __asm__ volatile("" : "+r"(sum));
      }
   }
   sink = sum;
}

__attribute__((noinline, noipa)) static long callee(long a) { return a * 3 + 1; }
KERNEL calls(long n)
{
   long a = 1;
   for (long i = 0; i < 100 * n; i++)
      a += callee(i);
   sink = a;
}

__attribute__((noinline, noipa)) static int fibonacci(int n)
{
   return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
KERNEL recursion(long n)
{
   for (long i = 0; i < n; i++)
      sink = fibonacci(12);
}

static size_t copied;
KERNEL copies(long n)
{
   for (long i = 0; i < 10 * n; i++) {
      memcpy(bytes + 65536, bytes, copied);
      __asm__ volatile("" ::: "memory");
   }
}

KERNEL checksum(long n)
{
   uint32_t hash = 2166136261u;
   for (long i = 0; i < n; i++)
      for (int j = 0; j < 4096; j++)
         hash = (hash ^ bytes[j]) * 16777619u;
   sink = hash;
}

KERNEL matrix(long n)
{
   static double a[32][32], b[32][32], c[32][32];
   for (long t = 0; t < n; t++) {
      for (int i = 0; i < 32; i++)
         for (int j = 0; j < 32; j++) {
            double sum = 0;
            for (int k = 0; k < 32; k++)
               sum += a[i][k] * b[k][j];
            c[i][j] = sum;
         }
      __asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
   }
   real_sink = c[3][4];
}

KERNEL histogram(long n)
{
   static unsigned counts[256];
   for (long i = 0; i < n; i++)
      for (int j = 0; j < 4096; j++)
         counts[bytes[j]]++;
   sink = counts[7];
}

KERNEL polynomial(long n)
{
   double x = 0.5, sum = 0;
   for (long i = 0; i < 100 * n; i++) {
      double y = 1.0;
      for (int j = 0; j < 8; j++)
         y = y * x + 0.25;
      sum += y;
   }
   real_sink = sum;
}

static int compare(const void* a, const void* b)
{
   return *(const int*)a - *(const int*)b;
}
KERNEL sorting(long n)
{
   static int values[2000];
   for (long t = 0; t < n; t++) {
      int key = (int)(next_random() & 0xfffff);
      for (int i = 0; i < 2000; i++)
         values[i] =
            (bytes[4 * i] | bytes[4 * i + 1] << 8 | (bytes[4 * i + 2] & 15) << 16) ^ key;
      qsort(values, 2000, sizeof values[0], compare);
   }
   sink = values[5];
}

/* An interpreter of a few instructions.  */
KERNEL interpreter(long n)
{
   static const unsigned char program[] = {0, 1, 2, 3, 0, 2, 1, 1, 3, 2, 0, 4};
   long a = 1, b = 2;
   for (long t = 0; t < 100 * n; t++)
      for (const unsigned char* at = program;; at++) {
         switch (*at) {
         case 0: a += b; continue;
         case 1: b ^= a; continue;
         case 2: a = a * 5 + 1; continue;
         case 3: b -= a >> 3; continue;
         default: break;
         }
         break;
      }
   sink = a + b;
}

typedef struct Node {
   struct Node* next[2];
   long key;
} Node;
static Node* tree;
static void insert(long key)
{
   Node** at = &tree;
   while (*at != NULL)
      at = &(*at)->next[key > (*at)->key];
   *at = calloc(1, sizeof **at);
   (*at)->key = key;
}
KERNEL searches(long n)
{
   long found = 0;
   for (long i = 0; i < 100 * n; i++) {
      long key = (long)(next_random() & 0xffff);
      for (const Node* at = tree; at != NULL; at = at->next[key > at->key])
         found += at->key == key;
   }
   sink = found;
}

KERNEL text_scan(long n)
{
   long words = 0;
   for (long i = 0; i < n; i++) {
      int was_space = 1;
      for (int j = 0; j < 4096; j++) {
         int is_space = (bytes[j] & 7) == 0;
         words += was_space & !is_space;
         was_space = is_space;
      }
   }
   sink = words;
}

KERNEL string_lengths(long n)
{
   for (long i = 0; i < 10 * n; i++)
      sink = (long)strlen((const char*)bytes);
}

/*--------------------------------------------------------------------*/
/* The list                                                            */

static void set_stream(size_t size) { make_bytes(stream_size = size); }
static void set_chance(size_t value)
{
   make_bytes(1 << 16);
   chance = (int)value;
}
static void set_copied(size_t size)
{
   make_bytes(1 << 18);
   copied = size;
}
static void make_tree(size_t n)
{
   for (size_t i = 0; i < n; i++)
      insert((long)(next_random() & 0xffff));
}
static void make_text(size_t size)
{
   make_bytes(size);
   for (size_t i = 0; i < size; i++)
      bytes[i] |= 1;
   bytes[size - 1] = 0;
}

static const Kernel kernels[] = {
   ASM(chain_add, "chain"),
   ASM(chain_lea, "chain"),
   ASM(chain_imul, "chain"),
   ASM(chain_rotate, "chain"),
   ASM(chain_addsd, "chain"),
   ASM(chain_mulsd, "chain"),
   ASM(chain_fma, "chain"),
   ASM(chain_pshufb, "chain"),
   ASM(chain_paddd, "chain"),
   ASM(chain_cvt, "chain"),
   ASM(chain_cmov, "chain"),
   ASM(chain_over_blocks, "chain"),
   ASM(wide_add, "throughput"),
   ASM(wide_imul, "throughput"),
   ASM(wide_mulps, "throughput"),
   ASM(wide_shuffle, "throughput"),
   ASM(wide_mixed, "throughput"),
   ASM(wide_loads, "throughput"),
   ASM(wide_stores, "throughput"),
   ASM(nops, "throughput"),
   ASM(divide_64, "division"),
   ASM(divide_32, "division"),
   ASM(divsd_chain, "division"),
   ASM(divpd_wide, "division"),
   ASM(sqrtsd_chain, "division"),
   ASM(forward_chain, "memory"),
   ASM(forward_registers, "memory"),
   ASM(push_pop, "memory"),
   ASM(gather, "memory"),
   ASM(locked, "memory"),
   ASM(exchange, "memory"),
   {"chase_l1", "misses", chase, make_chain, 16 << 10, 200, 1000},
   {"chase_l2", "misses", chase, make_chain, 256 << 10, 60, 1000},
   {"chase_l3", "misses", chase, make_chain, 4 << 20, 20, 1000},
   {"chase_memory", "misses", chase, make_chain, 128 << 20, 4, 1000},
   {"stream_l1", "misses", stream_sum, set_stream, 16 << 10, 400, 2048},
   {"stream_l2", "misses", stream_sum, set_stream, 256 << 10, 20, 32768},
   {"stream_memory", "misses", stream_sum, set_stream, MOST, 2, 4194304},
   {"copy_l2", "misses", stream_copy, set_stream, 256 << 10, 40, 16384},
   {"branches_never", "branches", branchy, set_chance, 0, 80, 4096},
   {"branches_rarely", "branches", branchy, set_chance, 13, 80, 4096},
   {"branches_half", "branches", branchy, set_chance, 128, 40, 4096},
   {"calls", "calls", calls, nothing, 0, 2000, 100},
   {"recursion", "calls", recursion, nothing, 0, 400, 465},
   {"memcpy_16", "copies", copies, set_copied, 16, 10000, 10},
   {"memcpy_256", "copies", copies, set_copied, 256, 5000, 10},
   {"memcpy_4096", "copies", copies, set_copied, 4096, 1000, 10},
   {"checksum", "code", checksum, make_bytes, 8192, 80, 4096},
   {"matrix", "code", matrix, nothing, 0, 20, 32768},
   {"histogram", "code", histogram, make_bytes, 8192, 160, 4096},
   {"polynomial", "code", polynomial, nothing, 0, 400, 100},
   {"sorting", "code", sorting, make_bytes, 16384, 2, 2000},
   {"interpreter", "code", interpreter, nothing, 0, 400, 1200},
   {"searches", "code", searches, make_tree, 4000, 80, 100},
   {"text_scan", "code", text_scan, make_bytes, 8192, 80, 4096},
   {"string_lengths", "code", string_lengths, make_text, 1000, 4000, 10},
};

int main(int count, char** arguments)
{
   return kernels_main(kernels, sizeof kernels / sizeof kernels[0], count, arguments);
}
