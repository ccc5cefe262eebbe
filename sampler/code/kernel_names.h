/* SPDX-License-Identifier: GPL-2.0-or-later

   The names of the kernel's functions, from /proc/kallsyms.  */

#ifndef SAMPLER_KERNEL_NAMES_H
#define SAMPLER_KERNEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define KERNEL_NAMES_FILE "/proc/kallsyms"

/* Finds the functions of the kernel at `count` addresses, in rising order, by reading
   `path` once.  names[i] becomes the name at addresses[i], to be freed; NULL if the
   kernel does not tell it, as to users who may not know its addresses.  */
void kernel_names_find(const char* path, const uint64_t* addresses, size_t count,
                       char** names);

#endif
