/* SPDX-License-Identifier: GPL-2.0-or-later

   Shapes of the simulated caches; see cache_shapes.h.  */

#include "machine/cache_shapes.h"

#include "options/options.h"
#include "sim/host_caches.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"

static void print_cache(const HChar* how, const CacheGeometry* cache)
{
   VG_(dmsg)("warning: %s LL cache: line_size %u  assoc %u  total_size %'u\n", how,
             cache->line_size, cache->ways, cache->size);
}

/* Says what stock callgrind says about the caches of a host.  */
static void warn_of(const HostCaches* host)
{
   if (VG_(clo_verbosity) == 0)
      return;
   if (host->is_unknown)
      VG_(dmsg)("warning: the caches of this processor are not known, using defaults\n");
   if (options.caches[CacheLL].size != 0)
      return;
   if (host->ll_is_l3)
      VG_(dmsg)("warning: L3 cache found, using its data for the LL simulation.\n");
   if (host->ll_reported.size != host->ll.size) {
      print_cache("specified", &host->ll_reported);
      print_cache("simulated", &host->ll);
   }
}

static Bool is_any_missing(void)
{
   for (UInt i = 0; i < CACHES; i++)
      if (options.caches[i].size == 0)
         return True;
   return False;
}

static bool read_cache_file(uint32_t index, const char* name, char* text, size_t size)
{
   HChar path[128];
   VG_(snprintf)(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s",
                 index, name);
   SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
   if (sr_isError(opened))
      return false;
   Int fd = (Int)sr_Res(opened);
   Int got = VG_(read)(fd, text, (Int)size);
   VG_(close)(fd);
   if (got < 0 || (size_t)got == size)
      return false;
   text[got] = 0;
   return true;
}

static void take_host_caches(void)
{
   HostCaches host;
   if (host_caches_cpuid != NULL)
      host_caches_find(host_caches_cpuid, &host);
   else
      host_caches_find_in_files(read_cache_file, &host);
   warn_of(&host);
   const CacheGeometry* const found[CACHES] = {&host.i1, &host.d1, &host.ll};
   for (UInt i = 0; i < CACHES; i++)
      if (options.caches[i].size == 0)
         options.caches[i] = *found[i];
}

uint32_t cache_shapes_smallest_line(void)
{
   uint32_t smallest = options.caches[CacheI1].line_size;
   for (UInt i = 0; i < CACHES; i++)
      if (options.caches[i].line_size < smallest)
         smallest = options.caches[i].line_size;
   return smallest;
}

/* An access may touch two lines, but never three.  Stock callgrind refuses the same.  */
static void refuse_short_lines(void)
{
   UInt line = cache_shapes_smallest_line();
   UInt needed = (UInt)VG_(machine_get_size_of_largest_guest_register)();
   if (line >= needed)
      return;
   VG_(fmsg)("A cache has lines of %u bytes, and a register holds %u here: "
             "give --I1, --D1 and --LL lines of at least %u.\n",
             line, needed, needed);
   VG_(exit)(1);
}

static void print_shapes(void)
{
   static const HChar* const names[CACHES] = {"I1", "D1", "LL"};
   VG_(umsg)("Cache configuration used:\n");
   for (UInt i = 0; i < CACHES; i++)
      VG_(umsg)("  %s: %'u B, %u-way, %u B lines\n", names[i], options.caches[i].size,
                options.caches[i].ways, options.caches[i].line_size);
}

void cache_shapes_complete(void)
{
   if (is_any_missing())
      take_host_caches();
   refuse_short_lines();
   if (VG_(clo_verbosity) > 1)
      print_shapes();
}
