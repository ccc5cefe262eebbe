/* SPDX-License-Identifier: GPL-2.0-or-later

   The registers that a sample has and unwinding restores, by their DWARF numbers, and
   what else differs between processors: which file says.  It is that of the machine that
   the sampler is built for, which samples programs of its own kind alone.  With
   SAMPLER_FOR_ARM64 tests build what reads records and unwinds for arm64 elsewhere.

   Each file has these:

   REGISTER_FP, REGISTER_SP, REGISTER_PC, REGISTER_COUNT
   REGISTER_LINK        where a call puts the return address; REGISTER_PC: on the stack
   REGISTER_LANDING     where rules find the frame that an exception's unwinder jumps to
                        with the address in another register; REGISTER_COUNT: they do not
   REGISTER_LIBDW_COUNT how many libdw's unwinder takes
   REGISTER_BITS        which the kernel is asked for: a mask of its own numbers
   REGISTER_ORDER       these in the order of the kernel's numbers
   MACHINE_ELF          what ELF files say of their processor
   MACHINE_LARGEST_PAGE of memory, in bytes
   SIGNAL_RETURN_FIRST  what the kernel or a C library lets signal handlers return to: the
   SIGNAL_RETURN_SECOND bytes of its two instructions, which push and pop nothing
   SIGNAL_CONTEXT       for each register, its distance from the stack pointer there
   SYSTEM_CALL          the bytes of the instruction
   REGISTER_RESULT      what has its result; 0 in a new thread or process

   register_plain_address()  a return address as it was before it was signed  */

#ifndef SAMPLER_REGISTERS_H
#define SAMPLER_REGISTERS_H

#if defined(SAMPLER_FOR_ARM64) || defined(__aarch64__)
#include "perf/registers_arm64.h"
#else
#include "perf/registers_amd64.h"
#endif

#endif
