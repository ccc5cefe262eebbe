/* SPDX-License-Identifier: GPL-2.0-or-later

   Functions that do something besides when they are entered or left: --toggle-collect,
   --dump-before, --dump-after, --zero-before.  It is the outermost activation that does;
   recursion does nothing.  */

#ifndef CALLGRIND_EFFECTS_H
#define CALLGRIND_EFFECTS_H

#include "stack/shadowstack.h"

/* How parts are written, which is not known down here: `dump` gets the name of an option
   and that of the function.  */
typedef struct {
   void (*dump)(const HChar* option, const HChar* function);
   void (*zero)(void);
} EffectsActions;
void effects_init(const EffectsActions* actions);

/* `function`, which has effects, is about to be entered from the topmost frame: what it
   calls for is done.  Returns the flags that its frame shall have.  */
UInt effects_on_entry(const Function* function);

/* `frame`, which such flags are set in, has been left; it lies above the topmost one.  */
void effects_on_exit(const Frame* frame);

/* The running thread ends, perhaps with the program: it leaves all frames, if leaving any
   of them has an effect that shows in the profile.  */
void effects_at_thread_end(void);

#endif
