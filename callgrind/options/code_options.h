/* SPDX-License-Identifier: GPL-2.0-or-later

   Which options shape generated code.  */

#ifndef CALLGRIND_CODE_OPTIONS_H
#define CALLGRIND_CODE_OPTIONS_H

#include "core_version.h"

/* A hash of all options of the command line, but for those that are known not to matter
   for generated code: where files go, when profiles are dumped, what is said.  The same
   in every run with the same options.  Fast.  */
ULong code_options_hash(void);

#endif
