/* SPDX-License-Identifier: GPL-2.0-or-later

   See alloc_paths.h.  A record has a higher number than its parent: so sums go from each
   to its parent in one walk.  */

#include "model/allocations/alloc_paths.h"

#include "base/table.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   UInt number, parent;
   Arc* arc;         /* NULL: nobody called `context` */
   Context* context; /* the last of the path */
   ULong amounts[ALLOC_PATH_AMOUNTS];
} AllocPath;

/* 4 million: 300 MB.  */
#define CHUNK_BITS 12
#define CHUNK (1u << CHUNK_BITS)
#define MAX_CHUNKS 1024

static AllocPath* chunks[MAX_CHUNKS];
static UInt n_paths = ALLOC_PATH_EMPTY; /* the last number */
static Table table;

UInt alloc_paths_count(void) { return n_paths - ALLOC_PATH_EMPTY; }

static AllocPath* path_at(UInt number)
{
   return &chunks[number >> CHUNK_BITS][number & (CHUNK - 1)];
}

typedef struct {
   UInt parent;
   const Arc* arc;
   const Context* context;
} Sought;

static Bool is_sought(const void* record, const void* wanted)
{
   const AllocPath* path = record;
   const Sought* sought = wanted;
   return path->parent == sought->parent && path->arc == sought->arc &&
          path->context == sought->context;
}

static ULong hash_of(const Sought* sought)
{
   const UWord key = sought->arc != NULL ? (UWord)sought->arc : (UWord)sought->context;
   return (key >> 4) * CHECKSUM_FACTOR ^ (ULong)sought->parent * HASH_FACTOR;
}

/* NULL: there are too many.  */
static AllocPath* make(void)
{
   const UInt number = n_paths + 1;
   if (number >> CHUNK_BITS == MAX_CHUNKS) {
      static Bool is_told;
      if (!is_told)
         VG_(umsg)("Warning: more than %u paths of calls allocate: of what others hold, "
                   "only the end of the path is known\n",
                   n_paths);
      is_told = True;
      return NULL;
   }
   if (chunks[number >> CHUNK_BITS] == NULL)
      chunks[number >> CHUNK_BITS] =
         VG_(calloc)("alloc_paths.chunk", CHUNK, sizeof(AllocPath));
   n_paths = number;
   path_at(number)->number = number;
   return path_at(number);
}

/* The beginning of `path` that ends in `context`; 0: that is not in it.  */
static UInt earlier(UInt path, const Context* context)
{
   for (; path != ALLOC_PATH_EMPTY; path = path_at(path)->parent)
      if (path_at(path)->context == context)
         return path;
   return 0;
}

/* How the path goes on in a recursion is found by a record, too, which is no path of its
   own.  */
static AllocPath* make_alias(UInt number)
{
   AllocPath* alias = VG_(calloc)("alloc_paths.alias", 1, sizeof *alias);
   alias->number = number;
   return alias;
}

UInt alloc_path_continued(UInt path, Arc* arc, Context* context)
{
   const Sought sought = {path, arc, context};
   const ULong hash = hash_of(&sought);
   AllocPath* found = table_find(&table, hash, is_sought, &sought);
   if (LIKELY(found != NULL))
      return found->number;
   const UInt before = earlier(path, context);
   found = before != 0 ? make_alias(before) : make();
   if (found == NULL)
      return path;
   found->parent = path;
   found->arc = arc;
   found->context = context;
   table_add(&table, hash, found);
   return found->number;
}

void alloc_path_add(UInt path, const ULong* amounts)
{
   if (path <= ALLOC_PATH_EMPTY)
      return;
   for (UInt i = 0; i < ALLOC_PATH_AMOUNTS; i++)
      path_at(path)->amounts[i] += amounts[i];
}

void alloc_paths_book(const UInt* events)
{
   for (UInt number = n_paths; number > ALLOC_PATH_EMPTY; number--) {
      AllocPath* path = path_at(number);
      alloc_path_add(path->parent, path->amounts);
      for (UInt i = 0; i < ALLOC_PATH_AMOUNTS; i++) {
         if (path->arc != NULL)
            path->arc->inclusive[events[i]] += path->amounts[i];
         path->amounts[i] = 0;
      }
   }
}
