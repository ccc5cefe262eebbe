/* SPDX-License-Identifier: GPL-2.0-or-later

   Linked into the sampler, this makes libdw unwind each sample, too, and says at the end
   how often the two agree.  The sampler knows nothing of it: the linker's --wrap puts
   these functions in front of its own.  Owns libdw's unwinder of each process.  */

#include "base/memory.h"
#include "base/message.h"
#include "libdw_unwind.h"
#include "profile/process.h"
#include "profile/profile.h"

void __real_unwind_sample(const Sample* sample, CodeFinder find, void* context,
                          UnwindResult* result);
void __wrap_unwind_sample(const Sample* sample, CodeFinder find, void* context,
                          UnwindResult* result);
void __real_profile_finish(void);
void __wrap_profile_finish(void);

typedef struct Beside {
   struct Beside* next;
   const Process* process;
   LibdwUnwinder* libdw;
} Beside;

static Beside* all;
static uint64_t agreements[AgreementKinds];

static LibdwUnwinder* libdw_of(const Process* process)
{
   for (Beside* beside = all; beside != NULL; beside = beside->next) {
      if (beside->process == process)
         return beside->libdw;
   }
   Beside* added = memory_allocate(sizeof *added);
   *added = (Beside){all, process, libdw_unwind_begin()};
   all = added;
   return added->libdw;
}

/* As unwind_sample() does, with the files that are mapped by now.  */
static void unwind_by_libdw(Process* process, const Sample* sample, UnwindResult* result)
{
   LibdwUnwinder* libdw = libdw_of(process);
   for (unsigned i = 0; i < process->space->count; i++) {
      const Mapping* mapping = &process->space->mappings[i];
      CodePlace place;
      if (process_find(process, mapping->start, &place) && place.object != NULL &&
          place.object->elf != NULL)
         libdw_unwind_add(libdw, place.object, mapping->start - place.address);
   }
   libdw_unwind_sample(libdw, sample, process_find, process, result);
}

void __wrap_unwind_sample(const Sample* sample, CodeFinder find, void* context,
                          UnwindResult* ours)
{
   static UnwindResult theirs;
   Process* process = context;
   __real_unwind_sample(sample, find, context, ours);
   /* Else the sampler reads what is mapped, and comes again.  */
   if (ours->end == UnwindNoRule && !process->backfilled)
      return;
   unwind_by_libdw(process, sample, &theirs);
   Agreement agreement = libdw_unwind_compare(ours, &theirs);
   agreements[agreement]++;
   for (unsigned i = 0; agreement == AgreementNone && i < ours->count && i < theirs.count;
        i++)
      message_print("frame %u: 0x%llx here, 0x%llx by libdw", i,
                    (unsigned long long)ours->frames[i].address,
                    (unsigned long long)theirs.frames[i].address);
}

void __wrap_profile_finish(void)
{
   message_print(
      "libdw's unwinder: %llu agree, %llu end earlier, %llu go on, %llu differ",
      (unsigned long long)agreements[AgreementWhole],
      (unsigned long long)agreements[AgreementOursGoesOn],
      (unsigned long long)agreements[AgreementOursStops],
      (unsigned long long)agreements[AgreementNone]);
   __real_profile_finish();
}
