/* SPDX-License-Identifier: GPL-2.0-or-later

   The names of the kernel's functions, from /proc/kallsyms.  */

#ifndef SAMPLER_KERNEL_NAMES_H
#define SAMPLER_KERNEL_NAMES_H

#include <stdint.h>

/* The function of the kernel at an address; NULL where the kernel does not say, as for
   users without the right to know addresses.  The text stays.  */
const char* kernel_names_find(uint64_t address);

#endif
