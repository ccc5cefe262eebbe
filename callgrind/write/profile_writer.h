/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes the model as a part of a profile in the callgrind format (version 1; the format
   is described on the page cl-format of Valgrind's manual).  Reads the model and changes
   nothing in it.  */

#ifndef CALLGRIND_PROFILE_WRITER_H
#define CALLGRIND_PROFILE_WRITER_H

#include "write/profile_header.h"

/* Writes one part.  `total` is profile_total() of the thread that `header` names.  */
void profile_writer_write(Output* output, const PartHeader* header, const ULong* total);

#endif
