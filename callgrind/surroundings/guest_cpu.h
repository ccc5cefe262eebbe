/* SPDX-License-Identifier: GPL-2.0-or-later

   The processor that the guest sees (--guest-cpu): what CPUID answers, the time stamp
   counter, the random numbers of RDRAND and RDSEED, and AT_HWCAP.

   VEX translates for the host as ever.  The guest is only told of less, or of the same,
   so a host has to have what the level promises.  */

#ifndef CALLGRIND_GUEST_CPU_H
#define CALLGRIND_GUEST_CPU_H

#include "core_version.h"

/* Ends the program with a message if the host, or this build, cannot give the guest the
   processor that was asked for.  To be called once, after options_finish().  */
void guest_cpu_init(void);

/* The name of the level, or "host".  */
const HChar* guest_cpu_name(void);

/* Sets *hwcap to what the auxiliary vector says of the level's instructions; False if
   the guest sees the host's processor.  */
Bool guest_cpu_hwcap(ULong* hwcap);

#endif
