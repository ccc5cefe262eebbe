/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading a ring buffer; see ring.h.  The kernel writes at the head and moves it; we read
   at the tail and move that.  */

#include "perf/ring.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct Ring {
   struct perf_event_mmap_page* page;
   const uint8_t* data;
   size_t size; /* of the data: a power of two */
   size_t mapped;
   bool has_waits;
   uint8_t
      joined[65536]; /* a record that continues at the start of the ring, in one piece */
};

Ring* ring_open(int fd, size_t size, size_t least, bool has_waits)
{
   size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
   size_t data_size = page_size;
   while (data_size < size)
      data_size *= 2;
   for (;; data_size /= 2) {
      void* memory =
         mmap(NULL, page_size + data_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (memory != MAP_FAILED) {
         Ring* ring = memory_allocate(sizeof *ring);
         ring->page = memory;
         ring->data = (const uint8_t*)memory + page_size;
         ring->size = data_size;
         ring->mapped = page_size + data_size;
         ring->has_waits = has_waits;
         return ring;
      }
      if ((errno != EPERM && errno != ENOMEM) || data_size / 2 < least ||
          data_size == page_size)
         return NULL;
   }
}

size_t ring_size(const Ring* ring) { return ring->size; }

void ring_drain(Ring* ring, void (*take)(Record* record))
{
   uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
   uint64_t tail = ring->page->data_tail;
   while (head - tail >= sizeof(struct perf_event_header)) {
      struct perf_event_header header;
      /* Records are multiples of eight bytes, so a header is never divided.  */
      size_t at = tail & (ring->size - 1);
      memcpy(&header, ring->data + at, sizeof header);
      if (header.size < sizeof header || header.size > head - tail)
         break;
      const uint8_t* bytes = ring->data + at;
      if (at + header.size > ring->size) {
         size_t first = ring->size - at;
         memcpy(ring->joined, bytes, first);
         memcpy(ring->joined + first, ring->data, header.size - first);
         bytes = ring->joined;
      }
      Record* record = record_read(bytes, header.size, ring->has_waits);
      tail += header.size;
      /* Given back at once: the kernel may be waiting for room.  */
      __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
      if (record != NULL)
         take(record);
   }
}

void ring_close(Ring* ring)
{
   munmap(ring->page, ring->mapped);
   free(ring);
}
