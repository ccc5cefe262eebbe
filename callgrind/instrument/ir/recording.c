/* SPDX-License-Identifier: GPL-2.0-or-later

   See recording.h.  Keeps nothing.  */

#include "instrument/ir/recording.h"

#include "instrument/ir/skeleton.h"

void recording_begin(Recording* recording, RecordingWanted wanted, IrOutput* out)
{
   recording->wanted = wanted;
   recording->is_complete = False;
   if (wanted == RecordNothing)
      return;
   ir_digest_begin(&out->digest);
   code_relocations_begin(&out->relocations);
}

void recording_end(Recording* recording, IrOutput* out)
{
   recording->wanted = RecordNothing;
   out->digest.is_active = False;
   code_relocations_end(&out->relocations);
}

void recording_superblock(Recording* recording, const IRSB* in, IrOutput* out,
                          const VexGuestLayout* layout)
{
   if (recording->wanted == RecordNothing)
      return;
   Bool with_skeleton = recording->wanted == RecordSkeleton;
   recording->digest = ir_digest_end(&out->digest, out->code, in);
   recording->n_words = out->relocations.n;
   recording->skeleton_size =
      with_skeleton ? skeleton_write(in, layout, &recording->needed, recording->skeleton,
                                     sizeof recording->skeleton)
                    : 0;
   recording->is_complete =
      recording->digest != 0 && (!with_skeleton || recording->skeleton_size > 0);
}
