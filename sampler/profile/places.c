/* SPDX-License-Identifier: GPL-2.0-or-later

   See places.h.  */

#include "profile/places.h"

#include "base/memory.h"
#include "base/message.h"
#include "profile/output.h"
#include "profile/target.h"

#include <stdlib.h>

static void write_elsewhere(pid_t pid, PlaceWriter* write, const void* context)
{
   int error = -1, first_error = 0;
   char* first = NULL;
   for (unsigned attempt = 0; error != 0; attempt++) {
      char* path = output_fallback(pid, attempt);
      if (path == NULL)
         break;
      error = write(path, false, context);
      if (error == 0)
         message_print("the profile is in %s instead", path);
      if (first == NULL) {
         first = memory_copy_text(path);
         first_error = error;
      }
      free(path);
   }
   if (error != 0)
      message_print("%s: cannot be written, either: %s; the profile is lost", first,
                    target_error_text(first_error));
   free(first);
}

bool places_write(const char* path, bool is_named, pid_t pid, PlaceWriter* write,
                  const void* context)
{
   int error = write(path, is_named, context);
   if (error == 0)
      return true;
   message_print("%s: cannot be written: %s", path, target_error_text(error));
   write_elsewhere(pid, write, context);
   return false;
}
