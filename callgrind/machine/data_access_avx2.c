/* SPDX-License-Identifier: GPL-2.0-or-later

   See data_access_avx2.h.  A compiler that does not know the pragma makes the helpers for
   any host once more.  */

#include "core_version.h"

#ifdef VGA_amd64
#pragma GCC target("avx2")
#endif

#include "machine/data_access_avx2.h"

#include "machine/data_access_code.h"

DataAccessHelpers data_access_avx2_helpers(const FirstLevel* d1)
{
   return helpers_for(d1);
}
