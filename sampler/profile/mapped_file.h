/* SPDX-License-Identifier: GPL-2.0-or-later

   From a mapping to the file that was mapped: that file, and never another one which has
   its name by now.  */

#ifndef SAMPLER_MAPPED_FILE_H
#define SAMPLER_MAPPED_FILE_H

#include "profile/address_space.h"

/* The object of a mapping in process `pid`.  An object without contents where the file is
   gone or has changed; NULL where the mapping is of no file.  */
Object* mapped_file_object(uint32_t pid, const Mapping* mapping);

#endif
