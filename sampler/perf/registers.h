/* SPDX-License-Identifier: GPL-2.0-or-later

   The registers of x86-64 that a sample has and unwinding restores, by their DWARF
   numbers: 0 to 15, and the program counter.  */

#ifndef SAMPLER_REGISTERS_H
#define SAMPLER_REGISTERS_H

#define REGISTER_CX 2
#define REGISTER_BP 6
#define REGISTER_SP 7
#define REGISTER_PC 16
#define REGISTER_COUNT 17

#endif
