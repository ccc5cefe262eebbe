/* SPDX-License-Identifier: GPL-2.0-or-later

   A digest of what instrumentation adds to a superblock.  If it is the same in two runs,
   the same code is added, but for the constants that relocations.h knows: while these are
   placeholders, the digest does not depend on them.  */

#ifndef CALLGRIND_IR_DIGEST_H
#define CALLGRIND_IR_DIGEST_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* The digest of the statements of `out` that are not also those of `in`.  An exit of `in`
   may have been given another guard: it counts as added, in its place.  0: there is none,
   since it is not known how to digest something of it.  */
ULong ir_digest(const IRSB* out, const IRSB* in);

#endif
