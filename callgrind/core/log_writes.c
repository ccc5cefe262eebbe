/* SPDX-License-Identifier: GPL-2.0-or-later

   See log_writes.h.  A message may come in pieces, so what is known of a character that
   has begun is kept from one to the next.  */

#include "core/log_writes.h"

#ifdef CORE_LOG_CAN_BE_ESCAPED

Int __real_vgPlain_write(Int fd, const void* bytes, Int n);

/* Where the log goes.  The core's own declaration has more behind this.  */
extern struct {
   Int fd;
} VG_(log_output_sink);

/* Of the character in UTF-8 that has begun.  */
static UInt n_missing; /* bytes */
static Bool is_after_c2;

static Bool has_arrived; /* what goes to the log */

/* Between the beginning and the end of a character.  */
static Bool is_continuation(UChar byte)
{
   Bool is_control = is_after_c2 && byte < 0xa0; /* U+0080 to U+009F */
   is_after_c2 = False;
   if (n_missing == 0)
      return False;
   n_missing--;
   return !is_control;
}

static Bool is_printable(UChar byte)
{
   if ((byte & 0xc0) == 0x80)
      return is_continuation(byte);
   is_after_c2 = byte == 0xc2;
   n_missing = byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
   if (byte < 0x80)
      return (byte >= ' ' && byte != 0x7f) || byte == '\n' || byte == '\t';
   if (byte >= 0xc2 && byte <= 0xf4)
      return True;
   n_missing = 0;
   return False;
}

#define MAX_ESCAPED 4 /* bytes, for one */

/* Writes what `n` bytes become to `escaped`; returns how many that are.  */
static Int escape(const UChar* bytes, Int n, HChar* escaped)
{
   static const HChar digits[] = "0123456789abcdef";
   HChar* end = escaped;
   for (Int i = 0; i < n; i++) {
      if (is_printable(bytes[i])) {
         *end++ = (HChar)bytes[i];
         continue;
      }
      *end++ = '\\';
      *end++ = 'x';
      *end++ = digits[bytes[i] >> 4];
      *end++ = digits[bytes[i] & 0xf];
   }
   return (Int)(end - escaped);
}

Int __wrap_vgPlain_write(Int fd, const void* bytes, Int n)
{
   HChar escaped[256 * MAX_ESCAPED];
   if (fd != VG_(log_output_sink).fd)
      return __real_vgPlain_write(fd, bytes, n);
   has_arrived = True;
   for (Int done = 0, size; done < n; done += size) {
      size = n - done < 256 ? n - done : 256;
      Int length = escape((const UChar*)bytes + done, size, escaped);
      Int written = __real_vgPlain_write(fd, escaped, length);
      if (written < 0)
         return written;
   }
   return n;
}

Bool core_log_passes_by(void) { return !has_arrived; }

#else

Bool core_log_passes_by(void) { return True; }

#endif
