/* SPDX-License-Identifier: GPL-2.0-or-later

   See host_registers.h.  Where VEX's choice begins is a number in its list, and that is
   what is changed here.  */

#include "core/host_registers.h"

#ifdef CORE_CAN_RESERVE_REGISTERS

UInt* __real_getRRegUniverse_AMD64(void);
UInt* __wrap_getRRegUniverse_AMD64(void);

/* VEX's list, as words: the numbers of the first and of the last one among which it
   chooses integer registers, and from REGISTERS on the registers.  Read from the code of
   3.19, 3.24 and 3.27.  */
enum { REGISTERS = 2, BEGIN = 70, END = 79 };
static const UInt first_registers[] = {0x20c00000, 0x20d00001, 0x20e00002, 0x20f00003};

static UInt (*n_left_out_in_use)(void);
static Bool is_asked_for, is_released;

/* Read and set by the code below: what is entered by, and what is entered.  */
extern const void* core_registers_entry;
extern Addr core_registers_code;
const void* core_registers_entry; /* NULL: nothing is reserved */
Addr core_registers_code;         /* 0 until then */

Bool core_registers_are_known(void)
{
   const UInt* list = __real_getRRegUniverse_AMD64();
   Bool known = list[BEGIN] == 0 && list[END] == 9;
   for (UInt i = 0; i < sizeof first_registers / sizeof first_registers[0]; i++)
      known = known && list[REGISTERS + i] == first_registers[i];
   return known;
}

void core_registers_reserve(UInt (*n_left_out)(void), const void* entry)
{
   n_left_out_in_use = n_left_out;
   core_registers_entry = entry;
}

Bool core_registers_are_left_out(void) { return is_asked_for; }

Bool core_registers_entry_is_taken(void) { return core_registers_code != 0; }

void core_registers_release(void)
{
   n_left_out_in_use = NULL;
   core_registers_entry = NULL;
   is_released = True;
}

Bool core_registers_pass_by(void) { return is_released; }

UInt* __wrap_getRRegUniverse_AMD64(void)
{
   UInt* list = __real_getRRegUniverse_AMD64();
   is_asked_for = True;
   if (n_left_out_in_use != NULL)
      list[BEGIN] = n_left_out_in_use();
   return list;
}

/* The core's entry saves registers and jumps to what it is given third.  Only the thread
   that has the core's lock runs this.  */
__asm__("   .text\n"
        "   .globl __wrap_vgPlain_disp_run_translations\n"
        "   .type __wrap_vgPlain_disp_run_translations, @function\n"
        "__wrap_vgPlain_disp_run_translations:\n"
        "   movq core_registers_entry(%rip), %rax\n"
        "   testq %rax, %rax\n"
        "   je __real_vgPlain_disp_run_translations\n"
        "   movq %rdx, core_registers_code(%rip)\n"
        "   movq %rax, %rdx\n"
        "   jmp __real_vgPlain_disp_run_translations\n"
        "   .size __wrap_vgPlain_disp_run_translations,"
        " . - __wrap_vgPlain_disp_run_translations\n");

#endif
