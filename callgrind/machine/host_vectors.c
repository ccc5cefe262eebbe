/* SPDX-License-Identifier: GPL-2.0-or-later

   See host_vectors.h.  */

#include "machine/host_vectors.h"

#include "core/host_processor.h"

Bool host_has_avx2(void)
{
   VexArch arch;
   UInt hwcaps;
   return core_host_processor(&arch, &hwcaps) && arch == VexArchAMD64 &&
          (hwcaps & VEX_HWCAPS_AMD64_AVX2) != 0;
}
