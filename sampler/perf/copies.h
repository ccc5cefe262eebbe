/* SPDX-License-Identifier: GPL-2.0-or-later

   How much of a stack is copied for a sample: more than was needed lately, and the most
   that the kernel gives when a copy was too short.  */

#ifndef SAMPLER_COPIES_H
#define SAMPLER_COPIES_H

#include <stdbool.h>

#define COPIES_MAX_SIZES 3

/* Sets the only size, in bytes; with 0, there are several, and the largest comes first.
   To be called before the others.  */
void copies_begin(unsigned fixed_size);

/* How many sizes there are; how many bytes the one of this index has.  They rise.  */
unsigned copies_count(void);
unsigned copies_size(unsigned index);

/* Notes how many bytes of a copy were looked at, of those that there was room for, or
   that they did not suffice.  Called by the unwinding thread alone.  */
void copies_note(unsigned used, unsigned room, bool is_too_short);

/* The index of the size that is wanted now.  Any thread may call this.  */
unsigned copies_wanted(void);

/* Whether the size that is wanted now has sufficed for as many samples as decide on it:
   so there is no hurry to see whether it still does.  Any thread may call this.  */
bool copies_are_proved(void);

#endif
