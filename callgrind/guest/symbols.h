/* SPDX-License-Identifier: GPL-2.0-or-later

   What a guest address is: its object, its function, its source line.

   Everything returned is owned by symbols.c, is made once, and lives to the end
   of the run, so that pointers may be kept and compared: one Object per path,
   one SourceFile per name, one Function per (object, file, name).  */

#ifndef CALLGRIND_SYMBOLS_H
#define CALLGRIND_SYMBOLS_H

#include "core_version.h"
#include "guest/inlined.h"
#include "guest/mappings.h"

typedef struct Object {
   const HChar* path;     /* as the core records it for the mapping; "???" if none */
   UInt id;               /* 0, 1, 2 ... in order of first appearance */
   const HChar* build_id; /* in hexadecimal digits; NULL if it has none */
   Bool is_skipped;       /* folded away (skip.h) */
   Mapping* mappings;     /* where its code was found in memory; owned by it */
} Object;

typedef struct SourceFile {
   const HChar* path; /* directory/name as the debug info says; "???" if unknown */
   UInt id;
} SourceFile;

/* Of a function whose beginning in a file is not known, or that is in none.  */
#define SYMBOLS_NO_ENTRY (~0ULL)

/* Function ids stay below any pointer of the host.  */
#define SYMBOLS_MAX_FUNCTION_ID 0xfffff

/* How calls into and out of a function are shown.  */
typedef enum {
   FunctionVisible,  /* as calls */
   FunctionPlt,      /* not at all: a stub on the way to the real callee */
   FunctionSkipped,  /* not at all: folded into its callers */
   FunctionResolver, /* as a call; but what it jumps to at its end is called by
                        its caller (ld.so's lazy binding) */
} FunctionKind;

/* What entering a function does besides, or leaving it: options name it.  */
typedef enum {
   FunctionToggles = 1,      /* --toggle-collect */
   FunctionDumpsBefore = 2,  /* --dump-before */
   FunctionDumpsAfter = 4,   /* --dump-after */
   FunctionZeroesBefore = 8, /* --zero-before */
} FunctionEffects;

typedef struct Function {
   const HChar* name;
   SourceFile* file;
   Object* object;
   UInt id; /* 1, 2, 3 ...; 0 is no function */
   FunctionKind kind;
   Bool is_unbounded; /* no symbol: named by the address of its entry;
                               nor is it known where it ends */
   UInt effects;      /* FunctionEffects */
   UInt n_recursions; /* levels told apart: --separate-recs */
   UInt n_callers;    /* callers told apart by: --separate-callers */
   UInt group;        /* --fn-group; 0: none */
   UInt line;         /* of its first instruction; 0 if not known */
   ULong entry;       /* where that stands in the object's file; SYMBOLS_NO_ENTRY */

   /* Addresses known to lie in it, from its first byte to the last one that was
      ever asked about; spares most look-ups.  Valid for one state of the address
      space only: see symbols_forget_ranges().  */
   Addr known_start, known_last;
   UInt known_epoch;
} Function;

typedef struct {
   SourceFile* file;       /* the "???" file if the line is not known */
   UInt line;              /* 0 if not known */
   const Inlined* inlined; /* the innermost inlined function there; NULL: none */
} SourceLine;

static inline Bool source_line_is_same(const SourceLine* a, const SourceLine* b)
{
   return a->file == b->file && a->line == b->line && a->inlined == b->inlined;
}

/* The same in half the room, for records that there are many of.  */
typedef struct {
   UInt file; /* its id */
   UInt line;
   UInt inlined; /* 1 + its id; 0: none */
} StoredLine;

StoredLine symbols_store_line(const SourceLine* line);
SourceLine symbols_stored_line(const StoredLine* line);

static inline Bool stored_line_is_same(const StoredLine* a, const StoredLine* b)
{
   return a->file == b->file && a->line == b->line && a->inlined == b->inlined;
}

/* Where an address lies: its object, and the address that the object's own file
   gives it (what nm and objdump show).  Code outside any object has the object
   "???" and keeps its address.  */
typedef struct {
   Object* object;
   Addr file_address;
   Bool is_plt;
} Place;

/* To be called once, before anything else here and after the command line has
   been read.  */
void symbols_init(void);

Place symbols_place_of(Addr address);
SourceLine symbols_line_of(Addr address);

/* The function whose symbol covers `address`; the function of a PLT stub; where
   there is no symbol, the nameless function that the object's call frame
   information has there.  NULL if that does not know either.  `place` is what
   symbols_place_of() said of the address.  */
Function* symbols_function_of(Addr address, const Place* place);

/* The function of code of which nothing is known but that it was entered at
   `address`, `place`.  */
Function* symbols_unbounded_function(Addr address, const Place* place);

/* The function of this name that the program has made at run time: object and file are
   "???".  All code of one name is one function.  */
Function* symbols_jit_function(const HChar* name);

/* Calls a function made at run time `name` from now on; if another one is called so, the
   address of its entry is put behind.  */
void symbols_rename_jit_function(Function* function, const HChar* name, Addr entry);

/* Whether there is an object, or a source file: not "???".  */
Bool symbols_is_object(const Object* object);
Bool symbols_is_file(const SourceFile* file);

/* The function that stands for skipped code without a visible caller: object
   "???", file "(callgrind-internal)", name "(skipped)".  */
Function* symbols_skipped_function(void);

/* The function that `function`'s code runs as: symbols_skipped_function() for all that
   is not shown, otherwise itself.  */
static inline Function* symbols_runs_as(Function* function)
{
   return function->kind == FunctionPlt || function->kind == FunctionSkipped
             ? symbols_skipped_function()
             : function;
}

/* Is it code outside any object, made at run time?  */
Bool symbols_is_jit_function(const Function* function);
Bool symbols_is_jit_code(const Place* place);

/* More is folded away than before (skip.h): decides anew for every object and
   function.  Code translated before still runs as it was.  */
void symbols_apply_skips(void);

/* Objects and files seen so far; their ids are below these numbers.  */
UInt symbols_n_objects(void);
UInt symbols_n_files(void);

/* Functions made so far; their ids run from 1 to this number.  */
UInt symbols_n_functions(void);
Function* symbols_function(UInt id);

/* True if `address` lies in `function`.  Cheap for most addresses inside.  */
Bool symbols_is_inside(const Function* function, Addr address);

/* True if `address`, which lies in `function`, is where it begins.  */
Bool symbols_is_start(const Function* function, Addr address);

/* Must be called when mappings change, so that another object mapped at the same
   place is looked at afresh.  */
void symbols_forget_ranges(void);

#endif
