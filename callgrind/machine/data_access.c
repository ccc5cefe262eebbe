/* SPDX-License-Identifier: GPL-2.0-or-later

   See data_access.h: the helpers for any host.  */

#include "machine/data_access.h"

#include "machine/data_access_code.h"

DataAccessHelpers data_access_helpers(const FirstLevel* d1) { return helpers_for(d1); }
