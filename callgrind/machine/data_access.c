/* SPDX-License-Identifier: GPL-2.0-or-later

   The helpers of data_access.h for any host.  */

#include "machine/data_access.h"

SimulationHelpers data_access_helpers(const FirstLevel* d1) { return helpers_for(d1); }
