/* SPDX-License-Identifier: GPL-2.0-or-later

   Records in the order of time; see queue.h.  The records of one processor come in order,
   those of several do not.  So the draining thread keeps them until all rings have been
   drained past some time, sorts them, and passes them on.  */

#include "perf/queue.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
   Record** records;
   size_t count, room;
} Batch;

/* The draining thread's.  */
static Batch pending;
static uint64_t arrivals;
static uint64_t dropped;

/* Shared; `lock` guards them, but for the bytes.  */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static Batch released;
static bool finished;
static uint64_t waiting_bytes; /* atomic */

/* The unwinding thread's.  */
static Batch taken;
static size_t taken_next;

static void append(Batch* batch, Record* record)
{
   if (batch->count == batch->room) {
      batch->room = batch->room ? 2 * batch->room : 256;
      batch->records = memory_reallocate(batch->records, batch->room, sizeof(Record*));
   }
   batch->records[batch->count++] = record;
}

static int by_time(const void* left, const void* right)
{
   const Record* a = *(Record* const*)left;
   const Record* b = *(Record* const*)right;
   if (a->time != b->time)
      return a->time < b->time ? -1 : 1;
   return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

void queue_add(Record* record)
{
   uint64_t waiting = __atomic_load_n(&waiting_bytes, __ATOMIC_RELAXED);
   bool is_sample = record->kind == RecordSample || record->kind == RecordWait;
   if (is_sample && waiting + record->size > QUEUE_MAX_BYTES) {
      dropped++;
      free(record);
      return;
   }
   __atomic_add_fetch(&waiting_bytes, record->size, __ATOMIC_RELAXED);
   record->sequence = arrivals++;
   append(&pending, record);
}

static void pass_on(uint64_t time, bool end)
{
   size_t count = 0;
   qsort(pending.records, pending.count, sizeof(Record*), by_time);
   while (count < pending.count && pending.records[count]->time <= time)
      count++;
   if (count == 0 && !end)
      return;
   pthread_mutex_lock(&lock);
   for (size_t i = 0; i < count; i++)
      append(&released, pending.records[i]);
   finished = end;
   pthread_cond_signal(&filled);
   pthread_mutex_unlock(&lock);
   pending.count -= count;
   memmove(pending.records, pending.records + count, pending.count * sizeof(Record*));
}

void queue_release(uint64_t time)
{
   if (pending.count != 0)
      pass_on(time, false);
}

void queue_finish(void)
{
   /* qsort() must not be given NULL.  */
   if (pending.records == NULL)
      pending.records = memory_allocate(sizeof(Record*));
   pass_on(UINT64_MAX, true);
}

Record* queue_take(void)
{
   if (taken_next == taken.count) {
      taken.count = taken_next = 0;
      pthread_mutex_lock(&lock);
      while (released.count == 0 && !finished)
         pthread_cond_wait(&filled, &lock);
      Batch full = released;
      released = taken;
      taken = full;
      pthread_mutex_unlock(&lock);
      if (taken.count == 0)
         return NULL;
   }
   Record* record = taken.records[taken_next++];
   __atomic_sub_fetch(&waiting_bytes, record->size, __ATOMIC_RELAXED);
   return record;
}

uint64_t queue_dropped(void) { return dropped; }
