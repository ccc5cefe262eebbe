/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads guest machine code: is there a call instruction in front of a return address?
   Where a stack has no call frame information the unwinder guesses; this finds guesses
   that cannot be right.  */

#ifndef CALLGRIND_CALL_BYTES_H
#define CALLGRIND_CALL_BYTES_H

#include "core_version.h"

/* The address of the call instruction that ends right before `return_address`; 0 if
   there is none, or if the bytes cannot be read.  On architectures whose call
   instructions are not known here, the address before it.  */
Addr call_bytes_before(Addr return_address);

/* The target of the direct call at `call`; 0 if the call is indirect, or on architectures
   where calls are not known here.  */
Addr call_bytes_target(Addr call);

/* The address of the system call instruction that ends right before `address`; 0 if
   there is none, or on architectures where it is not known here.  */
Addr call_bytes_system_call_before(Addr address);

/* True if the code at `address` returns from a signal handler: the kernel's or libc's
   sigreturn stub.  What lies below it on the stack was not called.  */
Bool call_bytes_is_sigreturn(Addr address);

/* True if a compiler's retpoline or return thunk begins at `address`.  Where it has a
   symbol, its name tells.  */
Bool call_bytes_is_thunk(Addr address);

#endif
