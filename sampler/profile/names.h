/* SPDX-License-Identifier: GPL-2.0-or-later

   From places in code to functions: the kernel's, JIT code's, those of files, and those
   that are inlined.  Owns the functions; each is one, however often it is asked for.

   While samples are taken, only code of a JIT is named, which may be gone soon.  All else
   gets a function that stands for its address, and is looked up when that is to be
   resolved: so a debug file that is large or far away stalls nothing, and the kernel's
   symbols are read once.  */

#ifndef SAMPLER_NAMES_H
#define SAMPLER_NAMES_H

#include "profile/process.h"

/* The letters of docs/tree-format.md.  */
#define NodeCalled 0
#define NodeInlined 'i'
#define NodeJit 'j'
#define NodeKernel 'k'
#define NodeSkipped 's'
#define NodeMissing 't'

typedef struct KnownPlace KnownPlace;

/* What is to be looked up yet.  */
typedef enum {
   PendingNothing,
   PendingPlace, /* of a file */
   PendingJit,   /* code that had not been told of when it was sampled */
   PendingKernel
} Pending;

typedef struct Function {
   struct Function* next; /* of those with the same hash */
   Object* object;        /* NULL: in no object */
   char* name;            /* NULL: of a place that is pending */
   char* source;          /* NULL: not known */
   unsigned line;
   bool is_named; /* false: `name` is an address */
   /* Where it begins in the object's file, if that is known.  */
   bool has_entry;
   uint64_t entry;
   Pending pending;
   KnownPlace* place;      /* of PendingPlace; of names.c */
   Process* process;       /* of PendingJit */
   uint64_t address, time; /* of PendingJit and PendingKernel */
   unsigned id;            /* in the file that we write; 0 before */
} Function;

typedef struct {
   Function* function;
   char kind;
} NamedFrame;

#define NAMES_MAX_FRAMES 64

/* The functions at a place of user code in `process` at a time, outermost first: one that
   is pending, or the real one and those that are inlined into it.  How many there are, at
   least 1; the result stays up to the next call.  */
unsigned names_of_place(Process* process, const CodePlace* place, uint64_t time,
                        const NamedFrame** frames);

/* The function of the kernel at an address.  */
Function* names_of_kernel(uint64_t address);

/* Says that no sample comes any more: now the kernel's and late JIT names are looked up,
   too.  */
void names_end(void);

/* What a frame stands for, outermost first: the same frame, or what was found in its
   place.  How many there are, at least 1; the result stays up to the next call.  */
unsigned names_resolve(NamedFrame frame, const NamedFrame** frames);

/* What stands for callers that are missing: "[truncated]" or "[unknown callers]"; for
   folded code without a visible caller; and for user code that was not looked at.  */
Function* names_of_missing(bool too_deep);
Function* names_of_skipped(void);

/* The object of the kernel, and that of JIT code.  */
Object* names_kernel_object(void);
Object* names_jit_object(void);

#endif
