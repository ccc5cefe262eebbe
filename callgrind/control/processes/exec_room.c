/* SPDX-License-Identifier: GPL-2.0-or-later

   See exec_room.h.  Relies on how Linux limits what a program is started with: texts and
   pointers take no more than a quarter of the largest stack, nor than 6 MB, but 128 KB
   may always be there.  */

#include "control/processes/exec_room.h"

#include "guest/memory.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"

#define LEAST (128u << 10)
#define MOST (6u << 20)

/* For what the core adds: its launcher's path in front and in the environment, the
   program's path again.  And for what the kernel adds.  */
#define KEPT (5u * VKI_PATH_MAX)

static SizeT limit(void)
{
   struct vki_rlimit stack;
   if (VG_(getrlimit)(VKI_RLIMIT_STACK, &stack) != 0)
      return LEAST;
   SizeT share = stack.rlim_cur / 4;
   return share < LEAST ? LEAST : share > MOST ? MOST : share;
}

/* What is left of `room` when the array of texts has been taken from it; 0 if it does not
   fit, or is not readable.  Linux takes NULL for an empty one.  */
static SizeT room_behind(Addr array, SizeT room)
{
   for (; array != 0; array += sizeof(Addr)) {
      Addr text;
      if (!guest_memory_word(array, &text))
         return 0;
      if (text == 0)
         break;
      SizeT size = guest_memory_text_size(text, room);
      if (size == 0 || size + sizeof(Addr) > room)
         return 0;
      room -= size + sizeof(Addr);
   }
   return room;
}

SizeT exec_room(Addr arguments, Addr environment)
{
   return room_behind(environment, room_behind(arguments, limit() - KEPT));
}
