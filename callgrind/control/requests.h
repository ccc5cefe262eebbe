/* SPDX-License-Identifier: GPL-2.0-or-later

   What the profiled program asks for through include/callgrind.h.  */

#ifndef CALLGRIND_REQUESTS_H
#define CALLGRIND_REQUESTS_H

#include "core_version.h"

/* The core's callback: arguments[0] is the request's code.  True if it was one
   of this tool and was handled.  */
Bool requests_handle(ThreadId thread, UWord* arguments, UWord* result);

#endif
