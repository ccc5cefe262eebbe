/* SPDX-License-Identifier: GPL-2.0-or-later

   Memory that is there, or ends the program: a sampler without memory has nothing to save.
   All of it is freed with free().  */

#ifndef SAMPLER_MEMORY_H
#define SAMPLER_MEMORY_H

/* `size` bytes, zeroed.  */
void* memory_allocate(unsigned long size);

/* An array of `count` elements of `size` bytes, with what was in `memory`, which may be
   NULL; what is new in it is not zeroed.  */
void* memory_reallocate(void* memory, unsigned long count, unsigned long size);

char* memory_copy_text(const char* text);

#endif
