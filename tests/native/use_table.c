/* SPDX-License-Identifier: GPL-2.0-or-later

   Adds records to a table of callgrind/base/table.h, removes them and looks for them, at
   random: use_table SEED STEPS HASHES.  With few hashes, many records have the same one.
   A list of what is there says what must be found.  Prints how many were found, and not
   found; status 1 after the first error.  */

#include "base/table.h"

#include <stdio.h>
#include <stdlib.h>

#define N_RECORDS 3000

typedef struct {
   ULong hash;
   Bool is_there;
} Record;

static Record records[N_RECORDS];
static ULong state;

static ULong draw(ULong below)
{
   state = state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (state >> 33) % below;
}

static Bool is_same(const void* record, const void* sought) { return record == sought; }

static void fail(const char* what, UInt step)
{
   printf("step %u: %s\n", step, what);
   exit(1);
}

int main(int count, char** arguments)
{
   if (count != 4)
      return 2;
   state = strtoull(arguments[1], NULL, 0);
   UInt steps = (UInt)strtoul(arguments[2], NULL, 0);
   ULong hashes = strtoull(arguments[3], NULL, 0);
   for (UInt i = 0; i < N_RECORDS; i++)
      records[i].hash = draw(hashes);

   Table table = {NULL, 0, 0, 0};
   UInt n = 0, found = 0, missing = 0;
   for (UInt step = 0; step < steps; step++) {
      Record* record = &records[draw(N_RECORDS)];
      void* expected = record->is_there ? record : NULL;
      if (table_find(&table, record->hash, is_same, record) != expected)
         fail("another record was found", step);
      *(expected != NULL ? &found : &missing) += 1;
      const Record* any = table_find_only(&table, record->hash);
      if (any == NULL ? expected != NULL : any->hash != record->hash || !any->is_there)
         fail("a record with another hash was found", step);
      /* More come than go, then more go than come.  */
      if (draw(3) == 0 ? step < steps / 2 : step >= steps / 2)
         continue;
      if (record->is_there)
         table_remove(&table, record->hash, record);
      else
         table_add(&table, record->hash, record);
      record->is_there = !record->is_there;
      n = record->is_there ? n + 1 : n - 1;
      if (table.n != n)
         fail("the number of records is wrong", step);
   }
   table_free(&table);
   printf("%u found, %u not\n", found, missing);
   return 0;
}
