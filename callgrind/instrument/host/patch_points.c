/* SPDX-License-Identifier: GPL-2.0-or-later

   See patch_points.h.

   A mark is, from its lowest byte on: MARK_LOW, its number in two bytes, MARK_HIGH; in
   that of a check, LONG_MARK follows in the upper half.  The guest's own code may have a
   constant that looks like it.  So each mark must be found exactly once, within the
   instructions that VEX makes of it.

   Owns the marks of the superblock that is being instrumented.  */

#include "instrument/host/patch_points.h"

#include "instrument/host/host_additions.h"
#include "instrument/host/host_checks.h"
#include "instrument/host/host_constants.h"
#include "instrument/host/host_guards.h"

#include "pub_tool_libcbase.h"

#define MARK_LOW 0x6d
#define MARK_HIGH 0x5c
#define LONG_MARK 0x2d87b44du /* the upper half of a constant that takes eight bytes */
#define MOST_MARKS 1024
#define LARGEST_AMOUNT 0x7fffffff
#define LARGEST_ADDRESS 0x7fffffff

typedef enum { Addition, Question, Check, Reserved } Kind;

typedef struct {
   Kind kind;
   Bool is_made;
   Int place;    /* an addition's displacement; the address of the object asked about */
   ULong amount; /* of an addition; the argument of a checked call; what is fetched behind
                    the call of a question */
   ReservedUse use;
} Mark;

static Mark marks[MOST_MARKS];
static UInt n_marks;
static Bool is_active;

void marks_begin(void)
{
   n_marks = 0;
   is_active = True;
}

void marks_end(void) { is_active = False; }

static ULong add(Kind kind, Int place, ULong amount)
{
   marks[n_marks] = (Mark){.kind = kind, .place = place, .amount = amount};
   return MARK_LOW | (ULong)n_marks++ << 8 | (ULong)MARK_HIGH << 24;
}

ULong marks_addition(UWord displacement, ULong amount)
{
   Word distance = (Word)displacement;
   if (!HOST_HAS_ADDITION || !is_active || n_marks == MOST_MARKS ||
       amount > LARGEST_AMOUNT || distance != (Int)distance)
      return 0;
   return add(Addition, (Int)distance, amount);
}

ULong marks_question(const void* object, const void* fetched)
{
   UWord address = (UWord)object;
   if (!HOST_HAS_QUESTION || !is_active || n_marks == MOST_MARKS ||
       address > LARGEST_ADDRESS || (UWord)fetched > LARGEST_ADDRESS)
      return 0;
   return add(Question, (Int)address, (UWord)fetched);
}

ULong marks_reserved(ReservedUse use, UWord place, ULong amount)
{
   Word signed_place = (Word)place;
   if (!HOST_HAS_RESERVED || !is_active || n_marks == MOST_MARKS ||
       amount > LARGEST_AMOUNT || signed_place != (Int)signed_place)
      return 0;
   ULong mark = add(Reserved, (Int)signed_place, amount);
   marks[n_marks - 1].use = use;
   return mark;
}

ULong marks_check(UWord argument)
{
   if (!HOST_HAS_CHECK || !is_active || n_marks == MOST_MARKS)
      return 0;
   return (ULong)LONG_MARK << 32 | add(Check, 0, argument);
}

/* Is there a mark at `at`?  Sets *number.  */
static Bool is_mark(const UChar* code, UInt at, UInt* number)
{
   *number = code[at + 1] | (UInt)code[at + 2] << 8;
   return code[at] == MARK_LOW && code[at + 3] == MARK_HIGH && *number < n_marks;
}

static UInt make_question(HostCode* code, UInt at, const Mark* mark)
{
   UChar fetch[HOST_LONGEST_RESERVED];
   UInt size = mark->amount == 0 ? 0
                                 : host_reserved_write(fetch, ReservedFetchCounters,
                                                       (Int)mark->amount, 0);
   return host_question_make(code, at, mark->place, fetch, size);
}

static Bool is_long_mark(const HostCode* code, UInt at)
{
   ULong constant;
   return at + host_constant_size(True) <= code->size &&
          host_constant_read(code->bytes + at, True, &constant) &&
          constant >> 32 == LONG_MARK;
}

/* The constant at code->bytes + `at` is that of this mark: makes of the instructions
   around it what it stands for.  Returns where the search goes on; 0: they are not those
   that VEX makes of it.  */
static UInt make(HostCode* code, UInt at, Mark* mark)
{
   if (mark->is_made)
      return 0;
   mark->is_made = True;
   switch (mark->kind) {
   case Question: return make_question(code, at, mark);
   case Check:
      return is_long_mark(code, at) ? host_check_make(code, at, mark->amount) : 0;
   case Reserved:
      return host_reserved_make(code, at, mark->use, mark->place, (UInt)mark->amount);
   case Addition:
      return host_addition_make(code->bytes, at, mark->place, (UInt)mark->amount) ? at + 1
                                                                                  : 0;
   }
   return 0;
}

Bool marks_resolve(UChar* bytes, UInt* size, UInt room)
{
   static HostMoved moved[MOST_MARKS];
   HostCode code = {bytes, *size, room, moved, 0, 0};
   UInt n_made = 0, at = 0;
   if (n_marks == 0)
      return True;
   while ((at = host_constant_next(bytes, code.size, at, MARK_LOW, MARK_HIGH)) + 4 <=
          code.size) {
      UInt number;
      if (!is_mark(bytes, at, &number))
         at++;
      else if ((at = make(&code, at, &marks[number])) == 0)
         return False;
      else
         n_made++;
   }
   host_put_moved(&code);
   *size = code.size;
   return n_made == n_marks;
}
