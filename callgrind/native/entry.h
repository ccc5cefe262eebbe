/* SPDX-License-Identifier: GPL-2.0-or-later

   The way in: from the core's dispatcher to the program's own code on the processor; and
   which thread is there.

   The core is given native_entry as if it were the translation of the code at the guest's
   instruction pointer.  Only the thread that has the core's lock comes here, so one at a
   time runs natively.  The way out is exit.h.  */

#ifndef CALLGRIND_ENTRY_H
#define CALLGRIND_ENTRY_H

#include "native/state.h"

#ifdef CORE_CAN_RUN_NATIVELY

/* What the way in loads.  */
extern NativeRegisters native_registers;

/* Called on the way in, with the guest's state: sets native_registers, and what else the
   program's code needs of the system.  */
typedef void NativePreparation(VexGuestAMD64State* guest);
void native_entry_init(NativePreparation* preparation);

/* Code, to be entered as a translation is.  */
extern void native_entry(void);

/* The guest's state of the thread that runs natively; NULL: none does.  On the way in it
   is set before the last registers are, and native_is_own_code() tells that apart.  */
VexGuestAMD64State* native_running(void);

/* A signal's handler takes it over: to leave for good, or until
   native_goes_on().  */
void native_stops_running(void);
void native_goes_on(VexGuestAMD64State* guest);

/* Is this an address of the tool's and the core's own code?  There system calls are not
   dispatched.  */
Bool native_is_own_code(Addr address);
Addr native_own_code_start(void);
SizeT native_own_code_size(void);

#endif

#endif
