/* SPDX-License-Identifier: GPL-2.0-or-later

   See system_filter.h.  Relies on /proc/PID/status, and uses only calls that the core has
   made on other files of /proc when it was started.  */

#include "base/system_filter.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"

/* Linux's numbers, which the core's headers do not have.  */
#define SET_SECCOMP 22 /* prctl */
#define SET_MODE_FILTER 1u

static Bool is_on;
static Bool is_known; /* what was there at the start */

Bool system_filter_is_set_by(UInt call, const UWord* arguments)
{
#ifdef __NR_seccomp
   if (call == __NR_seccomp)
      return arguments[0] <= SET_MODE_FILTER;
#endif
   return call == __NR_prctl && arguments[0] == SET_SECCOMP;
}

void system_filter_after_call(UInt call, const UWord* arguments)
{
   if (system_filter_is_set_by(call, arguments))
      is_on = True;
}

/* Reads the file into `text`, as far as it fits; "" if it cannot be read.  */
static void read_status(const HChar* path, HChar* text, Int size)
{
   SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
   Int n = 0;
   if (!sr_isError(opened)) {
      n = VG_(read)((Int)sr_Res(opened), text, size - 1);
      VG_(close)((Int)sr_Res(opened));
   }
   text[n > 0 ? n : 0] = '\0';
}

/* The number behind `name` and a tabulator; `otherwise` if it is not there.  */
static Long number_of(const HChar* text, const HChar* name, Long otherwise)
{
   const HChar* at = VG_(strstr)(text, name);
   return at != NULL ? VG_(strtoll10)(at + VG_(strlen)(name), NULL) : otherwise;
}

/* Are there more filters than the first process of all that this one can see has?  */
static Bool was_set_for_us(void)
{
   static HChar text[4096];
   read_status("/proc/self/status", text, sizeof text);
   if (number_of(text, "\nSeccomp:\t", 0) == 0)
      return False;
   Long own = number_of(text, "\nSeccomp_filters:\t", 1);
   read_status("/proc/1/status", text, sizeof text);
   Long first = number_of(text, "\nSeccomp:\t", 1);
   return own > (first == 0 ? 0 : number_of(text, "\nSeccomp_filters:\t", own));
}

Bool system_filter_is_on(void)
{
   if (!is_on && !is_known) {
      is_known = True;
      is_on = was_set_for_us();
   }
   return is_on;
}

static FilteredOpening by_call = OpenAsEver;

void system_filter_set_opening(FilteredOpening opening)
{
   if (opening > by_call)
      by_call = opening;
}

FilteredOpening system_filter_opening(void) { return by_call; }
