/* SPDX-License-Identifier: GPL-2.0-or-later

   See exec_room.h.  Relies on how Linux limits what a program is started with: texts and
   pointers take no more than a quarter of the largest stack, nor than 6 MB, but 128 KB
   may always be there.  */

#include "control/exec_room.h"

#include "pub_tool_aspacemgr.h"
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

static Bool is_readable(Addr address, SizeT size)
{
   return VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ);
}

/* The size of the text, with its end; 0 if it is not readable, or if it has more than
   `most` bytes.  */
static SizeT text_size(Addr text, SizeT most)
{
   SizeT size = 0;
   while (size < most) {
      if ((size == 0 || VG_IS_PAGE_ALIGNED(text + size)) && !is_readable(text + size, 1))
         return 0;
      if (*(const HChar*)(text + size++) == '\0')
         return size;
   }
   return 0;
}

/* What is left of `room` when the array of texts has been taken from it; 0 if it does not
   fit, or is not readable.  Linux takes NULL for an empty one.  */
static SizeT room_behind(Addr array, SizeT room)
{
   for (; array != 0; array += sizeof(Addr)) {
      if (!is_readable(array, sizeof(Addr)))
         return 0;
      Addr text = *(const Addr*)array;
      if (text == 0)
         break;
      SizeT size = text_size(text, room);
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
