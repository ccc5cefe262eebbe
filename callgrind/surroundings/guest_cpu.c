/* SPDX-License-Identifier: GPL-2.0-or-later

   See guest_cpu.h.

   The calls of generated code for CPUID and the like are answered by one of VEX's own
   levels, or by what is here (core/guest_processor.h).

   Owns: which level, and the state of the counter and the random numbers.  */

#include "surroundings/guest_cpu.h"

#include "core/guest_processor.h"
#include "core/host_processor.h"
#include "core/wide_state.h"
#include "options/options.h"
#include "surroundings/random_bytes.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"

static const HChar* const level_names[] = {[GuestCpuHost] = "host",
                                           [GuestCpuV2] = "x86-64-v2",
                                           [GuestCpuV3] = "x86-64-v3",
                                           [GuestCpuV4] = "x86-64-v4"};

const HChar* guest_cpu_name(void) { return level_names[options.guest_cpu]; }

#ifdef CORE_CAN_FIX_GUEST_CPU

/* Leaf 1, EDX, of the processors that VEX's helpers describe.  */
#define LEVEL_HWCAP 0xbfebfbffULL

Bool guest_cpu_hwcap(ULong* hwcap)
{
   *hwcap = LEVEL_HWCAP;
   return options.guest_cpu != GuestCpuHost;
}

/*--------------------------------------------------------------------*/
/* Answers                                                             */

/* A counter that advances by as much at each reading.  */
static ULong next_time_stamp(void)
{
   static ULong stamp;
   stamp += 1000;
   return stamp;
}

static UInt next_random(void)
{
   UInt bits;
   random_bytes_fill((UChar*)&bits, sizeof bits);
   return bits;
}

/*--------------------------------------------------------------------*/
/* What the host must have                                             */

typedef struct {
   UInt bit; /* of VEX's hwcaps */
   UInt level;
   const HChar* name;
} Feature;

static const Feature features[] = {
   {VEX_HWCAPS_AMD64_SSE3, GuestCpuV2, "SSE3"},
   {VEX_HWCAPS_AMD64_SSSE3, GuestCpuV2, "SSSE3"},
   {VEX_HWCAPS_AMD64_CX16, GuestCpuV2, "CMPXCHG16B"},
   {VEX_HWCAPS_AMD64_AVX, GuestCpuV3, "AVX"},
   {VEX_HWCAPS_AMD64_AVX2, GuestCpuV3, "AVX2"},
   {VEX_HWCAPS_AMD64_BMI, GuestCpuV3, "BMI1"},
   {VEX_HWCAPS_AMD64_F16C, GuestCpuV3, "F16C"},
   {VEX_HWCAPS_AMD64_LZCNT, GuestCpuV3, "LZCNT"},
};

/* Ends the program; `less` would be possible.  */
static void refuse(const HChar* missing, GuestCpu less)
{
   VG_(fmsg)("This processor has no %s, which --guest-cpu=%s promises: give "
             "--guest-cpu=%s.\n",
             missing, guest_cpu_name(), level_names[less]);
   VG_(exit)(1);
}

void guest_cpu_init(void)
{
   static const CoreGuestProcessor v2 = {CpuidSse42, next_time_stamp, next_random};
   static const CoreGuestProcessor v3 = {CpuidAvx2, next_time_stamp, next_random};
   static const CoreGuestProcessor v4 = {CpuidAvx512, next_time_stamp, next_random};
   VexArch arch;
   UInt hwcaps;
   if (options.guest_cpu == GuestCpuHost)
      return;
   core_guest_processor_set(options.guest_cpu == GuestCpuV4   ? &v4
                            : options.guest_cpu == GuestCpuV3 ? &v3
                                                              : &v2);
   if (!core_host_processor(&arch, &hwcaps))
      hwcaps = 0;
   for (UInt i = 0; i < sizeof features / sizeof features[0]; i++) {
      const Feature* feature = &features[i];
      if (options.guest_cpu < feature->level || (hwcaps & feature->bit) != 0)
         continue;
      refuse(feature->name, feature->level == GuestCpuV3 ? GuestCpuV2 : GuestCpuHost);
   }
   if (options.guest_cpu == GuestCpuV4 && !core_host_has_wide_state())
      refuse("AVX-512", GuestCpuV3);
}

#else

Bool guest_cpu_hwcap(ULong* hwcap)
{
   *hwcap = 0;
   return False;
}

void guest_cpu_init(void)
{
   if (options.guest_cpu == GuestCpuHost)
      return;
   VG_(fmsg)("--guest-cpu=%s: on this platform the guest sees the host's processor: "
             "leave the option out.\n",
             guest_cpu_name());
   VG_(exit)(1);
}

#endif
