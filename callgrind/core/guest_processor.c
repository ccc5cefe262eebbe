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

/* What AVX-512 adds to the answer for a leaf.  The sizes and places of its components are
   those that all processors have (Intel's manual, volume 1, 13.4 to 13.5).  */
static void add_wide(VexGuestAMD64State* state, UInt leaf, UInt sub_leaf)
{
   static const struct {
      UInt size, place;
   } components[] = {[5] = {64, 0x440}, [6] = {512, 0x480}, [7] = {1024, 0x680}};
   if (leaf == 7 && sub_leaf == 0)
      state->guest_RBX |= 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
   else if (leaf == 0xd && sub_leaf == 0) {
      state->guest_RAX = CORE_WIDE_COMPONENTS;
      state->guest_RBX = state->guest_RCX = 0xa80;
   } else if (leaf == 0xd && sub_leaf >= 5 && sub_leaf <= 7) {
      state->guest_RAX = components[sub_leaf].size;
      state->guest_RBX = components[sub_leaf].place;
   }
}

/* True if another level than the host's has answered.  */
static Bool level_answers(VexGuestAMD64State* state)
{
   if (guest == NULL)
      return False;
   const UInt leaf = (UInt)state->guest_RAX, sub_leaf = (UInt)state->guest_RCX;
   if (guest->level == CpuidSse42)
      __real_amd64g_dirtyhelper_CPUID_sse42_and_cx16(state);
   else
      __real_amd64g_dirtyhelper_CPUID_avx2(state, 1, 0, 0);
   if (guest->level == CpuidAvx512)
      add_wide(state, leaf, sub_leaf);
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
