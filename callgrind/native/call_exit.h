/* SPDX-License-Identifier: GPL-2.0-or-later

   Out of native code for a system call, without a signal.  Nothing of the program's stack
   is touched, below which it may have something.  */

#ifndef CALLGRIND_CALL_EXIT_H
#define CALLGRIND_CALL_EXIT_H

#include "native/state.h"

#ifdef CORE_CAN_RUN_NATIVELY

/* Jumped to by native code, with all registers as they are at `syscall`, but %rcx, which
   holds the address behind it.  Saves them, and calls what was given to
   native_call_exit_init().  */
extern void native_call_exit(void);

/* `left(area)` is called with the registers in native_registers, and with what XSAVE
   saves; it does not return.  To be called once, after native_state_set_up().  */
typedef void NativeCallLeft(const UChar* area);
void native_call_exit_init(NativeCallLeft* left);

#endif

#endif
