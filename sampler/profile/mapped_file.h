/* SPDX-License-Identifier: GPL-2.0-or-later

   From a mapping to the file that was mapped, and never to another file that has its name
   by now.  */

#ifndef SAMPLER_MAPPED_FILE_H
#define SAMPLER_MAPPED_FILE_H

#include "code/process_view.h"
#include "profile/address_space.h"

/* The object of a mapping in a process, which is looked at again if need be.  It cannot
   be read if the file is gone or has changed.  NULL if the mapping is not of a file.  */
Object* mapped_file_object(ProcessView* view, const Mapping* mapping);

#endif
