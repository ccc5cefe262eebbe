/* SPDX-License-Identifier: GPL-2.0-or-later
   Benchmark program: a library that calls back, and formatted output.

   sorting N    sorts N records with qsort(), formats each with snprintf(), and
                prints a checksum over the text and the two ends of the order.

   qsort() calling a comparison function makes calls across objects in both
   directions; snprintf() is branchy code of many short blocks. The records come
   from a generator of its own, so that every C library gives the same output. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
   uint32_t key;
   uint32_t serial;
   double   weight;
} Record;

/* Xorshift with 64 bits of state. */
static uint64_t next_random(void)
{
   static uint64_t state = 88172645463325252u;
   state ^= state << 13;
   state ^= state >> 7;
   return state ^= state << 17;
}

/* Ties are broken by serial number: qsort() is not stable. */
static int compare_records(const void* left, const void* right)
{
   const Record *a = left, *b = right;
   if (a->key != b->key)
      return a->key < b->key ? -1 : 1;
   return (a->serial > b->serial) - (a->serial < b->serial);
}

static uint64_t add_to_checksum(uint64_t checksum, const char* text)
{
   for (; *text != '\0'; text++)
      checksum = (checksum ^ (unsigned char)*text) * 1099511628211u;
   return checksum;
}

int main(int argc, char** argv)
{
   size_t count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
   Record* records = malloc(count * sizeof *records);
   if (count == 0 || records == NULL)
      return 1;
   for (size_t i = 0; i < count; i++) {
      uint64_t random = next_random();
      records[i] = (Record){(uint32_t)(random % (count / 2 + 1)), (uint32_t)i,
                            (double)(random >> 40) / 16.0};
   }
   qsort(records, count, sizeof *records, compare_records);

   uint64_t checksum = 14695981039346656037u;
   for (size_t i = 0; i < count; i++) {
      char line[96];
      snprintf(line, sizeof line, "%08x %-10u %.4f %s\n", (unsigned)records[i].key,
               (unsigned)records[i].serial, records[i].weight, i % 2 ? "odd" : "even");
      checksum = add_to_checksum(checksum, line);
   }
   printf("%zu records, first %u, last %u, checksum %016llx\n", count,
          (unsigned)records[0].serial, (unsigned)records[count - 1].serial,
          (unsigned long long)checksum);
   free(records);
   return 0;
}
