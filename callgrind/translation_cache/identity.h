/* SPDX-License-Identifier: GPL-2.0-or-later

   What stored code depends on besides the guest's: the build of the tool (which contains
   the core and VEX, and whose addresses are in the code), the host, and VEX's settings.
   Only code that was stored under the same identity is used.  */

#ifndef CALLGRIND_IDENTITY_H
#define CALLGRIND_IDENTITY_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* Sets two numbers that tell this build of the tool from all others.  False if it is not
   known.  */
Bool identity_of_build(ULong* identity);

/* Sets the two numbers of the identity.  False if the build of the tool is not known.
   Which registers are kept exact, and whether jumps are followed, are settings that
   change while the program runs; they are not part of it.  */
Bool identity_find(const VexTranslateArgs* arguments, ULong* identity);

#endif
