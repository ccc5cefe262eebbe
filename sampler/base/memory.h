/* SPDX-License-Identifier: GPL-2.0-or-later

   Memory.  When there is none left, these end the sampler with a message; they never
   return NULL.  The result is freed with free().  */

#ifndef SAMPLER_MEMORY_H
#define SAMPLER_MEMORY_H

/* `size` bytes, zeroed.  */
void* memory_allocate(unsigned long size);

/* Makes `memory`, which may be NULL, an array of `count` elements of `size` bytes.
   What is new in it is not zeroed.  */
void* memory_reallocate(void* memory, unsigned long count, unsigned long size);

/* A copy of a text.  */
char* memory_copy_text(const char* text);

#endif
