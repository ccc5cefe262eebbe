/* SPDX-License-Identifier: GPL-2.0-or-later

   What the core writes to its log, made safe to print.

   Messages of the tool make names printable themselves (base/text.h).  The core does not:
   the command, unknown options and files of which it complains would reach the terminal
   as they are.  So its VG_(write) is led here at link time (configure.ac): in what goes
   to the log, each byte of a control character but \n and \t, and each that is not part
   of a character in UTF-8, becomes \xHH.  All else that is written stays as it is.

   The tool only asks whether that is so.  */

#ifndef CALLGRIND_LOG_WRITES_H
#define CALLGRIND_LOG_WRITES_H

#include "core_version.h"

#ifdef CORE_LOG_CAN_BE_ESCAPED
Int __wrap_vgPlain_write(Int fd, const void* bytes, Int n);
#endif

/* Has the core written to its log without coming here?  To be called once it has written
   something.  */
Bool core_log_passes_by(void);

#endif
