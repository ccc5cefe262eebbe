/* SPDX-License-Identifier: GPL-2.0-or-later

   Kernels for `make bench-cycles`: the second set.  All were written before it was looked
   how one of them comes out, and their code is not changed since.  See harness.h.  */

#include "harness.h"

#include <math.h>

/* Chains.  */
ASM(chain_popcnt, "chain", REPEAT(6, "popcnt %[a], %[a]\nadd %[b], %[a]"))
ASM(chain_adc, "chain", REPEAT(8, "adc %[b], %[a]"))
ASM(chain_shift_cl, "chain",
    "mov %[b], %%rax\n.rept 6\nshlx %%rax, %[a], %[a]\nadd %[b], %[a]\n.endr")
ASM(chain_bswap, "chain", REPEAT(8, "bswap %[a]\nnot %[a]"))
ASM(chain_pmulld, "chain", REPEAT(4, "pmulld %%xmm1, %%xmm0"))
ASM(chain_crossing, "chain", REPEAT(4, "movq %[a], %%xmm0\nmovq %%xmm0, %[a]"))
ASM(chain_mul_wide, "chain",
    "mov %[a], %%rax\n.rept 4\nmulq %[b]\nadd %%rdx, %%rax\n.endr\nmov %%rax, %[a]")
ASM(chain_crc32, "chain", REPEAT(4, "crc32q %[b], %[a]"))
ASM(chain_blend, "chain", REPEAT(4,
    "vmaxpd %%ymm1, %%ymm0, %%ymm0\nvminpd %%ymm2, %%ymm0, %%ymm0"))
ASM(chain_index, "chain", REPEAT(6, "movzbl 128(%[m],%[a]), %k[a]"))

/* Throughput.  */
ASM(wide_fma, "throughput",
    "vfmadd231pd %%ymm8, %%ymm9, %%ymm0\nvfmadd231pd %%ymm8, %%ymm9, %%ymm1\n"
    "vfmadd231pd %%ymm8, %%ymm9, %%ymm2\nvfmadd231pd %%ymm8, %%ymm9, %%ymm3\n"
    "vfmadd231pd %%ymm8, %%ymm9, %%ymm4\nvfmadd231pd %%ymm8, %%ymm9, %%ymm5\n"
    "vfmadd231pd %%ymm8, %%ymm9, %%ymm6\nvfmadd231pd %%ymm8, %%ymm9, %%ymm7")
ASM(wide_permute, "throughput", REPEAT(3,
    "vpermd %%ymm8, %%ymm9, %%ymm0\nvpaddd %%ymm8, %%ymm9, %%ymm1\n"
    "vpaddd %%ymm8, %%ymm9, %%ymm2"))
ASM(wide_logic, "throughput", REPEAT(4,
    "vpand %%ymm8, %%ymm9, %%ymm0\nvpor %%ymm8, %%ymm9, %%ymm1\n"
    "vpxor %%ymm8, %%ymm9, %%ymm2\nmov %[b], %[a]\nadd %[c], %[a]"))
ASM(wide_shifts, "throughput", REPEAT(4,
    "mov %[b], %[a]\nshl $5, %[a]\nmov %[b], %[d]\nror $7, %[d]"))
ASM(wide_bits, "throughput", REPEAT(3,
    "lzcnt %[b], %[a]\ntzcnt %[b], %%rax\nandn %[b], %[c], %[d]\nblsr %[b], %%rdx"))
ASM(wide_vector_loads, "throughput", REPEAT(4,
    "vpaddd (%[m]), %%ymm8, %%ymm0\nvpaddd 32(%[m]), %%ymm8, %%ymm1"))
ASM(wide_compares, "throughput", REPEAT(6,
    "cmp %[b], %[c]\nsete %%al\ncmp %[d], %[c]\nsetb %%dl"))

/* Division.  */
ASM(divide_signed, "division",
    "mov $123456789, %%eax\ncltd\nidivl %k[c]\nadd %%eax, %k[a]")
ASM(divss_wide, "division",
    "divss %%xmm8, %%xmm0\ndivss %%xmm8, %%xmm1\ndivss %%xmm8, %%xmm2\n"
    "divss %%xmm8, %%xmm3")
ASM(sqrtpd_wide, "division", "vsqrtpd %%xmm8, %%xmm0\nvsqrtpd %%xmm8, %%xmm1")

/* Memory in the first level.  */
ASM(forward_narrow, "memory", "mov %[a], (%[m])\nmovzwl 2(%[m]), %k[a]\nadd %[b], %[a]")
ASM(forward_vector, "memory", REPEAT(2, "movaps %%xmm0, (%[m])\nmovaps (%[m]), %%xmm0"))
ASM(split_loads, "memory", REPEAT(4, "mov 60(%[m]), %[a]\nmov 124(%[m]), %[c]"))
ASM(byte_stores, "memory", REPEAT(2,
    "movb $1, (%[m])\nmovb $2, 1(%[m])\nmovb $3, 2(%[m])\nmovb $4, 3(%[m])"))
ASM(compare_exchange, "memory",
    "mov (%[m]), %%rax\nlea 1(%%rax), %[a]\nlock cmpxchg %[a], (%[m])")


/* Misses.  */

static size_t n_values;
static uint32_t* values;

/* Numbers below `n`.  */
static void make_values(size_t n)
{
   n_values = n;
   values = aligned_alloc(4096, n * sizeof *values);
   for (size_t i = 0; i < n; i++)
      values[i] = (uint32_t)(next_random() % n);
}

/* Loads that do not depend on each other, at random places.  */
RUNS(random_loads)
{
   uint64_t sum = 0, state = random_state;
   for (long i = 0; i < 1000 * n; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += values[(state >> 33) % n_values];
   }
   random_state ^= state | 1;
   sink = (long)sum;
}
ENTRY(random_loads_l2, "misses", random_loads, make_values, 1 << 17, 60, 1000)
ENTRY(random_loads_memory, "misses", random_loads, make_values, 32 << 20, 15, 1000)

/* The next place depends on the value.  */
RUNS(random_walk)
{
   static uint64_t at;
   for (long i = 0; i < 1000 * n; i++)
      at = (values[at] + (uint64_t)i) & (n_values - 1);
   sink = (long)at;
}
ENTRY(random_walk_l2, "misses", random_walk, make_values, 1 << 17, 20, 1000)
ENTRY(random_walk_l3, "misses", random_walk, make_values, 1 << 21, 5, 1000)

/* A value of each line, from one line to the next.  */
RUNS(strided)
{
   long sum = 0;
   for (long i = 0; i < n; i++)
      for (size_t j = 0; j < n_values; j += 64)
         sum += values[j];
   sink = sum;
}
ENTRY(strided_l2, "misses", strided, make_values, 1 << 17, 20, 2048)
ENTRY(strided_memory, "misses", strided, make_values, 16 << 20, 1, 262144)

RUNS(fill_words)
{
   for (long i = 0; i < n; i++)
      for (size_t j = 0; j < n_values; j++)
         ((volatile uint32_t*)values)[j] = (uint32_t)i;
}
ENTRY(fill_l2, "misses", fill_words, make_values, 1 << 16, 5, 65536)

/* Branches.  */

KERNEL(pattern_of_seven, "branches", nothing, 0, 200, 1000)
{
   long sum = 0;
   for (long i = 0, at = 0; i < 1000 * n; i++) {
      if (at == 3)
         __asm__ volatile("add $5, %0" : "+r"(sum));
      at = at == 6 ? 0 : at + 1;
      __asm__ volatile("" : "+r"(at));
   }
   sink = sum;
}

/* Collatz's sequence: even or odd.  */
KERNEL(collatz, "branches", nothing, 0, 5, 2600)
{
   long steps = 0;
   for (long i = 0; i < 20 * n; i++)
      for (uint64_t at = (next_random() & 0xfffff) | 1; at != 1; steps++) {
         if (at & 1) {
            at = 3 * at + 1;
            __asm__ volatile("" : "+r"(at));
         } else
            at >>= 1;
      }
   sink = steps;
}

KERNEL(random_switch, "branches", nothing, 0, 20, 1000)
{
   long a = 1;
   for (long i = 0; i < 1000 * n; i++)
      switch (next_random() & 7) {
      case 0: a += 3; break;
      case 1: a ^= i; break;
      case 2: a = -a; break;
      case 3: a *= 5; break;
      case 4: a >>= 1; break;
      case 5: a |= 8; break;
      case 6: a -= i; break;
      default: a &= 0xffffff; break;
      }
   sink = a;
}

/* Calls.  */

typedef long (*Function)(long);
__attribute__((noinline, noipa)) static long add_one(long a) { return a + 1; }
__attribute__((noinline, noipa)) static long twice(long a) { return a + a; }
__attribute__((noinline, noipa)) static long invert(long a) { return ~a; }
static Function volatile functions[4] = {add_one, twice, invert, add_one};

KERNEL(calls_indirect, "calls", nothing, 0, 1000, 100)
{
   long a = 1;
   for (long i = 0; i < 100 * n; i++)
      a = functions[i & 3](a);
   sink = a;
}

__attribute__((noinline, noipa)) static long many(long a, long b, long c, long d, long e,
                                                  long f, long g, long h)
{
   return a + b * c + d + e * f + g - h;
}
KERNEL(calls_of_many, "calls", nothing, 0, 1000, 100)
{
   long a = 1;
   for (long i = 0; i < 100 * n; i++)
      a = many(a, i, 3, 4, i, 6, 7, a);
   sink = a;
}

__attribute__((noinline, noipa)) static long ackermann(long m, long n)
{
   return m == 0   ? n + 1
          : n == 0 ? ackermann(m - 1, 1)
                   : ackermann(m - 1, ackermann(m, n - 1));
}
KERNEL(deep_calls, "calls", nothing, 0, 50, 1221)
{
   for (long i = 0; i < n; i++)
      sink = ackermann(2, 20);
}

/* Copies.  */

RUNS(fills)
{
   for (long i = 0; i < 10 * n; i++) {
      memset(bytes, (int)i, copied);
      BARRIER;
   }
}
ENTRY(memset_100, "copies", fills, set_copied, 100, 5000, 10)
ENTRY(memset_8192, "copies", fills, set_copied, 8192, 300, 10)

RUNS(moves)
{
   for (long i = 0; i < 10 * n; i++) {
      memmove(bytes + 64, bytes, copied);
      BARRIER;
   }
}
ENTRY(memmove_1000, "copies", moves, set_copied, 1000, 2000, 10)

RUNS(comparisons)
{
   memcpy(bytes + 65536, bytes, copied);
   for (long i = 0; i < 10 * n; i++) {
      sink = memcmp(bytes, bytes + 65536, copied);
      BARRIER;
   }
}
ENTRY(memcmp_2000, "copies", comparisons, set_copied, 2000, 1000, 10)

KERNEL(byte_copies, "copies", set_copied, 100, 300, 1000)
{
   for (long i = 0; i < 10 * n; i++)
      for (size_t j = 0; j < copied; j++) {
         bytes[65536 + j] = bytes[j];
         BARRIER;
      }
}

/* Code.  */

static uint32_t crc_table[256];
static void make_crc(size_t size)
{
   make_bytes(size);
   for (uint32_t i = 0; i < 256; i++) {
      uint32_t c = i;
      for (int k = 0; k < 8; k++)
         c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
      crc_table[i] = c;
   }
}
KERNEL(crc_by_table, "code", make_crc, 8192, 40, 4096)
{
   uint32_t crc = 0;
   for (long i = 0; i < n; i++)
      for (int j = 0; j < 4096; j++)
         crc = crc_table[(crc ^ bytes[j]) & 255] ^ crc >> 8;
   sink = crc;
}

KERNEL(base64, "code", make_bytes, 8192, 80, 1024)
{
   static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
   static char out[4096];
   for (long i = 0; i < n; i++) {
      char* to = out;
      for (int j = 0; j < 3072; j += 3) {
         uint32_t word = (uint32_t)bytes[j] << 16 | bytes[j + 1] << 8 | bytes[j + 2];
         *to++ = digits[word >> 18];
         *to++ = digits[word >> 12 & 63];
         *to++ = digits[word >> 6 & 63];
         *to++ = digits[word & 63];
      }
      BARRIER;
   }
}

static uint32_t rotated(uint32_t a, int n) { return a << n | a >> (32 - n); }

/* Quarter rounds of ChaCha.  */
KERNEL(cipher, "code", nothing, 0, 300, 100)
{
   uint32_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
   for (long i = 0; i < 100 * n; i++) {
      a += b;
      d = rotated(d ^ a, 16);
      e += f;
      h = rotated(h ^ e, 16);
      c += d;
      b = rotated(b ^ c, 12);
      g += h;
      f = rotated(f ^ g, 12);
      a += b;
      d = rotated(d ^ a, 8);
      e += f;
      h = rotated(h ^ e, 8);
      c += d;
      b = rotated(b ^ c, 7);
      g += h;
      f = rotated(f ^ g, 7);
   }
   sink = a + b + c + d + e + f + g + h;
}

KERNEL(bodies, "code", nothing, 0, 1500, 28)
{
   static double at[8][3], mass[8] = {1, 2, 3, 4, 5, 6, 7, 8};
   double energy = 0;
   for (int i = 0; i < 8; i++)
      for (int k = 0; k < 3; k++)
         at[i][k] = i * (k + 1.25);
   for (long t = 0; t < n; t++) {
      for (int i = 0; i < 8; i++)
         for (int j = 0; j < i; j++) {
            double x = at[i][0] - at[j][0], y = at[i][1] - at[j][1],
                   z = at[i][2] - at[j][2];
            energy += mass[i] * mass[j] / sqrt(x * x + y * y + z * z);
         }
      BARRIER;
   }
   real_sink = energy;
}

KERNEL(mandelbrot, "code", nothing, 0, 60, 800)
{
   long turns = 0;
   for (long t = 0; t < n; t++)
      for (int i = 0; i < 16; i++) {
         double cx = -0.6 + i * 0.01, cy = 0.1, x = 0, y = 0;
         for (int k = 0; k < 50 && x * x + y * y < 4; k++, turns++) {
            double next = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = next;
         }
      }
   sink = turns;
}

KERNEL(edit_distance, "code", make_bytes, 4096, 30, 4096)
{
   static int row[65];
   for (long t = 0; t < n; t++) {
      for (int j = 0; j <= 64; j++)
         row[j] = j;
      for (int i = 1; i <= 64; i++) {
         int before = row[0];
         row[0] = i;
         for (int j = 1; j <= 64; j++) {
            int cost = before + ((bytes[i] & 3) != (bytes[64 + j] & 3));
            before = row[j];
            int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = cost < other ? cost : other;
         }
      }
      BARRIER;
   }
   sink = row[64];
}

KERNEL(sieve, "code", nothing, 0, 20, 8192)
{
   static char is_composite[8192];
   for (long t = 0; t < n; t++) {
      memset(is_composite, 0, sizeof is_composite);
      for (int i = 2; i * i < 8192; i++)
         if (!is_composite[i])
            for (int j = i * i; j < 8192; j += i)
               is_composite[j] = 1;
      BARRIER;
   }
   sink = is_composite[91];
}

static void make_digits(size_t size)
{
   make_bytes(size);
   for (size_t i = 0; i < size; i++)
      bytes[i] = i % 7 == 6 ? ',' : (unsigned char)('0' + bytes[i] % 10);
}
KERNEL(parse_numbers, "code", make_digits, 8192, 80, 4096)
{
   long sum = 0;
   for (long t = 0; t < n; t++) {
      long number = 0;
      for (int i = 0; i < 4096; i++) {
         if (bytes[i] == ',') {
            sum += number;
            number = 0;
         } else
            number = number * 10 + bytes[i] - '0';
      }
   }
   sink = sum;
}

static void make_sorted(size_t n)
{
   make_values(n);
   for (size_t i = 0; i < n; i++)
      values[i] = (uint32_t)i * 3;
}
KERNEL(binary_search, "code", make_sorted, 4096, 20, 100)
{
   long found = 0;
   for (long t = 0; t < 100 * n; t++) {
      uint32_t key = (uint32_t)(next_random() % (3 * n_values));
      size_t low = 0, high = n_values;
      while (low < high) {
         size_t middle = (low + high) / 2;
         if (values[middle] < key)
            low = middle + 1;
         else
            high = middle;
      }
      found += (long)low;
   }
   sink = found;
}

KERNEL(heap, "code", nothing, 0, 5, 512)
{
   static uint32_t kept[1024];
   for (long t = 0; t < n; t++) {
      size_t size = 0;
      for (int i = 0; i < 512; i++) {
         size_t at = size++;
         uint32_t key = (uint32_t)next_random();
         for (; at > 0 && kept[(at - 1) / 2] > key; at = (at - 1) / 2)
            kept[at] = kept[(at - 1) / 2];
         kept[at] = key;
      }
      while (size > 1) {
         uint32_t key = kept[--size];
         size_t at = 0, child;
         while ((child = 2 * at + 1) < size) {
            if (child + 1 < size && kept[child + 1] < kept[child])
               child++;
            if (kept[child] >= key)
               break;
            kept[at] = kept[child];
            at = child;
         }
         kept[at] = key;
      }
   }
   sink = kept[0];
}

#define SLOTS 4096
static struct {
   uint64_t key;
   long value;
} table[SLOTS];
KERNEL(hash_table, "code", nothing, 0, 100, 100)
{
   long found = 0;
   for (long t = 0; t < 100 * n; t++) {
      uint64_t key = next_random() % 3000 + 1;
      size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 52);
      while (table[slot].key != 0 && table[slot].key != key)
         slot = (slot + 1) % SLOTS;
      table[slot].key = key;
      found += ++table[slot].value;
   }
   sink = found;
}

KERNEL(dot_product, "code", nothing, 0, 200, 512)
{
   static float a[2048], b[2048];
   for (long t = 0; t < n; t++) {
      float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (int i = 0; i < 2048; i += 4) {
         s0 += a[i] * b[i];
         s1 += a[i + 1] * b[i + 1];
         s2 += a[i + 2] * b[i + 2];
         s3 += a[i + 3] * b[i + 3];
      }
      real_sink = s0 + s1 + s2 + s3;
      BARRIER;
   }
}

KERNEL(remainders, "division", nothing, 0, 50, 1000)
{
   volatile uint64_t divisor = 97;
   uint64_t sum = 0, by = divisor;
   for (long i = 0; i < 1000 * n; i++)
      sum += (uint64_t)i * 1234567 % by;
   sink = (long)sum;
}

/* A machine of bytes: loops, increments and moves.  */
KERNEL(byte_machine, "code", nothing, 0, 100, 800)
{
   static const char program[] = "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]";
   static unsigned char tape[64];
   long steps = 0;
   for (long t = 0; t < n; t++) {
      unsigned char* at = tape + 8;
      memset(tape, 0, sizeof tape);
      for (const char* pc = program; *pc; pc++, steps++)
         switch (*pc) {
         case '+': ++*at; break;
         case '-': --*at; break;
         case '>': at++; break;
         case '<': at--; break;
         case '[':
            if (*at == 0)
               for (int depth = 1; depth;) {
                  pc++;
                  depth += (*pc == '[') - (*pc == ']');
               }
            break;
         case ']':
            if (*at != 0)
               for (int depth = 1; depth;) {
                  pc--;
                  depth += (*pc == ']') - (*pc == '[');
               }
            break;
         default: break;
         }
   }
   sink = steps;
}

typedef struct Item {
   struct Item* next;
   long key;
} Item;
KERNEL(list_insertion, "code", nothing, 0, 10, 10000)
{
   static Item items[200];
   for (long t = 0; t < n; t++) {
      Item* first = NULL;
      for (int i = 0; i < 200; i++) {
         Item** at = &first;
         items[i].key = (long)(next_random() & 0xffff);
         while (*at != NULL && (*at)->key < items[i].key)
            at = &(*at)->next;
         items[i].next = *at;
         *at = &items[i];
      }
      sink = first->key;
   }
}

KERNEL(transposition, "code", nothing, 0, 100, 2016)
{
   static int a[64][64];
   for (long t = 0; t < n; t++) {
      for (int i = 0; i < 64; i++)
         for (int j = 0; j < i; j++) {
            int kept = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = kept;
         }
      BARRIER;
   }
   sink = a[3][4];
}

/*--------------------------------------------------------------------*/
