/* SPDX-License-Identifier: GPL-2.0-or-later

   System calls and calls, known by their instructions; see system_call.h.  */

#include "unwind/system_call.h"

#include "perf/registers.h"

#include <string.h>

bool system_call_is_before(const Object* object, uint64_t address)
{
   static const uint8_t instruction[] = {SYSTEM_CALL};
   uint8_t bytes[sizeof instruction];
   return object_bytes(object, address - sizeof bytes, bytes, sizeof bytes) &&
          memcmp(bytes, instruction, sizeof bytes) == 0;
}

/* By a distance; or through a register or memory, whose instruction is FF and a byte that
   has 2 in its middle, and 2 to 6 bytes long.  */
bool system_call_is_behind_call(const Object* object, uint64_t address)
{
   uint8_t bytes[6];
   if (!object_bytes(object, address - sizeof bytes, bytes, sizeof bytes))
      return false;
   if (bytes[1] == 0xe8)
      return true;
   for (unsigned at = 0; at + 1 < sizeof bytes; at++) {
      if (bytes[at] == 0xff && (bytes[at + 1] >> 3 & 7) == 2)
         return true;
   }
   return false;
}
