/* SPDX-License-Identifier: GPL-2.0-or-later

   A thread's registers on their way between the guest's state, which the core keeps, and
   the processor.

   The core keeps less than the processor has: no 80 bits of the x87, of MXCSR the
   rounding alone.  So all that the processor had when the thread came back is kept as
   well, and is loaded again as far as the guest's state has not been changed since.  What
   AVX-512 has beyond that state is kept behind it (core/wide_state.h).  */

#ifndef CALLGRIND_STATE_H
#define CALLGRIND_STATE_H

#include "core_version.h"

#ifdef CORE_CAN_RUN_NATIVELY

/* Of the guest's state, what stands for the x87 and MXCSR.  */
typedef struct {
   ULong registers[8];
   UChar tags[8];
   ULong conditions;
   ULong rounding, rounding_of_vectors;
   ULong top;
} KeptFloats; /* all in words, without a gap */

/* Of one thread.  All zeros: nothing is known of the processor's.  */
typedef struct {
   UChar* area; /* as XSAVE lays it out, for the thread's next way in */
   KeptFloats floats;
   Bool is_known; /* the area holds what the processor had, and floats is what became of
                     it */
} NativeState;

/* What the way in loads: general registers in the order of their numbers.  */
typedef struct {
   ULong general[16];
   ULong instruction_pointer, flags;
   ULong components_low, components_high; /* of XRSTOR */
   const UChar* area;
} NativeRegisters;

/* Looks at the processor.  NULL, or why registers cannot be loaded here.  To be called
   once, first.  */
const HChar* native_state_set_up(void);

/* The system saves more than VEX's XSAVE knows: AVX-512 or the like is there.  */
Bool native_state_is_wide(void);

/* Has it AVX-512's state, which is handed over with the rest?  */
Bool native_state_has_wide(void);

/* Sets *registers to what the guest's state says, for the way in.  */
void native_state_load(NativeState* state, VexGuestAMD64State* guest,
                       NativeRegisters* registers);

/* Sets the guest's state to what the processor had when a signal came.  */
void native_state_save(NativeState* state, VexGuestAMD64State* guest,
                       const struct vki_ucontext* context);

/* Likewise to these registers, and to what XSAVE has saved in an area.  */
void native_state_save_registers(NativeState* state, VexGuestAMD64State* guest,
                                 const NativeRegisters* registers, const UChar* area);

/* What the way in loads, as XSAVE and XRSTOR count them; and a new area for it, which
   stays.  */
ULong native_state_components(void);
UChar* native_state_new_area(void);

#endif

#endif
