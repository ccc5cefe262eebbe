/* SPDX-License-Identifier: GPL-2.0-or-later

   See guest_processor.h.  */

#include "core/guest_processor.h"

#include "pub_tool_libcbase.h"

static const CoreGuestProcessor* guest; /* NULL: as VEX has it */

void core_guest_processor_set(const CoreGuestProcessor* processor) { guest = processor; }

#ifdef CORE_CPUID_CAN_BE_WRAPPED

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

/* True if another level than the host's has answered.  */
static Bool level_answers(VexGuestAMD64State* state)
{
   if (guest == NULL)
      return False;
   if (guest->level == CpuidSse42)
      __real_amd64g_dirtyhelper_CPUID_sse42_and_cx16(state);
   else
      __real_amd64g_dirtyhelper_CPUID_avx2(state, 1, 0, 0);
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

ULong __wrap_amd64g_dirtyhelper_RDTSC(void)
{
   return guest == NULL ? __real_amd64g_dirtyhelper_RDTSC() : guest->time_stamp();
}

void __wrap_amd64g_dirtyhelper_RDTSCP(VexGuestAMD64State* state)
{
   if (guest == NULL) {
      __real_amd64g_dirtyhelper_RDTSCP(state);
      return;
   }
   const ULong stamp = guest->time_stamp();
   state->guest_RAX = stamp & 0xffffffff;
   state->guest_RDX = stamp >> 32;
   state->guest_RCX = 0;
}

/* VEX wants 32 random bits, and above them the carry flag: that there are some.  */
static ULong random_with_carry(void) { return 1ULL << 32 | guest->random_bits(); }

ULong __wrap_amd64g_dirtyhelper_RDRAND(void)
{
   return guest == NULL ? __real_amd64g_dirtyhelper_RDRAND() : random_with_carry();
}

ULong __wrap_amd64g_dirtyhelper_RDSEED(void)
{
   return guest == NULL ? __real_amd64g_dirtyhelper_RDSEED() : random_with_carry();
}

/*--------------------------------------------------------------------*/

#define HELPER(name)                                                                     \
   {"amd64g_dirtyhelper_" #name, (void*)__wrap_amd64g_dirtyhelper_##name}

static const struct {
   const HChar* name; /* as VEX prints it */
   void* address;
} helpers[] = {HELPER(CPUID_baseline),
               HELPER(CPUID_sse42_and_cx16),
               HELPER(CPUID_avx_and_cx16),
               HELPER(CPUID_avx2),
               HELPER(RDTSC),
               HELPER(RDTSCP),
               HELPER(RDRAND),
               HELPER(RDSEED)};

static void lead(IRCallee* callee)
{
   for (UInt i = 0; i < sizeof helpers / sizeof *helpers; i++)
      if (VG_(strcmp)(callee->name, helpers[i].name) == 0)
         callee->addr = helpers[i].address;
}

/* A superblock that is instrumented again from what was stored of it has calls without a
   function.  */
void core_guest_processor_lead(IRSB* code)
{
   for (Int i = 0; guest != NULL && i < code->stmts_used; i++)
      if (code->stmts[i]->tag == Ist_Dirty &&
          code->stmts[i]->Ist.Dirty.details->cee != NULL)
         lead(code->stmts[i]->Ist.Dirty.details->cee);
}

#else

void core_guest_processor_lead(IRSB* code) { (void)code; }

#endif
