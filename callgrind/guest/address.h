/* SPDX-License-Identifier: GPL-2.0-or-later

   What a guest address is: the object it lies in, its function, its source line.  What is
   returned is interned (symbols.h), so pointers may be kept and compared.  */

#ifndef CALLGRIND_ADDRESS_H
#define CALLGRIND_ADDRESS_H

#include "guest/symbols.h"

/* Where an address lies.  */
typedef struct {
   Object* object;    /* "???" for JIT code */
   Addr file_address; /* the address that the object's file gives it, as nm and objdump
                         show it; for JIT code the address itself */
   Bool is_plt;       /* in a PLT section */
} Place;

Place address_place_of(Addr address);

/* Who knows lines from earlier runs: is asked before the core, and told what that has
   said.  Of inlined functions nothing is said then; of these, and of where functions are
   declared, he is asked separately, before debug information is read, and told what that
   had.  Of the latter he is asked by the address that the object's file has for where the
   function begins; NULL and 0 are told if nothing tells.  */
typedef struct {
   Bool (*recall)(Addr address, SourceLine* line);
   void (*learn)(Addr address, const SourceLine* line);
   Bool (*recall_inlined)(Addr address, const Object* object, const Inlined** inlined);
   void (*learn_inlined)(Addr address, const Inlined* inlined);
   Bool (*recall_declared)(const Object* object, Addr file_address, const HChar** path,
                           UInt* line);
   void (*learn_declared)(const Object* object, Addr file_address, const HChar* path,
                          UInt line);
} LineMemory;

void address_set_line_memory(const LineMemory* memory);

/* NULL if there is none.  */
const LineMemory* address_line_memory(void);

/* The source line that the debug information has for `address`: the "???" file and line 0
   if it has none.  */
SourceLine address_line_of(Addr address);

/* The function that holds `address`: the one whose symbol covers it; that of a PLT stub;
   without a symbol, the nameless one that the object's call frame information has there.
   NULL if that has none either.  `place` is address_place_of(address).  */
Function* address_function_of(Addr address, const Place* place);

/* Is there call frame information for this code?  */
Bool address_has_frame_information(const Place* place);

/* A function for code of which nothing is known but that it was entered at `address`.  It
   is named by the address.  `place` is address_place_of(address).  */
Function* address_unbounded_function(Addr address, const Place* place);

/* As address_unbounded_function(), for code that nobody called, of an object.  If it can
   be that at the object's entry point, as where the dynamic linker begins, it is named by
   that.  */
Function* address_outermost_function(Addr address, const Place* place);

/* Where the piece of `function` begins that holds `address`, which lies in it: several
   functions of one name may be one.  0 if that is not known.  */
Addr address_start_of(const Function* function, Addr address);

/* True if `address` lies in `function`.  Cheap for most addresses inside.  */
Bool address_is_inside(const Function* function, Addr address);

/* True if `address`, which lies in `function`, is where it begins.  Of an unbounded
   function every address may be.  */
Bool address_is_start(const Function* function, Addr address);

/* True if `place` is outside any object.  */
Bool address_is_jit_code(const Place* place);

/* Must be called when mappings change: another object may now be mapped at the same
   addresses.  */
void address_forget_ranges(void);

#endif
