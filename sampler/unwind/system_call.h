/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls in functions of which nothing says where their caller is.  A C library's
   clone() has no call frame information from its system call on, as that returns twice:
   to the caller, and on the stack of a new thread, which has none.  */

#ifndef SAMPLER_SYSTEM_CALL_H
#define SAMPLER_SYSTEM_CALL_H

#include "code/object.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a thread that is at `address` of the file comes out of a system call.  */
bool system_call_is_before(const Object* object, uint64_t address);

/* Whether a call is right before `address`, where calls push their return address: so
   this may be one.  */
bool system_call_is_behind_call(const Object* object, uint64_t address);

#endif
