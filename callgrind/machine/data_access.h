/* SPDX-License-Identifier: GPL-2.0-or-later

   Accesses to data by code that has checked for MRU hits inline: the helpers that are
   called most.  data_access.c has them for any host, data_access_avx2.c for those with
   AVX2; the code of both is data_access_code.h.  */

#ifndef CALLGRIND_DATA_ACCESS_H
#define CALLGRIND_DATA_ACCESS_H

#include "machine/access_helpers.h"
#include "sim/firstlevel.h"

/* Those for this D1.  */
DataAccessHelpers data_access_helpers(const FirstLevel* d1);

#endif
