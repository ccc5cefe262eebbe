/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls on files whose errors the core's own functions do not report: VG_(close)
   returns nothing, VG_(rename) does not say why it failed, and there is no
   VG_(ftruncate).

   An error is the number of the system's (VKI_E...), 0 if there was none.  */

#ifndef CALLGRIND_FILE_CALLS_H
#define CALLGRIND_FILE_CALLS_H

#include "core_version.h"

/* An error of which the number is not known.  */
#define FILE_ERROR_UNKNOWN (~0u)

/* Closes `fd`.  File systems over a network, or with quotas, may report only now that
   something could not be written.  Whatever the error, `fd` is not open any more.  */
UInt file_close(Int fd);

/* Gives the file `from` the name `to`, in place of a file that has that name.  */
UInt file_rename(const HChar* from, const HChar* to);

/* Cuts the file back to its first `length` bytes.  */
UInt file_truncate(Int fd, Off64T length);

/* What an error means, in words: the last part of a message.  Valid until the next
   call.  */
const HChar* file_error_text(UInt error);

#endif
