/* SPDX-License-Identifier: GPL-2.0-or-later

   See data_access_avx2.h.  A compiler that knows neither pragma makes the helpers for any
   host once more.  */

#include "core_version.h"

#if defined VGA_amd64 && defined __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#elif defined VGA_amd64
#pragma GCC target("avx2")
#endif

#include "machine/data_access_avx2.h"

#include "machine/data_access_code.h"

DataAccessHelpers data_access_avx2_helpers(const FirstLevel* d1)
{
   return helpers_for(d1);
}

#if defined VGA_amd64 && defined __clang__
#pragma clang attribute pop
#endif
