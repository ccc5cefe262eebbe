/* SPDX-License-Identifier: GPL-2.0-or-later

   See refusal.h.  Opcodes: Intel's manual, volume 2.  */

#include "host_instructions/refusal.h"

#if defined(VGA_amd64)

#include "guest/memory.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

#define LONGEST 15

typedef struct {
   const HChar* what;
   const HChar* advice;
} Refusal;

static const Refusal tiles = {"an instruction on tiles (AMX)",
                              "have the program choose other code, or build it with "
                              "-march=x86-64-v3"};
static const Refusal transaction = {"transactional memory (TSX)",
                                    "have the program use locks"};
static const Refusal privileged = {"a privileged instruction",
                                   "the machine refuses it as well"};
static const Refusal wide = {"an instruction of AVX-512 that is not known, or that this "
                             "processor has not",
                             "build the program with -march=x86-64-v3"};
static const Refusal vex = {"an instruction with VEX that is not known, or that this "
                            "processor has not",
                            "build the program with -march=x86-64-v3"};

static Bool in(UInt value, UInt low, UInt high) { return value - low <= high - low; }

/* Of the opcodes behind 0F.  */
static Bool is_privileged(UInt opcode, UInt modrm)
{
   return opcode == 0x00 || (opcode == 0x01 && in(modrm, 0x10, 0x3f)) || opcode == 0x06 ||
          opcode == 0x08 || opcode == 0x09 || in(opcode, 0x20, 0x23) || opcode == 0x30 ||
          opcode == 0x32;
}

static const Refusal* refusal_of(const UChar* code)
{
   while (*code == 0x66 || *code == 0xf2 || *code == 0xf3 || (*code & 0xf0) == 0x40)
      code++;
   switch (code[0]) {
   case 0x62: return &wide;
   case 0xc4:
      return (code[1] & 31) == 2 && (code[3] == 0x49 || code[3] == 0x4b ||
                                     code[3] == 0x5c || code[3] == 0x5e)
                ? &tiles
                : &vex;
   case 0xc5: return &vex;
   case 0xc6:
   case 0xc7: return code[1] == 0xf8 ? &transaction : NULL;
   case 0xf4:
   case 0xfa:
   case 0xfb: return &privileged;
   case 0x0f:
      if (code[1] == 0x01 && (code[2] == 0xd5 || code[2] == 0xd6))
         return &transaction;
      return is_privileged(code[1], code[2]) ? &privileged : NULL;
   default:
      return in(code[0], 0xe4, 0xe7) || in(code[0], 0xec, 0xef) || in(code[0], 0x6c, 0x6f)
                ? &privileged
                : NULL;
   }
}

void refusal_tell(Addr at)
{
   /* Behind what can be read there are zeros.  */
   UChar code[LONGEST + 4] = {0};
   UInt n = 0;
   while (n < LONGEST && guest_memory_copy_code(&code[n], at + n, 1))
      n++;
   const Refusal* refusal = refusal_of(code);
   if (refusal != NULL)
      VG_(umsg)("Not executed: %s, at %s: %s.\n", refusal->what,
                VG_(describe_IP)(VG_(current_DiEpoch)(), at, NULL), refusal->advice);
}

#else

void refusal_tell(Addr at) { (void)at; }

#endif
