/* SPDX-License-Identifier: GPL-2.0-or-later

   Client requests: what the profiled program asks for through include/callgrind.h.  */

#ifndef CALLGRIND_REQUESTS_H
#define CALLGRIND_REQUESTS_H

#include "core_version.h"

/* The core's callback.  arguments[0] is the code of the request, the others are its
   arguments.  True if it is a request of this tool, which has been carried out; *result
   is what the program gets.  */
Bool requests_handle(ThreadId thread, UWord* arguments, UWord* result);

#endif
