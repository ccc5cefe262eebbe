/* SPDX-License-Identifier: BSD-2-Clause
   ----------------------------------------------------------------

   Notice that the following BSD-style license applies to this one
   file (callgrind.h) only.  The rest of callgrind-exact is licensed
   under the terms of the GNU General Public License, version 2 or
   later.  See the LICENSE file in the source distribution.

   ----------------------------------------------------------------

   Copyright (C) 2026 The callgrind-exact developers.  All rights reserved.

   Redistribution and use in source and binary forms, with or without
   modification, are permitted provided that the following conditions
   are met:

   1. Redistributions of source code must retain the above copyright
      notice, this list of conditions and the following disclaimer.

   2. Redistributions in binary form must reproduce the above copyright
      notice, this list of conditions and the following disclaimer in the
      documentation and/or other materials provided with the distribution.

   THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS "AS IS" AND ANY
   EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
   WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
   DISCLAIMED.  IN NO EVENT SHALL THE COPYRIGHT HOLDERS BE LIABLE FOR ANY
   DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
   (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
   SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
   CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
   LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY
   OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH
   DAMAGE.
*/

/* Requests that a program makes of callgrind while it runs under it.

   Outside Valgrind each macro is a handful of instructions without effect, so
   they may stay in release builds.  Compile with -DNVALGRIND to drop them
   altogether.  */

#ifndef __CALLGRIND_H
#define __CALLGRIND_H

#include "valgrind.h"

/* These numbers are an ABI: programs compiled long ago carry them.  Never
   reorder, never remove; new requests go to the end.  'C','T' stands for
   "calltree", the tool's first name.  */
typedef enum {
   VG_USERREQ__DUMP_STATS = VG_USERREQ_TOOL_BASE('C', 'T'),
   VG_USERREQ__ZERO_STATS,
   VG_USERREQ__TOGGLE_COLLECT,
   VG_USERREQ__DUMP_STATS_AT,
   VG_USERREQ__START_INSTRUMENTATION,
   VG_USERREQ__STOP_INSTRUMENTATION,
   VG_USERREQ__ADD_OBJ_SKIP,
   VG_USERREQ__ADD_DESC,

   /* Far from the others, which come from other versions of callgrind too.  */
   VG_USERREQ__TIMELINE_MARK = VG_USERREQ_TOOL_BASE('C', 'T') + 0x4d00
} Vg_CallgrindClientRequest;

/* Write all costs counted so far as one part of the profile, then set them to
   zero.  */
#define CALLGRIND_DUMP_STATS                                                             \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DUMP_STATS, 0, 0, 0, 0, 0)

/* As CALLGRIND_DUMP_STATS; the part's header names `reason`, a string, as what triggered
   it.  */
#define CALLGRIND_DUMP_STATS_AT(reason)                                                  \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DUMP_STATS_AT, reason, 0, 0, 0, 0)

/* Set all costs counted so far to zero.  */
#define CALLGRIND_ZERO_STATS                                                             \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__ZERO_STATS, 0, 0, 0, 0, 0)

/* Switch collection off where it is on, and on where it is off.  Calls and
   returns are followed all the time; costs are added up only while collection
   is on.  */
#define CALLGRIND_TOGGLE_COLLECT                                                         \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__TOGGLE_COLLECT, 0, 0, 0, 0, 0)

/* Begin to measure.  With --instr-atstart=no, everything before runs at the
   speed of --tool=none.  */
#define CALLGRIND_START_INSTRUMENTATION                                                  \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__START_INSTRUMENTATION, 0, 0, 0, 0, 0)

/* Cease to measure.  Costs counted so far are kept until the next dump.  */
#define CALLGRIND_STOP_INSTRUMENTATION                                                   \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__STOP_INSTRUMENTATION, 0, 0, 0, 0, 0)

/* From now on fold the functions of the object at `path` (a string; wildcards * and ?)
   into their callers, as --obj-skip=path does; in programs that this one executes,
   too.  */
#define CALLGRIND_ADD_OBJ_SKIP(path)                                                     \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__ADD_OBJ_SKIP, path, 0, 0, 0, 0)

/* Put `text`, a string of the form "name: value", into the header of the part that is
   written next, as a line `desc: name: value`.  */
#define CALLGRIND_ADD_DESC(text)                                                         \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__ADD_DESC, text, 0, 0, 0, 0)

/* Mark this moment with `text`, a string, on the timeline (--timeline=yes).  Versions of
   callgrind that do not know this request print a warning and go on.  */
#define CALLGRIND_TIMELINE_MARK(text)                                                    \
   VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__TIMELINE_MARK, text, 0, 0, 0, 0)

#endif
