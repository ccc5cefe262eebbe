/* SPDX-License-Identifier: GPL-2.0-or-later

   The folder that translations are kept in from run to run (docs/translation-cache.md).

   What lies there is run as the user's own code.  So it must be a folder that belongs to
   the user, and that nobody else may open; otherwise it is not used.  */

#ifndef CALLGRIND_CACHE_FOLDER_H
#define CALLGRIND_CACHE_FOLDER_H

#include "core_version.h"

/* No name that the cache gives to a file is longer, with its end; how they end; and how
   those begin that are being written.  */
#define CACHE_FOLDER_NAME 96
#define CACHE_FOLDER_END ".code"
#define CACHE_FOLDER_NEW "new-"

/* The absolute path of the folder that `choice` names: "no", "yes" (the user's own, in
   the cache folder of the system's conventions), or a path.  NULL if there is to be none,
   or if it is not known where: then *reason says why in words, otherwise it is NULL.  */
const HChar* cache_folder_path(const HChar* choice, const HChar** reason);

/* Opens the folder, and makes it if it is not there.  -1 if it cannot be used: then
   *reason says why.  To be closed soon: the program must not come upon it.  */
Int cache_folder_open(const HChar* path, const HChar** reason);

/* Removes the cache's files that were not used for longest, until all of them together
   have no more than `limit` bytes; and what was left half written long ago.  What else
   lies in the folder stays.  To be called when a file has just been written.  */
void cache_folder_shrink(Int folder, ULong limit);

/* Notes that a file is used.  */
void cache_folder_used(Int folder, const HChar* name);

#endif
