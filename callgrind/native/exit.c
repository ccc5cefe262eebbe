/* SPDX-License-Identifier: GPL-2.0-or-later

   See exit.h.  The core checks what it had set of floating point control.  */

#include "native/exit.h"

#include "core/code_exits.h"

#ifdef CORE_CAN_RUN_NATIVELY

extern void native_exit_code(UWord reason) __attribute__((noreturn));
extern void native_exit_code_out_of_time(void) __attribute__((noreturn));

#define BACK_TO_THE_CORE                                                                 \
   "   cld\n"                                                                            \
   "   fninit\n"                                                                         \
   "   fldcw native_host_control(%rip)\n"                                                \
   "   ldmxcsr native_host_mxcsr(%rip)\n"                                                \
   "   movq native_host_stack(%rip), %rsp\n"

__asm__("   .section .rodata\n"
        "   .balign 4\n"
        "native_host_control: .long 0x027f\n"
        "native_host_mxcsr: .long 0x1f80\n"
        "   .text\n"
        "   .globl native_exit_code\n"
        "   .type native_exit_code, @function\n"
        "native_exit_code:\n" BACK_TO_THE_CORE "   movq %rdi, %rbp\n"
        "   jmp " CORE_EXIT_FOR_REASON "\n"
        "   .size native_exit_code, . - native_exit_code\n"
        "   .globl native_exit_code_out_of_time\n"
        "   .type native_exit_code_out_of_time, @function\n"
        "native_exit_code_out_of_time:\n" BACK_TO_THE_CORE "   jmp " CORE_EXIT_OUT_OF_TIME
        "\n"
        "   .size native_exit_code_out_of_time, . - native_exit_code_out_of_time\n");

void native_exit_for(UWord reason) { native_exit_code(reason); }

void native_exit_out_of_time(VexGuestAMD64State* guest)
{
   guest->host_EvC_COUNTER = (UInt)-1;
   native_exit_code_out_of_time();
}

#endif
