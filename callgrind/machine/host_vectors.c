/* SPDX-License-Identifier: GPL-2.0-or-later

   See host_vectors.h.  */

#include "machine/host_vectors.h"

#ifdef CORE_TELLS_HOST
Bool host_has_avx2(void)
{
   VexArch arch;
   VexArchInfo host;
   VG_(machine_get_VexArchInfo)(&arch, &host);
   return arch == VexArchAMD64 && (host.hwcaps & VEX_HWCAPS_AMD64_AVX2) != 0;
}
#else
Bool host_has_avx2(void) { return False; }
#endif
