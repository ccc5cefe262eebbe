/* SPDX-License-Identifier: GPL-2.0-or-later

   See patch_points.h.

   The constant of a patch point is, from its lowest byte on: POINT_LOW, its number in two
   bytes, POINT_HIGH; in that of a check, POINT_LONG follows in the upper half.  The
   guest's own code may have a constant that looks like it.  So each must be found exactly
   once, within the instructions that VEX makes of it.

   Keeps nothing.  */

#include "instrument/host/patch_points.h"

#include "instrument/host/host_additions.h"
#include "instrument/host/host_checks.h"
#include "instrument/host/host_constants.h"
#include "instrument/host/host_guards.h"

#include "pub_tool_libcbase.h"

#define POINT_LOW 0x6d
#define POINT_HIGH 0x5c
#define POINT_LONG 0x2d87b44du /* the upper half of a constant that takes eight bytes */
#define LARGEST_AMOUNT 0x7fffffff
#define LARGEST_ADDRESS 0x7fffffff

void patch_points_begin(PatchPoints* all)
{
   all->n = 0;
   all->is_active = True;
}

void patch_points_end(PatchPoints* all) { all->is_active = False; }

static Bool has_room(const PatchPoints* all)
{
   return all->is_active && all->n < PATCH_POINTS_MOST;
}

static ULong add(PatchPoints* all, PatchKind kind, Int place, ULong amount)
{
   all->points[all->n] = (PatchPoint){.kind = kind, .place = place, .amount = amount};
   return POINT_LOW | (ULong)all->n++ << 8 | (ULong)POINT_HIGH << 24;
}

ULong patch_points_addition(PatchPoints* all, UWord displacement, ULong amount)
{
   Word distance = (Word)displacement;
   if (!HOST_HAS_ADDITION || !has_room(all) || amount > LARGEST_AMOUNT ||
       distance != (Int)distance)
      return 0;
   return add(all, PatchAddition, (Int)distance, amount);
}

ULong patch_points_guard(PatchPoints* all, const void* object, const void* fetched)
{
   UWord address = (UWord)object;
   if (!HOST_HAS_GUARD || !has_room(all) || address > LARGEST_ADDRESS ||
       (UWord)fetched > LARGEST_ADDRESS)
      return 0;
   return add(all, PatchGuard, (Int)address, (UWord)fetched);
}

ULong patch_points_reserved(PatchPoints* all, ReservedUse use, UWord place, ULong amount)
{
   Word signed_place = (Word)place;
   if (!HOST_HAS_RESERVED || !has_room(all) || amount > LARGEST_AMOUNT ||
       signed_place != (Int)signed_place)
      return 0;
   ULong constant = add(all, PatchReserved, (Int)signed_place, amount);
   all->points[all->n - 1].use = use;
   return constant;
}

ULong patch_points_check(PatchPoints* all, UWord argument)
{
   if (!HOST_HAS_CHECK || !has_room(all))
      return 0;
   return (ULong)POINT_LONG << 32 | add(all, PatchCheck, 0, argument);
}

/* The patch point whose constant is at `at`; NULL if there is none.  */
static PatchPoint* point_at(PatchPoints* all, const UChar* code, UInt at)
{
   UInt number = code[at + 1] | (UInt)code[at + 2] << 8;
   return code[at] == POINT_LOW && code[at + 3] == POINT_HIGH && number < all->n
             ? &all->points[number]
             : NULL;
}

static UInt make_guard(HostCode* code, UInt at, const PatchPoint* point)
{
   UChar fetch[HOST_LONGEST_RESERVED];
   UInt size = point->amount == 0 ? 0
                                  : host_reserved_write(fetch, ReservedFetchCounters,
                                                        (Int)point->amount, 0);
   return host_guard_make(code, at, point->place, fetch, size);
}

static Bool is_long(const HostCode* code, UInt at)
{
   ULong constant;
   return at + host_constant_size(True) <= code->size &&
          host_constant_read(code->bytes + at, True, &constant) &&
          constant >> 32 == POINT_LONG;
}

/* The constant at code->bytes + `at` is that of this patch point: makes of the
   instructions around it what it stands for.  Returns where the search goes on; 0: they
   are not those that VEX makes of it.  */
static UInt make(HostCode* code, UInt at, PatchPoint* point)
{
   if (point->is_made)
      return 0;
   point->is_made = True;
   switch (point->kind) {
   case PatchGuard: return make_guard(code, at, point);
   case PatchCheck:
      return is_long(code, at) ? host_check_make(code, at, point->amount) : 0;
   case PatchReserved:
      return host_reserved_make(code, at, point->use, point->place, (UInt)point->amount);
   case PatchAddition:
      return host_addition_make(code->bytes, at, point->place, (UInt)point->amount)
                ? at + 1
                : 0;
   }
   return 0;
}

Bool patch_points_resolve(PatchPoints* all, UChar* bytes, UInt* size, UInt room)
{
   static HostMoved moved[PATCH_POINTS_MOST]; /* too large for the core's stack */
   HostCode code = {bytes, *size, room, moved, 0, 0};
   UInt n_made = 0, at = 0;
   if (all->n == 0)
      return True;
   while ((at = host_constant_next(bytes, code.size, at, POINT_LOW, POINT_HIGH)) + 4 <=
          code.size) {
      PatchPoint* point = point_at(all, bytes, at);
      if (point == NULL)
         at++;
      else if ((at = make(&code, at, point)) == 0)
         return False;
      else
         n_made++;
   }
   host_put_moved(&code);
   *size = code.size;
   return n_made == all->n;
}
