/* SPDX-License-Identifier: GPL-2.0-or-later

   See recording.h.  Owns what was recorded last.  */

#include "instrument/ir/recording.h"

#include "instrument/ir/ir_digest.h"
#include "instrument/ir/skeleton.h"

static Bool is_active, wants_skeleton;
static Recorded recorded;
static UChar skeleton[1 << 15];
static const VexGuestLayout* guest_layout; /* VEX's own, which stays */

void recording_begin(Bool with_skeleton)
{
   is_active = True;
   wants_skeleton = with_skeleton;
   recorded.is_complete = False;
   ir_digest_begin();
   relocations_begin();
}

void recording_begin_again(void)
{
   if (is_active)
      recording_begin(wants_skeleton);
}

void recording_end(void)
{
   is_active = False;
   ir_digest_now.is_active = False;
   relocations_end();
}

void recording_superblock(const IRSB* in, const IRSB* out, const VexGuestLayout* layout)
{
   guest_layout = layout;
   if (!is_active)
      return;
   recorded.digest = ir_digest_end(out, in);
   recorded.n_words = relocations_n_words();
   recorded.skeleton = skeleton;
   recorded.skeleton_size =
      wants_skeleton ? skeleton_write(in, layout, skeleton, sizeof skeleton) : 0;
   recorded.is_complete =
      recorded.digest != 0 && (!wants_skeleton || recorded.skeleton_size > 0);
}

const Recorded* recording_last(void) { return &recorded; }

const VexGuestLayout* recording_layout(void) { return guest_layout; }
