/* SPDX-License-Identifier: GPL-2.0-or-later

   See simulators.h.  Owns them; simulation.c makes them.  */

#include "machine/simulators.h"

Simulators simulators;
