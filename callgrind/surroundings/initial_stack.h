/* SPDX-License-Identifier: GPL-2.0-or-later

   What a program finds on its stack when it starts, at the same addresses whatever the
   length of environment, arguments and paths: arguments, environment, auxiliary
   vector.  */

#ifndef CALLGRIND_INITIAL_STACK_H
#define CALLGRIND_INITIAL_STACK_H

#include "core_version.h"

/* From now on until the program runs: when the core has set up its registers, what lies
   on the stack is laid out anew.  */
void initial_stack_fix(void);

/* Of the program that runs: what it was given.  All are 0 if nothing was fixed.  */
typedef struct {
   UInt n_variables;      /* of the environment, as it was given */
   UInt environment_size; /* bytes, with the zeros that end texts */
   UInt n_hidden;         /* variables that the program does not see */
   UInt n_arguments;      /* without the program's name */
   UInt arguments_size;
   UInt program_path_length;
   Addr stack_pointer; /* where the stack begins */
} InitialStack;

const InitialStack* initial_stack_facts(void);

#endif
