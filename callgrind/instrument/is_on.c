/* SPDX-License-Identifier: GPL-2.0-or-later

   See is_on.h.  Owns the state.  */

#include "instrument/is_on.h"

static Bool is_on;

Bool instrumentation_is_on(void) { return is_on; }

void instrumentation_set(Bool on) { is_on = on; }
