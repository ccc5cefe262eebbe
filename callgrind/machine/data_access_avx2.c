/* SPDX-License-Identifier: GPL-2.0-or-later

   The helpers of data_access.h for hosts with AVX2, which the caller has made sure of.  A
   compiler that does not know the pragma makes those for any host once more.  */

#include "core_version.h"

#ifdef VGA_amd64
#pragma GCC target("avx2")
#endif

#include "machine/data_access.h"

SimulationHelpers data_access_avx2_helpers(const FirstLevel* d1)
{
   return helpers_for(d1);
}
