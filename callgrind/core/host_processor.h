/* SPDX-License-Identifier: GPL-2.0-or-later

   What the host's processor has.  */

#ifndef CALLGRIND_HOST_PROCESSOR_H
#define CALLGRIND_HOST_PROCESSOR_H

#include "core_version.h"

#ifdef HAVE_VG_MACHINE_ARCH_INFO
extern void VG_(machine_get_VexArchInfo)(VexArch* arch, VexArchInfo* info);
#endif

/* Sets *arch to the kind of processor, and *hwcaps to VEX's bits of what it has.  False,
   and both are unknown, where the core cannot be asked.  */
static inline Bool core_host_processor(VexArch* arch, UInt* hwcaps)
{
#ifdef HAVE_VG_MACHINE_ARCH_INFO
   VexArchInfo info;
   VG_(machine_get_VexArchInfo)(arch, &info);
   *hwcaps = info.hwcaps;
   return True;
#else
   (void)arch, (void)hwcaps;
   return False;
#endif
}

#endif
