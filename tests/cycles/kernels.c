/* SPDX-License-Identifier: GPL-2.0-or-later

   Kernels for `make bench-cycles`: the first set, which was seen when the model of Cy was
   made.  See harness.h.  */

#include "harness.h"

/* Chains: each instruction needs the result of the one before.  */
ASM(chain_add, "chain", REPEAT(8, "add %[b], %[a]"))
ASM(chain_lea, "chain", REPEAT(8, "lea 1(%[a],%[b],2), %[a]"))
ASM(chain_imul, "chain", REPEAT(8, "imul %[b], %[a]"))
ASM(chain_rotate, "chain", REPEAT(8, "rol $3, %[a]\nxor %[b], %[a]"))
ASM(chain_addsd, "chain", REPEAT(8, "addsd %%xmm1, %%xmm0"))
ASM(chain_mulsd, "chain", REPEAT(8, "mulsd %%xmm1, %%xmm0"))
ASM(chain_fma, "chain", REPEAT(8, "vfmadd231sd %%xmm1, %%xmm2, %%xmm0"))
ASM(chain_pshufb, "chain", REPEAT(8, "pshufb %%xmm1, %%xmm0"))
ASM(chain_paddd, "chain", REPEAT(8, "paddd %%xmm1, %%xmm0"))
ASM(chain_cvt, "chain", REPEAT(4, "cvtsi2sd %[a], %%xmm0\ncvttsd2si %%xmm0, %[a]"))
ASM(chain_cmov, "chain", REPEAT(8, "cmp %[b], %[a]\ncmovl %[c], %[a]"))
ASM(chain_over_blocks, "chain", REPEAT(4,
    "imul %[b], %[a]\ntest %[c], %[c]\nje 3f\nimul %[b], %[a]\n3:"))

/* Throughput: nothing depends on anything.  */
ASM(wide_add, "throughput", REPEAT(3,
    "lea 1(%[b]), %[a]\nlea 2(%[b]), %%rax\nlea 3(%[b]), %[c]\nlea 4(%[b]), %[d]"))
ASM(wide_imul, "throughput", REPEAT(3,
    "imul $3, %[b], %[a]\nimul $5, %[b], %%rax\nimul $7, %[b], %[c]"))
ASM(wide_mulps, "throughput", REPEAT(2,
    "vmulps %%ymm8, %%ymm9, %%ymm0\nvmulps %%ymm8, %%ymm9, %%ymm1\n"
    "vmulps %%ymm8, %%ymm9, %%ymm2\nvmulps %%ymm8, %%ymm9, %%ymm3"))
ASM(wide_shuffle, "throughput", REPEAT(2,
    "vpshufb %%xmm8, %%xmm9, %%xmm0\nvpshufd $1, %%xmm9, %%xmm1\n"
    "vpunpcklbw %%xmm8, %%xmm9, %%xmm2"))
ASM(wide_mixed, "throughput",
    "lea 1(%[b]), %[a]\nimul $5, %[b], %%rax\nmov (%[m]), %[c]\nmulsd %%xmm8, %%xmm0\n"
    "paddd %%xmm9, %%xmm1\nmov %[d], 64(%[m])")
ASM(wide_loads, "throughput", REPEAT(4,
    "mov (%[m]), %[a]\nmov 8(%[m]), %[c]\nmov 16(%[m]), %[d]"))
ASM(wide_stores, "throughput", REPEAT(4, "mov %[a], (%[m])\nmov %[b], 64(%[m])"))
ASM(nops, "throughput", REPEAT(24, "nop"))

/* Division and roots.  */
ASM(divide_64, "division", "mov $987654321, %%eax\nxor %%edx, %%edx\ndivq %[b]")
ASM(divide_32, "division", "mov $987654321, %%eax\nxor %%edx, %%edx\ndivl %k[b]")
ASM(divsd_chain, "division", "divsd %%xmm1, %%xmm0\ndivsd %%xmm1, %%xmm0")
ASM(divpd_wide, "division",
    "vdivpd %%ymm8, %%ymm9, %%ymm0\nvdivpd %%ymm8, %%ymm9, %%ymm1")
ASM(sqrtsd_chain, "division", "sqrtsd %%xmm0, %%xmm0")

/* Memory in the first level.  */
ASM(forward_chain, "memory", REPEAT(4, "addq $1, (%[m])"))
ASM(forward_registers, "memory", "mov %[a], (%[m])\nmov (%[m]), %[a]\nadd %[b], %[a]")
ASM(push_pop, "memory", REPEAT(4, "push %[a]\npop %[c]"))
ASM(gather, "memory",
    "vpcmpeqd %%ymm1, %%ymm1, %%ymm1\nvpxor %%xmm2, %%xmm2, %%xmm2\n"
    "vpgatherdd %%ymm1, (%[m],%%ymm2,4), %%ymm0")
ASM(locked, "memory", "lock addq $1, (%[m])")
ASM(exchange, "memory", "mov %[a], %%rax\nxchg %%rax, (%[m])")

/*--------------------------------------------------------------------*/
/* C                                                                   */

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
RUNS(chase)
{
   void** at = links;
   for (long i = 0; i < 1000 * n; i++)
      at = *at;
   links = at;
}
ENTRY(chase_l1, "misses", chase, make_chain, 16 << 10, 200, 1000)
ENTRY(chase_l2, "misses", chase, make_chain, 256 << 10, 60, 1000)
ENTRY(chase_l3, "misses", chase, make_chain, 4 << 20, 20, 1000)
ENTRY(chase_memory, "misses", chase, make_chain, 128 << 20, 4, 1000)

static size_t stream_size;
static void set_stream(size_t size) { make_bytes(stream_size = size); }
RUNS(stream_sum)
{
   const long* values = (const long*)bytes;
   long sum = 0;
   for (long i = 0; i < n; i++)
      for (size_t j = 0; j < stream_size / sizeof(long); j++)
         sum += values[j];
   sink = sum;
}
ENTRY(stream_l1, "misses", stream_sum, set_stream, 16 << 10, 400, 2048)
ENTRY(stream_l2, "misses", stream_sum, set_stream, 256 << 10, 20, 32768)
ENTRY(stream_memory, "misses", stream_sum, set_stream, 32u << 20, 2, 4194304)

RUNS(stream_copy)
{
   for (long i = 0; i < n; i++)
      for (size_t j = 0; j < stream_size / 2; j += 8)
         *(long*)(bytes + stream_size / 2 + j) = *(const long*)(bytes + j);
}
ENTRY(copy_l2, "misses", stream_copy, set_stream, 256 << 10, 40, 16384)

/* Branches that are taken with a chance of chance / 256, never twice in the same order:
   processors learn long orders.  */
static int chance;
static void set_chance(size_t value)
{
   make_bytes(1 << 16);
   chance = (int)value;
}
RUNS(branchy)
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
ENTRY(branches_never, "branches", branchy, set_chance, 0, 80, 4096)
ENTRY(branches_rarely, "branches", branchy, set_chance, 13, 80, 4096)
ENTRY(branches_half, "branches", branchy, set_chance, 128, 40, 4096)

__attribute__((noinline, noipa)) static long callee(long a) { return a * 3 + 1; }
KERNEL(calls, "calls", nothing, 0, 2000, 100)
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
KERNEL(recursion, "calls", nothing, 0, 400, 465)
{
   for (long i = 0; i < n; i++)
      sink = fibonacci(12);
}

RUNS(copies)
{
   for (long i = 0; i < 10 * n; i++) {
      memcpy(bytes + 65536, bytes, copied);
      BARRIER;
   }
}
ENTRY(memcpy_16, "copies", copies, set_copied, 16, 10000, 10)
ENTRY(memcpy_256, "copies", copies, set_copied, 256, 5000, 10)
ENTRY(memcpy_4096, "copies", copies, set_copied, 4096, 1000, 10)

KERNEL(checksum, "code", make_bytes, 8192, 80, 4096)
{
   uint32_t hash = 2166136261u;
   for (long i = 0; i < n; i++)
      for (int j = 0; j < 4096; j++)
         hash = (hash ^ bytes[j]) * 16777619u;
   sink = hash;
}

KERNEL(matrix, "code", nothing, 0, 20, 32768)
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

KERNEL(histogram, "code", make_bytes, 8192, 160, 4096)
{
   static unsigned counts[256];
   for (long i = 0; i < n; i++)
      for (int j = 0; j < 4096; j++)
         counts[bytes[j]]++;
   sink = counts[7];
}

KERNEL(polynomial, "code", nothing, 0, 400, 100)
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
KERNEL(sorting, "code", make_bytes, 16384, 2, 2000)
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
KERNEL(interpreter, "code", nothing, 0, 400, 1200)
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
static void make_tree(size_t n)
{
   for (size_t i = 0; i < n; i++)
      insert((long)(next_random() & 0xffff));
}
KERNEL(searches, "code", make_tree, 4000, 80, 100)
{
   long found = 0;
   for (long i = 0; i < 100 * n; i++) {
      long key = (long)(next_random() & 0xffff);
      for (const Node* at = tree; at != NULL; at = at->next[key > at->key])
         found += at->key == key;
   }
   sink = found;
}

KERNEL(text_scan, "code", make_bytes, 8192, 80, 4096)
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

static void make_text(size_t size)
{
   make_bytes(size);
   for (size_t i = 0; i < size; i++)
      bytes[i] |= 1;
   bytes[size - 1] = 0;
}
KERNEL(string_lengths, "code", make_text, 1000, 4000, 10)
{
   for (long i = 0; i < 10 * n; i++)
      sink = (long)strlen((const char*)bytes);
}
