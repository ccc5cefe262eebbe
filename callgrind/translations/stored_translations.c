/* SPDX-License-Identifier: GPL-2.0-or-later

   See stored_translations.h.

   What must hold for a stored translation to be used:
      - the identity of the cache is this run's (translation_cache/identity.h);
      - it is of the same address, after redirection and before; and of the same state,
        settings and options that shape code;
      - all of the guest's bytes are those that were translated: they are compared;
      - the core wants the same registers exact, and no check of the code by itself;
      - what instrumentation adds has the same digest.

   Not stored are superblocks with a preamble, with more than one extent, with a check of
   their own code, with instructions that the host executes (host_instructions/), and
   those in which a relocation cannot be found.  All are rare.  */

#include "translations/stored_translations.h"

#include "base/copy.h"
#include "base/hash.h"
#include "core/translation.h"
#include "guest/memory.h"
#include "instrument/ir/skeleton.h"
#include "model/block.h"
#include "options/code_options.h"
#include "options/options.h"
#include "translation_cache/translation_cache.h"
#include "translations/superblocks.h"
#include "translations/vex_calls.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

/* An entry of the cache (translation_cache/code_file.c has what is around it):

      offset  size  what
           0     8  guest address of the code
           8     8  guest address that was asked for, before redirection
          16     8  digest of what instrumentation added; 0: the code does not count
          24     4  the registers that the core wanted exact (VexRegisterUpdates)
          28     4  g, bytes of guest code
          32     4  r, relocations
          36     4  constants that relocations are for
          40     4  k, bytes of the skeleton; 0: the code does not count
          44     4  c, bytes of host code
          48     4  offset of the profile counter in it; negative: none
          52     4  guest instructions
          56     g  guest code, as it was translated
                    4 r  relocations: 2 bytes offset in the host's code; 15 bits which
                         constant; 1 bit: it takes eight bytes, not four
                    k  skeleton (instrument/ir/skeleton.c)
                    c  host code, with placeholders of that run's constants filled in

   Each part begins at a multiple of four, with zeros before it.  Holds: each part is at
   most LARGEST_PART, and all of them together are the entry.  */
typedef struct {
   Addr address, asked_for;
   ULong digest;
   UInt registers; /* VexRegisterUpdates that the core wanted */
   UInt guest_size, n_relocations, n_words, skeleton_size, code_size;
   Int offset_of_profile_counter;
   UInt n_guest_instructions;
} Entry;

_Static_assert(sizeof(Entry) == 56 && offsetof(Entry, registers) == 24 &&
                  offsetof(Entry, code_size) == 44 && sizeof(Relocation) == 4,
               "the format is as the table has it");

/* Where the parts of an entry are.  */
typedef struct {
   const UChar* guest;
   const Relocation* relocations;
   const UChar* skeleton;
   const UChar* code;
} Parts;

static struct {
   ULong stored, used, changed, unfit;
} stats;

#ifdef CORE_CAN_KEEP_TRANSLATIONS

static const VgCallbackClosure* closure_of(const Wanted* wanted)
{
   return wanted->arguments->callback_opaque;
}

Bool stored_translations_are_for(const Wanted* wanted)
{
   /* Code that does not count is stored for all options.  Where allocators that free have
      a call in such code, it is neither stored nor taken from there.  */
   return translation_cache_is_open() && wanted->arguments->preamble_function == NULL &&
          (wanted->is_instrumented || !options.collect_alloc);
}

/*--------------------------------------------------------------------*/
/* Which entry                                                         */

/* Where an entry is, or will be.  */
typedef struct {
   CodeFile* file; /* NULL: it cannot be stored */
   ULong key;
   Bool is_warm; /* the superblock is translated for speed, not cold */
   Bool is_new;  /* the superblock has not been translated yet */
} EntryPlace;

/* Code that counts depends on the options, and is kept apart for each set of them.  */
static CodeFile* file_of(const Wanted* wanted)
{
   return translation_cache_file(wanted->arguments,
                                 wanted->is_instrumented ? code_options_hash() : 0);
}

static const Block* block_of(const Wanted* wanted)
{
   return wanted->is_instrumented ? block_at(closure_of(wanted)->nraddr) : NULL;
}

static Bool is_warm(const Wanted* wanted)
{
   const Block* block = block_of(wanted);
   return block != NULL && block->is_warm;
}

/* Two states of one superblock are two entries: instrumented or not; translated for
   speed or cold; with other settings of VEX's that change while the program runs.  */
static EntryPlace place_of(const Wanted* wanted)
{
   const Block* block = block_of(wanted);
   EntryPlace place = {file_of(wanted), 0, block != NULL && block->is_warm,
                       wanted->is_instrumented && block == NULL};
   ULong words[] = {
      wanted->arguments->guest_bytes_addr,
      closure_of(wanted)->nraddr,
      (ULong)wanted->is_instrumented | (ULong)place.is_warm << 1,
      (ULong)VG_(clo_vex_control).iropt_register_updates_default,
      (ULong)VG_(clo_vex_control).guest_chase,
   };
   place.key = hash_checksum(0, words, sizeof words);
   return place;
}

static Bool core_wants(const VexTranslateArgs* arguments, const VexGuestExtents* extents,
                       UInt* registers)
{
   VexRegisterUpdates wanted = VG_(clo_vex_control).iropt_register_updates_default;
   UInt checks =
      arguments->needs_self_check(arguments->callback_opaque, &wanted, extents);
   *registers = (UInt)wanted;
   return checks == 0;
}

static UInt rounded(UInt size) { return (size + 3) & ~3u; }

static UInt size_of(const Entry* entry)
{
   return (UInt)sizeof *entry + rounded(entry->guest_size) +
          entry->n_relocations * (UInt)sizeof(Relocation) +
          rounded(entry->skeleton_size) + entry->code_size;
}

static Parts parts_of(const Entry* entry)
{
   Parts parts;
   parts.guest = (const UChar*)(entry + 1);
   parts.relocations = (const Relocation*)(parts.guest + rounded(entry->guest_size));
   parts.skeleton = (const UChar*)(parts.relocations + entry->n_relocations);
   parts.code = parts.skeleton + rounded(entry->skeleton_size);
   return parts;
}

/* No part is larger than this.  */
#define LARGEST_PART 0x20000

/* Does the entry lie within its `size` bytes?  */
static Bool is_whole(const Entry* entry, UInt size)
{
   return size >= sizeof *entry && entry->guest_size <= LARGEST_PART &&
          entry->n_relocations <= LARGEST_PART && entry->skeleton_size <= LARGEST_PART &&
          entry->code_size <= LARGEST_PART && size_of(entry) == size;
}

/*--------------------------------------------------------------------*/
/* Use                                                                 */

static Bool is_same_guest_code(const Wanted* wanted, const Entry* entry)
{
   const VexTranslateArgs* arguments = wanted->arguments;
   return entry->address == arguments->guest_bytes_addr &&
          entry->asked_for == closure_of(wanted)->nraddr &&
          guest_memory_holds((Addr)arguments->guest_bytes, parts_of(entry).guest,
                             entry->guest_size);
}

static VexGuestExtents extents_of(const Entry* entry)
{
   VexGuestExtents extents;
   VG_(memset)(&extents, 0, sizeof extents);
   extents.base[0] = entry->address;
   extents.len[0] = (UShort)entry->guest_size;
   extents.n_used = 1;
   return extents;
}

/* Makes the records of the superblock.  True if the code of the entry is what VEX would
   make now, but for relocations.  */
static Bool instrument_again(const Wanted* wanted, const Entry* entry)
{
   VexTranslateArgs* arguments = (VexTranslateArgs*)wanted->arguments;
   const VexGuestLayout* layout = superblocks_last()->layout;
   if (layout == NULL || entry->skeleton_size == 0)
      return False;
   core_free_ir();
   IRSB* in = skeleton_read(parts_of(entry).skeleton, entry->skeleton_size, layout);
   if (in == NULL)
      return False;
   const SuperblockState* now = superblocks_begin(arguments, RecordDigest, True);
   VexGuestExtents extents = extents_of(entry);
   superblocks_instrument(arguments->callback_opaque, in, layout, &extents,
                          &arguments->archinfo_host, IR_WORD, IR_WORD);
   superblocks_end();
   return now->recording.is_complete && now->recording.digest == entry->digest &&
          now->recording.n_words == entry->n_words;
}

static void give(const VexTranslateArgs* arguments, const Entry* entry,
                 VexTranslateResult* result)
{
   *arguments->guest_extents = extents_of(entry);
   *arguments->host_bytes_used = (Int)entry->code_size;
   VG_(memset)(result, 0, sizeof *result);
   result->status = VexTransOK;
   result->n_sc_extents = 0;
   result->offs_profInc = entry->offset_of_profile_counter;
   result->n_guest_instrs = entry->n_guest_instructions;
}

static Bool take(const Wanted* wanted, const Entry* entry)
{
   const VexTranslateArgs* arguments = wanted->arguments;
   VexGuestExtents extents = extents_of(entry);
   UInt registers;
   if (!is_same_guest_code(wanted, entry) ||
       !core_wants(arguments, &extents, &registers) || registers != entry->registers ||
       (Int)entry->code_size > arguments->host_bytes_size ||
       (wanted->is_instrumented && !instrument_again(wanted, entry)))
      return False;
   VG_(memcpy)(arguments->host_bytes, parts_of(entry).code, entry->code_size);
   return !wanted->is_instrumented ||
          code_relocations_apply(&superblocks_last()->out.relocations,
                                 arguments->host_bytes, entry->code_size,
                                 parts_of(entry).relocations, entry->n_relocations);
}

static Bool give_from(const EntryPlace* place, const Wanted* wanted,
                      VexTranslateResult* result)
{
   UInt size;
   if (place->file == NULL)
      return False;
   const Entry* entry = place->is_new
                           ? code_file_find_read(place->file, place->key, &size)
                           : code_file_find(place->file, place->key, &size);
   if (entry == NULL || !is_whole(entry, size))
      return False;
   if (!take(wanted, entry)) {
      stats.changed++;
      return False;
   }
   give(wanted->arguments, entry, result);
   stats.used++;
   return True;
}

/* What was not found is made next.  */
static EntryPlace not_found;
static Bool is_not_found;

Bool stored_translations_give(const Wanted* wanted, VexTranslateResult* result)
{
   not_found = place_of(wanted);
   is_not_found = !give_from(&not_found, wanted, result);
   return !is_not_found;
}

/*--------------------------------------------------------------------*/
/* Making                                                              */

/* Puts a part of an entry at `at`, and zeros behind it, up to the next one.  */
static void put_part(const void* at, const void* bytes, UInt size)
{
   if (size > 0)
      ((UInt*)at)[(size - 1) / sizeof(UInt)] = 0;
   copy_bytes((UChar*)at, bytes, size);
}

static Entry entry_of(const Wanted* wanted, const VexTranslateResult* result,
                      UInt registers, UInt n_places)
{
   const VexTranslateArgs* arguments = wanted->arguments;
   static const Recording nothing;
   const Recording* recorded =
      wanted->is_instrumented ? &superblocks_last()->recording : &nothing;
   return (Entry){
      .address = arguments->guest_bytes_addr,
      .asked_for = closure_of(wanted)->nraddr,
      .digest = recorded->digest,
      .registers = registers,
      .guest_size = arguments->guest_extents->len[0],
      .n_relocations = n_places,
      .n_words = recorded->n_words,
      .skeleton_size = recorded->skeleton_size,
      .code_size = (UInt)*arguments->host_bytes_used,
      .offset_of_profile_counter = result->offs_profInc,
      .n_guest_instructions = result->n_guest_instrs,
   };
}

/* Adds the entry to the file, where it is put together.  False if it was there already:
   it was not used (the first superblock that counts never is), or is being checked.  */
static Bool add_entry(const Wanted* wanted, const EntryPlace* place, const Entry* entry,
                      const Relocation* places)
{
   Entry* room = code_file_room(place->file, size_of(entry));
   *room = *entry;
   Parts parts = parts_of(room);
   put_part(parts.guest, wanted->arguments->guest_bytes, entry->guest_size);
   put_part(parts.relocations, places, entry->n_relocations * (UInt)sizeof *places);
   put_part(parts.skeleton, superblocks_last()->recording.skeleton, entry->skeleton_size);
   copy_bytes((UChar*)parts.code, wanted->arguments->host_bytes, entry->code_size);
   return (place->is_new ? code_file_add_new_room
                         : code_file_add_room)(place->file, place->key, size_of(entry));
}

static void store(const Wanted* wanted, const EntryPlace* place,
                  const VexTranslateResult* result, const Relocation* places,
                  UInt n_places)
{
   const VexGuestExtents* extents = wanted->arguments->guest_extents;
   UInt registers;
   if (superblocks_last()->n_bytes_added > 0 || place->file == NULL ||
       result->status != VexTransOK || extents->n_used != 1 ||
       extents->base[0] != wanted->arguments->guest_bytes_addr ||
       result->n_sc_extents > 0 || !core_wants(wanted->arguments, extents, &registers))
      return;
   const Entry entry = entry_of(wanted, result, registers, n_places);
   if (add_entry(wanted, place, &entry, places))
      stats.stored++;
}

VexTranslateResult stored_translations_make(const Wanted* wanted)
{
   VexTranslateArgs* arguments = (VexTranslateArgs*)wanted->arguments;
   VexTranslateResult result;
   const EntryPlace place = is_not_found ? not_found : place_of(wanted);
   is_not_found = False;
   if (!wanted->is_instrumented) {
      result = vex_calls_translate(arguments, RecordNothing);
      store(wanted, &place, &result, NULL, 0);
      return result;
   }
   result = vex_calls_translate(arguments, RecordSkeleton);
   SuperblockState* made = superblocks_last();
   Int n = result.status != VexTransOK
              ? 0
              : code_relocations_resolve(&made->out.relocations, arguments->host_bytes,
                                         (UInt)*arguments->host_bytes_used);
   if (n < 0) {
      stats.unfit++;
      return vex_calls_translate(arguments, RecordNothing);
   }
   if (made->recording.is_complete && place.is_warm == is_warm(wanted))
      store(wanted, &place, &result, made->out.relocations.found, (UInt)n);
   return result;
}

#endif

void stored_translations_print_stats(void)
{
   if (translation_cache_is_open())
      VG_(umsg)("translation cache: %llu used, %llu stored, %llu changed, %llu unfit\n",
                stats.used, stats.stored, stats.changed, stats.unfit);
}
