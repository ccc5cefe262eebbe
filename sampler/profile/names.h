/* SPDX-License-Identifier: GPL-2.0-or-later

   From places in code to functions: those of files, with what is inlined there, those
   of JIT code, and the kernel's.  Owns the functions; each has one record.

   While the program is sampled, only JIT code gets its name, as the code may be gone
   soon.  Any other place gets a pending function, which stands for its address until it
   is resolved.  So a large or distant debug file delays nothing, and the kernel's
   symbols are read once.  */

#ifndef SAMPLER_NAMES_H
#define SAMPLER_NAMES_H

#include "profile/process.h"

/* What a node of the tree is: the letters of docs/tree-format.md.  */
typedef enum {
   NodeCalled = 0,
   NodeInlined = 'i',
   NodeJit = 'j',
   NodeKernel = 'k',
   NodeSkipped = 's', /* skipped code without a shown caller */
   NodeMissing = 't'  /* stands for callers that are not known */
} NodeKind;

typedef struct KnownPlace KnownPlace;

/* Which kind of lookup a function still needs.  */
typedef enum {
   PendingNothing,
   PendingPlace, /* in a file */
   PendingJit,   /* JIT code that had no name yet when it was sampled */
   PendingKernel
} Pending;

typedef struct Function {
   struct Function* next; /* of those with the same hash */
   Object* object;        /* NULL: in no object */
   char* name;            /* NULL: PendingPlace */
   char* source;          /* NULL: not known */
   unsigned line;         /* of its definition; 0: not known */
   bool is_named;         /* false: `name` is an address */
   bool has_entry;
   uint64_t entry; /* the offset in the object's file where it begins, with has_entry */
   Pending pending;
   KnownPlace* place;      /* of PendingPlace */
   Process* process;       /* of PendingJit */
   uint64_t address, time; /* of PendingJit and PendingKernel */
   unsigned id;            /* in the tree file; 0: not written */
} Function;

typedef struct {
   Function* function;
   NodeKind kind;
} NamedFrame;

#define NAMES_MAX_FRAMES 64

/* The functions at a place of user code in `process` at `time` (CLOCK_MONOTONIC, in
   nanoseconds), outermost first: one that is pending, or the real one and those inlined
   there.  Returns how many there are, from 1 to NAMES_MAX_FRAMES; *frames is valid
   until the next call.  */
unsigned names_of_place(Process* process, const CodePlace* place, uint64_t time,
                        const NamedFrame** frames);

/* The function of the kernel at an address, which is pending.  */
Function* names_of_kernel(uint64_t address);

/* Whether the function of the kernel at an address has a name.  This reads the names of
   all: not for each sample.  */
bool names_is_kernel(uint64_t address, const char* name);

/* To be called after the last sample: from now on, names_resolve() also looks up names
   of the kernel, and names of JIT code that came late.  */
void names_end(void);

/* The frames that a frame with a pending function stands for, outermost first; any
   other frame stands for itself.  Returns how many there are, at least 1; *frames is
   valid until the next call.  */
unsigned names_resolve(NamedFrame frame, const NamedFrame** frames);

/* The function that stands for unknown callers: "[truncated]" if the stack was too deep,
   else "[unknown callers]".  */
Function* names_of_missing(bool too_deep);

/* The function that stands for skipped code without a shown caller: "(skipped)".  */
Function* names_of_skipped(void);

/* What stands for a wait for nothing but a processor: "[waiting for a processor]".  */
Function* names_of_no_processor(void);

/* The objects that stand for the kernel and for JIT code.  */
Object* names_kernel_object(void);
Object* names_jit_object(void);

#endif
