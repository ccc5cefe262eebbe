/* SPDX-License-Identifier: GPL-2.0-or-later

   The helpers of data_access.h for any host.  */

#include "machine/data_access.h"

SimulationHelpers data_access_helpers(UInt ways) { return helpers_for(ways); }
