/* SPDX-License-Identifier: GPL-2.0-or-later

   Objects, source files and functions: everything in a profile that has a name.

   Each is interned: there is one Object per path, one SourceFile per path, one Function
   per object, file and name.  They are owned by symbols.c and live as long as the
   process, so pointers may be kept and compared.  Which address belongs to which function
   is the business of address.h.  */

#ifndef CALLGRIND_SYMBOLS_H
#define CALLGRIND_SYMBOLS_H

#include "core_version.h"
#include "guest/elf/elf_sections.h"
#include "guest/inlined.h"
#include "guest/mappings.h"

typedef struct Object {
   const HChar* path;     /* as the core records it for the mapping; "???" if none */
   UInt id;               /* 0, 1, 2 ... in order of first appearance */
   UInt first_function;   /* the smallest id of its functions; 0: it has none */
   const HChar* build_id; /* in hexadecimal digits; NULL if it has none */
   Bool is_skipped;       /* its functions are not shown (skip.h) */
   Mapping* mappings;     /* where its code was found in memory; owned */
   ElfSections* sections; /* of its file; owned */

   /* Its debug information, as debug_files.c has found it; NULL: none.  */
   struct DwarfFile* debug;
   Bool debug_is_read;
} Object;

typedef struct SourceFile {
   const HChar* path; /* directory/name as the debug info says; "???" if unknown */
   UInt id;           /* 0, 1, 2 ... in order of first appearance */
} SourceFile;

/* The entry of a function that is in no file, or whose entry is not known.  */
#define SYMBOLS_NO_ENTRY (~0ULL)

/* The largest id.  Ids stay below any pointer of the host.  */
#define SYMBOLS_MAX_FUNCTION_ID 0xfffff

/* How calls into and out of a function are shown.  */
typedef enum {
   FunctionVisible,  /* as calls */
   FunctionPlt,      /* not at all: a stub on the way to the real callee */
   FunctionSkipped,  /* not at all: its cost is its callers' */
   FunctionResolver, /* as a call; but what it jumps to at its end is called by
                        its caller (ld.so's lazy binding) */
   FUNCTION_KINDS
} FunctionKind;

/* What entering or leaving a function does besides: as options say, or (the last) because
   of what it has done.  Bits.  */
typedef enum {
   FunctionToggles = 1,         /* --toggle-collect */
   FunctionDumpsBefore = 2,     /* --dump-before */
   FunctionDumpsAfter = 4,      /* --dump-after */
   FunctionZeroesBefore = 8,    /* --zero-before */
   FunctionSwitchesStacks = 16, /* its calls are kept (stack/stacks/switch_calls.h) */
} FunctionEffects;

typedef struct Function {
   const HChar* name;
   SourceFile* file;
   Object* object;
   UInt id; /* 1, 2, 3 ...; 0 is no function */
   FunctionKind kind;
   Bool is_unbounded; /* it has no symbol and is named by the address of its entry, or is
                         JIT code; where it ends is not known */
   Bool has_jit_name; /* it is JIT code that the program has named */
   Bool is_shared;    /* it stands for all functions beyond the largest number */
   UInt effects;      /* FunctionEffects */
   UInt n_recursions; /* levels told apart: --separate-recs */
   UInt n_callers;    /* callers told apart by: --separate-callers */
   UInt group;        /* --fn-group; 0: none */
   UInt allocator;    /* --collect-alloc: its number (allocators.h); 0: it is none */
   UInt line;         /* of its first instruction; 0 if not known */
   ULong entry;       /* offset of that in the object's file; SYMBOLS_NO_ENTRY */

   /* Where it is declared, as declarations.c has found it; NULL: not asked so far.  */
   const SourceFile* declared_in;
   UInt declared_line;

   /* Addresses known to lie in it, from its first byte to the last one that was ever
      looked up.  They spare most look-ups.  Valid in one state of the address space only;
      owned by address.c.  */
   Addr known_start, known_last;
   UInt known_epoch;
} Function;

typedef struct SourceLine {
   SourceFile* file;       /* the "???" file if the line is not known */
   UInt line;              /* 0 if not known */
   const Inlined* inlined; /* the innermost inlined function there; NULL: none */
} SourceLine;

static inline Bool source_line_is_same(const SourceLine* a, const SourceLine* b)
{
   return a->file == b->file && a->line == b->line && a->inlined == b->inlined;
}

/* A SourceLine in half the room, for records that there are many of.  */
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

/* To be called once, before anything else here, after options_finish() and
   skip_init().  */
void symbols_init(void);

/*--------------------------------------------------------------------*/
/* Objects and files                                                   */

/* The object with the file `path`, which is read when the object is new.  */
Object* symbols_intern_object(const HChar* path);

/* The object with this file, if it is known; otherwise NULL.  */
Object* symbols_find_object(const HChar* path);

SourceFile* symbols_intern_file(const HChar* path);

/* Has there been code of an object that copies the stacks of coroutines out of one place
   and back?  It is known by its name: Python's greenlet.  Not where the return address
   may lie anywhere in a frame, so that such stacks are not told apart well (arch.h).  */
Bool symbols_stacks_may_be_copied(void);

/* The object and the file "???", which stand for what is not known or is not there.  */
Object* symbols_no_object(void);
SourceFile* symbols_no_file(void);

/* True if there is an object, or a source file: not "???".  */
Bool symbols_is_object(const Object* object);
Bool symbols_is_file(const SourceFile* file);

/* How many there are so far; their ids are below these numbers.  */
UInt symbols_n_objects(void);
UInt symbols_n_files(void);

/*--------------------------------------------------------------------*/
/* Functions                                                           */

/* The function of this name, which is copied.  If there are as many functions as there
   may be (--ct-max-functions, SYMBOLS_MAX_FUNCTION_ID), a new one is not made: the
   result is a shared function, "(too many functions)" in "???", of the kind that it
   would have.  */
Function* symbols_intern_function(Object* object, SourceFile* file, const HChar* name);

/* Make `function` a stub, or one of which the end is not known, and return it.  For a
   shared function they return the shared one of that kind instead.  */
Function* symbols_as_stub(Function* function);
Function* symbols_as_unbounded(Function* function);

/* The JIT function of this name: object and file are "???".  All JIT code of one name is
   one function.  */
Function* symbols_jit_function(const HChar* name);

/* Changes the name of a JIT function, which is not shared.  If another one has that name,
   the address of its entry is put behind.  */
void symbols_rename_jit_function(Function* function, const HChar* name, Addr entry);

Bool symbols_is_jit_function(const Function* function);

/* A JIT function that the program has not named so far.  */
Bool symbols_is_unnamed_jit_function(const Function* function);

/* The function that stands for skipped code without a shown caller: object "???", file
   "(callgrind-internal)", name "(skipped)".  */
Function* symbols_skipped_function(void);

/* The function that `function`'s code runs as: symbols_skipped_function() for all that
   is not shown, otherwise itself.  */
static inline Function* symbols_runs_as(Function* function)
{
   return function->kind == FunctionPlt || function->kind == FunctionSkipped
             ? symbols_skipped_function()
             : function;
}

/* To be called when an entry was added to what is skipped (skip.h): decides again for
   every object and function.  True if something is skipped now that was not before.  Code
   of that which is translated already still runs as before.  */
Bool symbols_apply_last_skip(void);

/* How many functions there are so far; their ids run from 1 to this number.  */
UInt symbols_n_functions(void);

/* The function with this id.  */
Function* symbols_function(UInt id);

#endif
