/* SPDX-License-Identifier: GPL-2.0-or-later

   What the command line says of debug information: options of the core's own, of which
   its headers do not tell.  Each answer is that of the core's default where the core does
   not have the option by this name.  */

#ifndef CALLGRIND_DEBUG_OPTIONS_H
#define CALLGRIND_DEBUG_OPTIONS_H

#include "core_version.h"

#ifdef HAVE_CORE_INLINE_OPTION
extern Bool VG_(clo_read_inline_info);
#endif
#ifdef HAVE_CORE_EXTRA_DEBUG_FOLDER
extern const HChar* VG_(clo_extra_debuginfo_path);
#endif

#ifdef CORE_CAN_READ_LINES_LATE
extern Bool VG_(clo_read_var_info);
extern Bool VG_(clo_keep_debuginfo);
extern const HChar* VG_(clo_debuginfo_server);

/* Is nothing but lines, inlined functions and call frame information read of an object,
   of files on this machine, and forgotten with the object?  */
static inline Bool core_reads_code_alone(void)
{
   return !VG_(clo_read_var_info) && !VG_(clo_keep_debuginfo) &&
          VG_(clo_debuginfo_server) == NULL;
}
#endif

/* --read-inline-info */
static inline Bool core_reads_inline_info(void)
{
#ifdef HAVE_CORE_INLINE_OPTION
   return VG_(clo_read_inline_info);
#else
   return False;
#endif
}

/* --extra-debuginfo-path; "" if it is not given.  */
static inline const HChar* core_extra_debug_folder(void)
{
#ifdef HAVE_CORE_EXTRA_DEBUG_FOLDER
   if (VG_(clo_extra_debuginfo_path) != NULL)
      return VG_(clo_extra_debuginfo_path);
#endif
   return "";
}

#endif
