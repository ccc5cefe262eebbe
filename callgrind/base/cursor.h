/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading numbers from bytes of which nothing may be believed.  A cursor knows where what
   it reads must end.  Reading past that gives zeros, and marks the cursor as failed; it
   stays so, so that a reader may ask once, at its end.  */

#ifndef CALLGRIND_CURSOR_H
#define CALLGRIND_CURSOR_H

#include "core_version.h"

typedef struct {
   const UChar* bytes;
   ULong offset, end; /* of the next byte, and one past the last; offset <= end */
   Bool failed;
} Cursor;

/* The number in the next `size` bytes, at most eight, in the host's byte order.  */
ULong cursor_number(Cursor* at, UInt size);

/* A number of variable length (LEB128), of at most 16 bytes.  */
ULong cursor_unsigned(Cursor* at);
Long cursor_signed(Cursor* at);

/* Passes over so many bytes.  */
void cursor_skip(Cursor* at, ULong size);

/* The text up to the next NUL, behind which it goes on; "" if there is none.  */
const HChar* cursor_text(Cursor* at);

#endif
