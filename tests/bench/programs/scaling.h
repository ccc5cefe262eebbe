/* SPDX-License-Identifier: GPL-2.0-or-later

   What the two files of the program `scaling` share.  */

typedef struct {
   const char* name;
   void (*run)(unsigned n);
} Kind;

/* Those of scaling_stacks.c; the last one has no name.  */
extern const Kind stack_kinds[];

extern unsigned long sum; /* shows that all was executed */

/* A function that is called.  */
unsigned leaf(unsigned n);
