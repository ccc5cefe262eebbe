/* SPDX-License-Identifier: GPL-2.0-or-later

   Arrays that grow.  When there is no memory left, the program gives up.  */

#ifndef READER_ARRAY_H
#define READER_ARRAY_H

#include <stddef.h>

/* Makes room for `needed` elements of `size` bytes: returns `elements`, which may be
   NULL, or its copy in a larger place, and sets `*capacity`, which counts elements.  What
   is new is not zeroed.  The result is freed with free().  */
void* array_room(void* elements, size_t* capacity, size_t needed, size_t size);

/* `count` elements of `size` bytes, zeroed; never NULL.  */
void* array_zeroed(size_t count, size_t size);

#endif
