/* SPDX-License-Identifier: GPL-2.0-or-later

   From places in code to functions: the kernel's, JIT code's, those of files, and those
   that are inlined.  Owns the functions; each is one, however often it is asked for.  */

#ifndef SAMPLER_NAMES_H
#define SAMPLER_NAMES_H

#include "process.h"

/* The letters of docs/tree-format.md.  */
#define KIND_CALL 0
#define KIND_INLINED 'i'
#define KIND_JIT 'j'
#define KIND_KERNEL 'k'
#define KIND_SKIPPED 's'
#define KIND_MISSING 't'

typedef struct Function {
   struct Function* next; /* of those with the same hash */
   Object* object;        /* NULL: in no object */
   char* name;
   char* source; /* NULL: not known */
   unsigned line;
   bool is_named; /* false: `name` is an address */
   /* Code of a JIT that had not been told when it was sampled.  */
   Process* unknown_in;
   uint64_t address, time;
   unsigned id; /* in the file that we write; 0 before */
} Function;

typedef struct {
   Function* function;
   char kind;
} NamedFrame;

#define NAMES_MOST 64

/* The functions at a place of user code in `process` at a time, outermost first: one, and
   those that are inlined into it.  How many there are, at least 1; the result stays to the
   end, or up to the next call.  */
unsigned names_of_place(Process* process, const CodePlace* place, uint64_t time,
                        const NamedFrame** frames);

/* The function of the kernel at an address.  */
Function* names_of_kernel(uint64_t address);

/* What stands for callers that are missing: "[truncated]" or "[unknown callers]"; for
   folded code without a visible caller; and for user code that was not looked at.  */
Function* names_of_missing(bool too_deep);
Function* names_of_skipped(void);

/* A function whose name was not known, when all was written: itself, or another.  */
Function* names_look_again(Function* function);

/* The object of the kernel, and that of JIT code.  */
Object* names_kernel_object(void);
Object* names_jit_object(void);

#endif
