/* SPDX-License-Identifier: GPL-2.0-or-later

   See guest_cpu.h.

   VEX has a helper for CPUID for each level that it emulates, and chooses by the host.
   The linker's --wrap leads the calls of generated code here, and the level that the user
   named answers.  Its answers are constants; three bits are passed to it.

   Owns: which level, and the state of the counter and the random numbers.  */

#include "surroundings/guest_cpu.h"

#include "options/options.h"
#include "surroundings/random_bytes.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"

static const HChar* const level_names[] = {
   [GuestCpuHost] = "host", [GuestCpuV2] = "x86-64-v2", [GuestCpuV3] = "x86-64-v3"};

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

void guest_cpu_init(void)
{
   VexArch arch;
   VexArchInfo host;
   if (options.guest_cpu == GuestCpuHost)
      return;
   VG_(machine_get_VexArchInfo)(&arch, &host);
   for (UInt i = 0; i < sizeof features / sizeof features[0]; i++) {
      const Feature* feature = &features[i];
      if (options.guest_cpu < feature->level || (host.hwcaps & feature->bit) != 0)
         continue;
      VG_(fmsg)("This processor has no %s, which --guest-cpu=%s promises: give "
                "--guest-cpu=%s.\n",
                feature->name, guest_cpu_name(),
                level_names[feature->level == GuestCpuV3 ? GuestCpuV2 : GuestCpuHost]);
      VG_(exit)(1);
   }
}

/*--------------------------------------------------------------------*/
/* Answers                                                             */

void __real_amd64g_dirtyhelper_CPUID_baseline(VexGuestAMD64State* state);
void __real_amd64g_dirtyhelper_CPUID_sse42_and_cx16(VexGuestAMD64State* state);
void __real_amd64g_dirtyhelper_CPUID_avx_and_cx16(VexGuestAMD64State* state);
void __real_amd64g_dirtyhelper_CPUID_avx2(VexGuestAMD64State* state, ULong has_f16c,
                                          ULong has_rdrand, ULong has_rdseed);
ULong __real_amd64g_dirtyhelper_RDTSC(void);
void __real_amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State* state);
ULong __real_amd64g_dirtyhelper_RDRAND(void);
ULong __real_amd64g_dirtyhelper_RDSEED(void);

void __wrap_amd64g_dirtyhelper_CPUID_baseline(VexGuestAMD64State* state);
void __wrap_amd64g_dirtyhelper_CPUID_sse42_and_cx16(VexGuestAMD64State* state);
void __wrap_amd64g_dirtyhelper_CPUID_avx_and_cx16(VexGuestAMD64State* state);
void __wrap_amd64g_dirtyhelper_CPUID_avx2(VexGuestAMD64State* state, ULong has_f16c,
                                          ULong has_rdrand, ULong has_rdseed);
ULong __wrap_amd64g_dirtyhelper_RDTSC(void);
void __wrap_amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State* state);
ULong __wrap_amd64g_dirtyhelper_RDRAND(void);
ULong __wrap_amd64g_dirtyhelper_RDSEED(void);

/* True if the user's level has answered.  */
static Bool level_answers(VexGuestAMD64State* state)
{
   if (options.guest_cpu == GuestCpuV2)
      __real_amd64g_dirtyhelper_CPUID_sse42_and_cx16(state);
   else if (options.guest_cpu == GuestCpuV3)
      __real_amd64g_dirtyhelper_CPUID_avx2(state, 1, 0, 0);
   else
      return False;
   return True;
}

void __wrap_amd64g_dirtyhelper_CPUID_baseline(VexGuestAMD64State* state)
{
   if (!level_answers(state))
      __real_amd64g_dirtyhelper_CPUID_baseline(state);
}

void __wrap_amd64g_dirtyhelper_CPUID_sse42_and_cx16(VexGuestAMD64State* state)
{
   if (!level_answers(state))
      __real_amd64g_dirtyhelper_CPUID_sse42_and_cx16(state);
}

void __wrap_amd64g_dirtyhelper_CPUID_avx_and_cx16(VexGuestAMD64State* state)
{
   if (!level_answers(state))
      __real_amd64g_dirtyhelper_CPUID_avx_and_cx16(state);
}

void __wrap_amd64g_dirtyhelper_CPUID_avx2(VexGuestAMD64State* state, ULong has_f16c,
                                          ULong has_rdrand, ULong has_rdseed)
{
   if (!level_answers(state))
      __real_amd64g_dirtyhelper_CPUID_avx2(state, has_f16c, has_rdrand, has_rdseed);
}

/* A counter that advances by as much at each reading.  */
static ULong next_time_stamp(void)
{
   static ULong stamp;
   stamp += 1000;
   return stamp;
}

ULong __wrap_amd64g_dirtyhelper_RDTSC(void)
{
   return options.guest_cpu == GuestCpuHost ? __real_amd64g_dirtyhelper_RDTSC()
                                            : next_time_stamp();
}

void __wrap_amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State* state)
{
   if (options.guest_cpu == GuestCpuHost) {
      __real_amd64g_dirtyhelper_RDTSCP(state);
      return;
   }
   const ULong stamp = next_time_stamp();
   state->guest_RAX = stamp & 0xffffffff;
   state->guest_RDX = stamp >> 32;
   state->guest_RCX = 0; /* processor 0 of node 0 */
}

/* VEX wants 32 random bits, and above them the carry flag: that there are some.  */
static ULong next_random(void)
{
   UInt bits;
   random_bytes_fill((UChar*)&bits, sizeof bits);
   return 1ULL << 32 | bits;
}

ULong __wrap_amd64g_dirtyhelper_RDRAND(void)
{
   return options.guest_cpu == GuestCpuHost ? __real_amd64g_dirtyhelper_RDRAND()
                                            : next_random();
}

ULong __wrap_amd64g_dirtyhelper_RDSEED(void)
{
   return options.guest_cpu == GuestCpuHost ? __real_amd64g_dirtyhelper_RDSEED()
                                            : next_random();
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
