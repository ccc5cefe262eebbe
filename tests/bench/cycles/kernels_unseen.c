/* SPDX-License-Identifier: GPL-2.0-or-later

   Kernels for `make bench-cycles`: the second set.  All were written before it was looked
   how one of them comes out, and are not changed since.  Those in assembly are
   in kernels_unseen_assembly.c.  See harness.h.  */

#include "harness.h"

#include <math.h>

static volatile double real_sink;

/*--------------------------------------------------------------------*/
/* Misses                                                              */

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
KERNEL random_loads(long n)
{
   uint64_t sum = 0, state = random_state;
   for (long i = 0; i < 1000 * n; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += values[(state >> 33) % n_values];
   }
   random_state ^= state | 1;
   sink = (long)sum;
}

/* The next place depends on the value.  */
KERNEL random_walk(long n)
{
   static uint64_t at;
   for (long i = 0; i < 1000 * n; i++)
      at = (values[at] + (uint64_t)i) & (n_values - 1);
   sink = (long)at;
}

/* A value of each line, from one line to the next.  */
KERNEL strided(long n)
{
   long sum = 0;
   for (long i = 0; i < n; i++)
      for (size_t j = 0; j < n_values; j += 64)
         sum += values[j];
   sink = sum;
}

KERNEL fill_words(long n)
{
   for (long i = 0; i < n; i++)
      for (size_t j = 0; j < n_values; j++)
         ((volatile uint32_t*)values)[j] = (uint32_t)i;
}

/*--------------------------------------------------------------------*/
/* Branches                                                            */

KERNEL pattern_of_seven(long n)
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
KERNEL collatz(long n)
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

KERNEL random_switch(long n)
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

/*--------------------------------------------------------------------*/
/* Calls                                                               */

typedef long (*Function)(long);
__attribute__((noinline, noipa)) static long add_one(long a) { return a + 1; }
__attribute__((noinline, noipa)) static long twice(long a) { return a + a; }
__attribute__((noinline, noipa)) static long invert(long a) { return ~a; }
static Function volatile functions[4] = {add_one, twice, invert, add_one};

KERNEL calls_indirect(long n)
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
KERNEL calls_of_many(long n)
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
KERNEL deep_calls(long n)
{
   for (long i = 0; i < n; i++)
      sink = ackermann(2, 20);
}

/*--------------------------------------------------------------------*/
/* Copies                                                              */

static size_t copied;
static void set_copied(size_t size)
{
   make_bytes(1 << 18);
   copied = size;
}

#define BARRIER __asm__ volatile("" ::: "memory")

KERNEL fills(long n)
{
   for (long i = 0; i < 10 * n; i++) {
      memset(bytes, (int)i, copied);
      BARRIER;
   }
}

KERNEL moves(long n)
{
   for (long i = 0; i < 10 * n; i++) {
      memmove(bytes + 64, bytes, copied);
      BARRIER;
   }
}

KERNEL comparisons(long n)
{
   memcpy(bytes + 65536, bytes, copied);
   for (long i = 0; i < 10 * n; i++) {
      sink = memcmp(bytes, bytes + 65536, copied);
      BARRIER;
   }
}

KERNEL byte_copies(long n)
{
   for (long i = 0; i < 10 * n; i++)
      for (size_t j = 0; j < copied; j++) {
         bytes[65536 + j] = bytes[j];
         BARRIER;
      }
}

/*--------------------------------------------------------------------*/
/* Code                                                                */

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
KERNEL crc_by_table(long n)
{
   uint32_t crc = 0;
   for (long i = 0; i < n; i++)
      for (int j = 0; j < 4096; j++)
         crc = crc_table[(crc ^ bytes[j]) & 255] ^ crc >> 8;
   sink = crc;
}

KERNEL base64(long n)
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
KERNEL cipher(long n)
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

KERNEL bodies(long n)
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

KERNEL mandelbrot(long n)
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

KERNEL edit_distance(long n)
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

KERNEL sieve(long n)
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
KERNEL parse_numbers(long n)
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
KERNEL binary_search(long n)
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

KERNEL heap(long n)
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
KERNEL hash_table(long n)
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

KERNEL dot_product(long n)
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

KERNEL remainders(long n)
{
   volatile uint64_t divisor = 97;
   uint64_t sum = 0, by = divisor;
   for (long i = 0; i < 1000 * n; i++)
      sum += (uint64_t)i * 1234567 % by;
   sink = (long)sum;
}

/* A machine of bytes: loops, increments and moves.  */
KERNEL byte_machine(long n)
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
KERNEL list_insertion(long n)
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

KERNEL transposition(long n)
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
/* The list                                                            */

static const Kernel kernels[] = {
   {"remainders", "division", remainders, nothing, 0, 50, 1000},
   {"random_loads_l2", "misses", random_loads, make_values, 1 << 17, 60, 1000},
   {"random_loads_memory", "misses", random_loads, make_values, 32 << 20, 15, 1000},
   {"random_walk_l2", "misses", random_walk, make_values, 1 << 17, 20, 1000},
   {"random_walk_l3", "misses", random_walk, make_values, 1 << 21, 5, 1000},
   {"strided_l2", "misses", strided, make_values, 1 << 17, 20, 2048},
   {"strided_memory", "misses", strided, make_values, 16 << 20, 1, 262144},
   {"fill_l2", "misses", fill_words, make_values, 1 << 16, 5, 65536},
   {"pattern_of_seven", "branches", pattern_of_seven, nothing, 0, 200, 1000},
   {"collatz", "branches", collatz, nothing, 0, 5, 2600},
   {"random_switch", "branches", random_switch, nothing, 0, 20, 1000},
   {"calls_indirect", "calls", calls_indirect, nothing, 0, 1000, 100},
   {"calls_of_many", "calls", calls_of_many, nothing, 0, 1000, 100},
   {"deep_calls", "calls", deep_calls, nothing, 0, 50, 1221},
   {"memset_100", "copies", fills, set_copied, 100, 5000, 10},
   {"memset_8192", "copies", fills, set_copied, 8192, 300, 10},
   {"memmove_1000", "copies", moves, set_copied, 1000, 2000, 10},
   {"memcmp_2000", "copies", comparisons, set_copied, 2000, 1000, 10},
   {"byte_copies", "copies", byte_copies, set_copied, 100, 300, 1000},
   {"crc_by_table", "code", crc_by_table, make_crc, 8192, 40, 4096},
   {"base64", "code", base64, make_bytes, 8192, 80, 1024},
   {"cipher", "code", cipher, nothing, 0, 300, 100},
   {"bodies", "code", bodies, nothing, 0, 1500, 28},
   {"mandelbrot", "code", mandelbrot, nothing, 0, 60, 800},
   {"edit_distance", "code", edit_distance, make_bytes, 4096, 30, 4096},
   {"sieve", "code", sieve, nothing, 0, 20, 8192},
   {"parse_numbers", "code", parse_numbers, make_digits, 8192, 80, 4096},
   {"binary_search", "code", binary_search, make_sorted, 4096, 20, 100},
   {"heap", "code", heap, nothing, 0, 5, 512},
   {"hash_table", "code", hash_table, nothing, 0, 100, 100},
   {"dot_product", "code", dot_product, nothing, 0, 200, 512},
   {"byte_machine", "code", byte_machine, nothing, 0, 100, 800},
   {"list_insertion", "code", list_insertion, nothing, 0, 10, 10000},
   {"transposition", "code", transposition, nothing, 0, 100, 2016},
};

int main(int count, char** arguments)
{
   return kernels_main(kernels, sizeof kernels / sizeof kernels[0], count, arguments);
}
