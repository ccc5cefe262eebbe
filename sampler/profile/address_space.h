/* SPDX-License-Identifier: GPL-2.0-or-later

   What a process has mapped to be executed.  A fork shares its parent's address space
   until one of the two changes it.  A mapping replaces what was there before; the
   kernel does not say when something is unmapped.  */

#ifndef SAMPLER_ADDRESS_SPACE_H
#define SAMPLER_ADDRESS_SPACE_H

#include "code/object.h"
#include "perf/record.h"

typedef struct {
   uint64_t start, end, offset;
   uint64_t time; /* when it was mapped; 0: before sampling began */
   FileIdentity identity;
   char* path;
   bool is_sought; /* `object` has been looked for */
   Object* object; /* NULL: code in no file */
} Mapping;

/* Mappings in the order of addresses, none over another.  */
typedef struct {
   unsigned references; /* processes that share it */
   unsigned count, room;
   Mapping* mappings;
} AddressSpace;

/* An empty one, with one reference.  */
AddressSpace* address_space_create(void);

/* Shares `space` with one more process, and returns it.  */
AddressSpace* address_space_share(AddressSpace* space);

/* Adds a mapping; what it covers is no longer mapped.  Where *space is shared, it becomes
   a copy first.  Takes over `mapping.path`, which was allocated.  */
void address_space_map(AddressSpace** space, Mapping mapping);

/* address_space_map(), but only where nothing is mapped so far.  `mapping->path` stays
   the caller's.  */
void address_space_map_gaps(AddressSpace** space, const Mapping* mapping);

/* The mapping that an address is in, or NULL.  Valid until the next change.  */
Mapping* address_space_find(const AddressSpace* space, uint64_t address);

#endif
