/* SPDX-License-Identifier: GPL-2.0-or-later

   Functions that are written into each of their callers: parts of what generated code
   calls, where a call, or an argument that is no constant, would take longer than the
   part itself.  */

#ifndef CALLGRIND_ALWAYS_INLINE_H
#define CALLGRIND_ALWAYS_INLINE_H

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
