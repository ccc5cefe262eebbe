/* SPDX-License-Identifier: GPL-2.0-or-later

   What the core has laid out for the program before it starts: what is needed to lay it
   out anew (surroundings/initial_stack.c).  */

#ifndef CALLGRIND_CLIENT_STACK_H
#define CALLGRIND_CLIENT_STACK_H

#include "core_version.h"

#ifdef HAVE_INITIAL_STACK_SYMBOLS

#define CORE_CAN_FIX_STACK 1

/* Lets the stack of the thread grow down to `address`; False if it cannot.  */
extern Bool VG_(extend_stack)(ThreadId thread, Addr address);

/* The environment and the auxiliary vector on the program's stack, and the core's file of
   what /proc/self/auxv shall say, or -1.  */
extern HChar** VG_(client_envp);
extern UWord* VG_(client_auxv);
extern Int VG_(cl_auxv_fd);

#endif

#endif
