/* SPDX-License-Identifier: GPL-2.0-or-later

   The functions that generated code calls for CPUID, the time stamp counter and random
   numbers: VEX's calls of them are led here (--wrap), and can be answered otherwise.

   VEX has one for CPUID for each level that it emulates, and chooses by the host.  Their
   answers are constants; three bits are passed to one.  */

#ifndef CALLGRIND_GUEST_PROCESSOR_H
#define CALLGRIND_GUEST_PROCESSOR_H

#include "core_version.h"

/* The last one is CpuidAvx2, and AVX-512 as servers have it.  */
typedef enum { CpuidSse42, CpuidAvx2, CpuidAvx512 } CpuidLevel;

typedef struct {
   CpuidLevel level;          /* which of VEX's levels answers CPUID */
   ULong (*time_stamp)(void); /* of RDTSC and RDTSCP, on processor 0 of node 0 */
   UInt (*random_bits)(void); /* of RDRAND and RDSEED */
} CoreGuestProcessor;

/* What XGETBV answers with AVX-512; VEX makes a constant of it.  */
#define CORE_WIDE_COMPONENTS 0xe7

/* From now on it is this one, which stays the caller's.  Without, it is the one that VEX
   makes of the host; so it is where VEX cannot be led here
   (CORE_CPUID_CAN_BE_WRAPPED).  */
void core_guest_processor_set(const CoreGuestProcessor* processor);

/* Leads what `code` calls for CPUID and the like here, if a processor has been set: VEX
   may have named its own functions in spite of the linker.  */
void core_guest_processor_lead(IRSB* code);

#endif
