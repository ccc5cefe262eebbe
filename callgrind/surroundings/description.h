/* SPDX-License-Identifier: GPL-2.0-or-later

   What a profile says of the surroundings in which it was measured, so that two profiles
   can be compared in that as well.  */

#ifndef CALLGRIND_DESCRIPTION_H
#define CALLGRIND_DESCRIPTION_H

#include "core_version.h"

/* Receives one line: what it is about, without a colon, and how that was.  */
typedef void DescriptionSink(void* data, const HChar* name, const HChar* value);

/* Passes all lines to the sink; without --steady=yes only that of --layout=names.  */
void description_tell(DescriptionSink* sink, void* data);

#endif
