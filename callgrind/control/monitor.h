/* SPDX-License-Identifier: GPL-2.0-or-later

   Monitor commands: what vgdb, gdb and callgrind_control ask of a running program.  */

#ifndef CALLGRIND_MONITOR_H
#define CALLGRIND_MONITOR_H

#include "core_version.h"

/* Carries out one command line.  False if it is not a command of this tool; the core then
   goes on with it.  */
Bool monitor_handle(const HChar* command);

#endif
