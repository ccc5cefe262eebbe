/* SPDX-License-Identifier: GPL-2.0-or-later

   Functions that do something besides when they are entered or left: --toggle-collect,
   --dump-before, --dump-after, --zero-before.  Only the outermost activation does;
   recursion does nothing.  The fast path never enters or leaves such a function.

   Writing a part is a matter of control/, which lies above: it installs a hook here.  */

#ifndef CALLGRIND_EFFECTS_H
#define CALLGRIND_EFFECTS_H

#include "stack/frames/shadowstack_types.h"

/* A hook: `dump` writes a part, and gets the name of an option and that of the
   function as the reason; `zero` sets all costs to zero.  Installed once, by
   triggers_init(), before any guest code runs.  */
typedef struct {
   void (*dump)(const HChar* option, const HChar* function);
   void (*zero)(void);
} EffectsActions;
void effects_init(const EffectsActions* actions);

/* `function`, which has effects, is about to be entered from the topmost frame: does what
   is due.  Returns the flags that its frame shall have.  */
UInt effects_on_entry(const Function* function);

/* `frame`, which has such flags, has been left; it lies above the topmost one.  */
void effects_on_exit(const Frame* frame);

#endif
