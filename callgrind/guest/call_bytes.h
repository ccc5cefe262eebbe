/* SPDX-License-Identifier: GPL-2.0-or-later

   Is there a call instruction in front of a return address?  The unwinder's answer
   for a stack without call frame information is a guess; this tells a guess that
   cannot be right.  The only place that looks at guest machine code.  */

#ifndef CALLGRIND_CALL_BYTES_H
#define CALLGRIND_CALL_BYTES_H

#include "core_version.h"

/* The address of the call instruction that ends right before `return_address`; 0 if
   there is none, or if the bytes cannot be read.  On architectures whose call
   instructions are not known here, the address before it.  */
Addr call_bytes_before(Addr return_address);

/* Where the call instruction at `call` goes, if it says so itself; 0 if that is in a
   register or in memory, or not known.  */
Addr call_bytes_target(Addr call);

/* The address of the system call instruction that ends right before `address`; 0 if
   there is none, or on architectures where it is not known here.  */
Addr call_bytes_system_call_before(Addr address);

/* Does the code at `address` return from a signal handler?  (The kernel's or libc's
   sigreturn stub: what lies below it was not called.)  */
Bool call_bytes_is_sigreturn(Addr address);

/* Does a compiler's retpoline or return thunk begin at `address`?  They are known by
   name where there is one.  */
Bool call_bytes_is_thunk(Addr address);

#endif
