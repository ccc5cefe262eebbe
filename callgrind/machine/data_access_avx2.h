/* SPDX-License-Identifier: GPL-2.0-or-later

   The helpers of data_access.h, for hosts with AVX2, where rows of tags (sim/linetags.h)
   are searched and moved at once.  */

#ifndef CALLGRIND_DATA_ACCESS_AVX2_H
#define CALLGRIND_DATA_ACCESS_AVX2_H

#include "machine/data_access.h"

/* Those for this D1.  The caller has made sure that the host has AVX2.  */
DataAccessHelpers data_access_avx2_helpers(const FirstLevel* d1);

#endif
