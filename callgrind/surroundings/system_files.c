/* SPDX-License-Identifier: GPL-2.0-or-later

   See system_files.h.  The forms are those of Linux 6.1, with what programs look for:
   the number of processors, their flags, and how much memory there is.  */

#include "surroundings/system_files.h"

#include "options/options.h"
#include "surroundings/guest_cpu.h"

#include "pub_tool_libcbase.h"

#define FLAGS_V2                                                                         \
   "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush "    \
   "mmx fxsr sse sse2 syscall nx lm rep_good nopl cpuid pni pclmulqdq ssse3 cx16 "       \
   "sse4_1 sse4_2 popcnt lahf_lm"
#define FLAGS_V3 FLAGS_V2 " fma movbe xsave avx f16c abm bmi1 avx2 bmi2"
#define FLAGS_V4 FLAGS_V3 " avx512f avx512dq avx512cd avx512bw avx512vl"

#define PROCESSOR(FLAGS)                                                                 \
   "processor\t: 0\n"                                                                    \
   "vendor_id\t: GenuineIntel\n"                                                         \
   "cpu family\t: 6\n"                                                                   \
   "model\t\t: 60\n"                                                                     \
   "model name\t: Intel(R) Core(TM) i7-4910MQ CPU @ 2.90GHz\n"                           \
   "stepping\t: 3\n"                                                                     \
   "cpu MHz\t\t: 2900.000\n"                                                             \
   "cache size\t: 8192 KB\n"                                                             \
   "physical id\t: 0\n"                                                                  \
   "siblings\t: 1\n"                                                                     \
   "core id\t\t: 0\n"                                                                    \
   "cpu cores\t: 1\n"                                                                    \
   "fpu\t\t: yes\n"                                                                      \
   "fpu_exception\t: yes\n"                                                              \
   "cpuid level\t: 13\n"                                                                 \
   "wp\t\t: yes\n"                                                                       \
   "flags\t\t: " FLAGS "\n"                                                              \
   "bogomips\t: 5800.00\n"                                                               \
   "clflush size\t: 64\n"                                                                \
   "cache_alignment\t: 64\n"                                                             \
   "address sizes\t: 39 bits physical, 48 bits virtual\n"                                \
   "power management:\n\n"

static const HChar memory[] = "MemTotal:       16777216 kB\n"
                              "MemFree:         8388608 kB\n"
                              "MemAvailable:    8388608 kB\n"
                              "Buffers:               0 kB\n"
                              "Cached:                0 kB\n"
                              "SwapCached:            0 kB\n"
                              "SwapTotal:             0 kB\n"
                              "SwapFree:              0 kB\n";

static const HChar statistics[] = "cpu  0 0 0 0 0 0 0 0 0 0\n"
                                  "cpu0 0 0 0 0 0 0 0 0 0 0\n"
                                  "intr 0\n"
                                  "ctxt 0\n"
                                  "btime 0\n"
                                  "processes 1\n"
                                  "procs_running 1\n"
                                  "procs_blocked 0\n";

typedef struct {
   const HChar* path;
   const HChar* text;
} SystemFile;

static const SystemFile files[] = {
   {"/sys/devices/system/cpu/online", "0\n"},
   {"/sys/devices/system/cpu/possible", "0\n"},
   {"/sys/devices/system/cpu/present", "0\n"},
   {"/proc/meminfo", memory},
   {"/proc/stat", statistics},
};

const HChar* system_files_text(const HChar* path)
{
   if (VG_(strcmp)(path, "/proc/cpuinfo") == 0) {
      switch (options.guest_cpu) {
      case GuestCpuV2: return PROCESSOR(FLAGS_V2);
      case GuestCpuV3: return PROCESSOR(FLAGS_V3);
      case GuestCpuV4: return PROCESSOR(FLAGS_V4);
      default: return NULL;
      }
   }
   for (UInt i = 0; i < sizeof files / sizeof files[0]; i++)
      if (VG_(strcmp)(path, files[i].path) == 0)
         return files[i].text;
   return NULL;
}
