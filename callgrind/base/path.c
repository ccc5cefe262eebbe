/* SPDX-License-Identifier: GPL-2.0-or-later

   Expands names and follows symbolic links; see path.h.

   To follow links, the path is taken apart component by component.  `Resolved` holds the
   part that is done; it contains no link.  A component that turns out to be a link is
   removed again, and the link's target is put in front of the rest.  */

#include "base/path.h"

#include "base/system_filter.h"
#include "base/text.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

/* The kernel follows as many.  */
#define MAX_LINKS 40

HChar* path_expand(const HChar* option, const HChar* name)
{
   if (VG_(get_startup_wd)() != NULL)
      return VG_(expand_file_name)(option, name);
   /* The core would end the process.  */
   HChar* rooted = text_join("path.rooted", "/", "", name);
   HChar* expanded = VG_(expand_file_name)(option, rooted);
   HChar* path = VG_(strdup)("path.expanded", expanded + 1);
   VG_(free)(expanded);
   VG_(free)(rooted);
   return path;
}

/*--------------------------------------------------------------------*/
/* Symbolic links                                                      */

/* A path without links; "" is the root.  */
typedef struct {
   HChar text[VKI_PATH_MAX];
   SizeT length;
} Resolved;

static HChar* absolute(const HChar* path)
{
   const HChar* start = VG_(get_startup_wd)();
   if (path[0] == '/' || start == NULL)
      return VG_(strdup)("path.absolute", path);
   return text_join("path.absolute", start, "/", path);
}

static void cut(Resolved* path, SizeT length)
{
   path->length = length;
   path->text[length] = '\0';
}

/* Appends the component `name` of `size` bytes; "." and ".." as they are meant.  False
   if the path gets too long.  */
static Bool append(Resolved* path, const HChar* name, SizeT size)
{
   if (size == 0 || (size == 1 && name[0] == '.'))
      return True;
   if (size == 2 && name[0] == '.' && name[1] == '.') {
      SizeT length = path->length;
      while (length > 0 && path->text[--length] != '/') {}
      cut(path, length);
      return True;
   }
   if (path->length + size + 2 > VKI_PATH_MAX)
      return False;
   path->text[path->length] = '/';
   VG_(memcpy)(path->text + path->length + 1, name, size);
   cut(path, path->length + 1 + size);
   return True;
}

/* Appends the component that `*rest` begins with, and removes it from `*rest`.  If it is
   a link, its target is put into `*rest` instead.  `*rest` is allocated.  False if the
   path gets too long, or if this is one link too many.  */
static Bool take_component(Resolved* path, HChar** rest, UInt* n_links)
{
   HChar target[VKI_PATH_MAX];
   SizeT before = path->length, size = 0;
   while ((*rest)[size] != '/' && (*rest)[size] != '\0')
      size++;
   if (!append(path, *rest, size))
      return False;
   const HChar* behind = *rest + size + ((*rest)[size] == '/' ? 1 : 0);
   SSizeT length = path->length > before && !system_filter_is_on()
                      ? VG_(readlink)(path->text, target, sizeof target - 1)
                      : -1;
   HChar* next;
   if (length > 0) {
      if (++*n_links > MAX_LINKS)
         return False;
      target[length] = '\0';
      cut(path, target[0] == '/' ? 0 : before);
      next = text_join("path.rest", target, "/", behind);
   } else
      next = VG_(strdup)("path.rest", behind);
   VG_(free)(*rest);
   *rest = next;
   return True;
}

HChar* path_resolve(const HChar* path)
{
   Resolved resolved = {"", 0};
   UInt n_links = 0;
   HChar* rest = absolute(path);
   Bool fits = True;
   while (fits && *rest != '\0')
      fits = take_component(&resolved, &rest, &n_links);
   VG_(free)(rest);
   return fits ? VG_(strdup)("path.resolved", resolved.text) : NULL;
}
