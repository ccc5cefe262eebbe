/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the kept translations; see kept_translations.h.

   What must hold for one to be used again:
      - it is the same superblock: the address asked for, the address after redirection,
        the preamble (of functions that the core wraps), and VEX's settings are the same;
      - all of the guest's bytes are those that were translated.  They are compared, so
        nothing depends on who changed them, or how.  A check of the code by itself reads
        whole words, so it fails as well if a byte has changed that only shares a word
        with the first or the last one: then these words are compared;
      - the core wants the same of it: a check of its own code where the memory is not a
        file's, and the same registers exact;
      - if it counts: the record that it counts in is still that of this code, and the
        code still is of the function and the object that it was of.

   Not kept are superblocks with more than one extent (VEX follows jumps only if the user
   says so), with several segments, and those at an address that two translations share.
   All are rare.  */

#include "translations/kept_translations.h"

#include "base/table.h"
#include "guest/memory.h"
#include "instrument/emit/cold_code.h"
#include "instrument/segments.h"
#include "model/block.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

/* What the core says when VEX asks it, once a superblock's extent is known.  */
typedef struct {
   UInt self_checks; /* of which extents, as bits */
   VexRegisterUpdates registers;
} CoreAnswers;

typedef struct {
   ULong hash; /* hash_of() */
   Addr guest_address;
   const void* preamble; /* the function that makes it, or NULL */
   Bool is_instrumented;
   Bool is_cold;       /* made by cold_code.h */
   const Block* block; /* where it counts; NULL if it is not instrumented */
   UInt runs_as;       /* the function that it runs as (symbols_runs_as()): its id */
   VexRegisterUpdates default_registers;
   CoreAnswers answers;
   VexGuestExtents extents;
   VexTranslateResult result;
   SizeT guest_size; /* of the guest's bytes: those of guest_range() */
   Int code_size;
   UChar bytes[]; /* the guest's, then the host's code */
} Kept;

/* Over this many bytes, all are dropped, and keeping begins again: a program that makes
   code all the time leaves dead code behind.  */
#define MOST_BYTES (256u << 20)

static Bool has_begun;
static Table all;
static SizeT n_bytes; /* in `all` */
static struct {
   ULong asked_for, kept, given;
} stats;

void kept_translations_begin(void)
{
#ifdef CORE_CAN_KEEP_TRANSLATIONS
   has_begun = options.keep_translations;
#endif
}

Bool kept_translations_have_begun(void) { return has_begun; }

/*--------------------------------------------------------------------*/
/* Which superblock                                                    */

static Addr address_asked_for(const Wanted* wanted)
{
   return ((const VgCallbackClosure*)wanted->arguments->callback_opaque)->nraddr;
}

static ULong hash_of(const Wanted* wanted)
{
   return (ULong)address_asked_for(wanted) << 1 | (wanted->is_instrumented ? 1 : 0);
}

static Bool is_named(const void* record, const void* sought)
{
   const Kept* kept = record;
   const Kept* name = sought;
   return kept->guest_address == name->guest_address &&
          kept->preamble == name->preamble &&
          kept->default_registers == name->default_registers;
}

/* What is_named() compares, without the rest.  */
static Kept name_of(const Wanted* wanted)
{
   Kept name;
   VG_(memset)(&name, 0, sizeof name);
   name.hash = hash_of(wanted);
   name.guest_address = wanted->arguments->guest_bytes_addr;
   name.preamble = (const void*)wanted->arguments->preamble_function;
   name.default_registers = VG_(clo_vex_control).iropt_register_updates_default;
   return name;
}

static SizeT size_of(const Kept* kept)
{
   return sizeof *kept + kept->guest_size + (SizeT)kept->code_size;
}

/* Frees one that is in the table no more.  */
static void drop(Kept* kept)
{
   n_bytes -= size_of(kept);
   VG_(free)(kept);
}

static void forget_at(ULong hash)
{
   Kept* kept;
   while ((kept = table_find_only(&all, hash)) != NULL) {
      table_remove(&all, hash, kept);
      drop(kept);
   }
}

/* Keeps what is not instrumented, if `keeps_others` is set, and nothing else.  */
static void forget(Bool keeps_others)
{
   Table before = all;
   VG_(memset)(&all, 0, sizeof all);
   for (UInt i = 0; i < before.n_cells; i++) {
      Kept* kept = before.cells[i].record;
      if (kept != NULL && keeps_others && !kept->is_instrumented)
         table_add(&all, kept->hash, kept);
      else if (kept != NULL)
         drop(kept);
   }
   table_free(&before);
}

void kept_translations_forget(void) { forget(False); }

void kept_translations_forget_instrumented(void) { forget(True); }

/*--------------------------------------------------------------------*/
/* Would it be made again?                                             */

static CoreAnswers ask_core(const VexTranslateArgs* arguments,
                            const VexGuestExtents* extents)
{
   CoreAnswers answers = {0, VG_(clo_vex_control).iropt_register_updates_default};
   answers.self_checks = arguments->needs_self_check(arguments->callback_opaque,
                                                     &answers.registers, extents);
   return answers;
}

typedef struct {
   Addr start;
   SizeT size;
} Range;

/* What must not have changed.  VEX reads code that it checks where it lies, in words of
   the host, from the one with the first byte to the one with the last.  */
static Range guest_range(const VexTranslateArgs* arguments,
                         const VexGuestExtents* extents, UInt self_checks)
{
   const Addr in_word = sizeof(UWord) - 1;
   if (self_checks == 0)
      return (Range){(Addr)arguments->guest_bytes, extents->len[0]};
   Addr start = extents->base[0] & ~in_word;
   return (Range){start,
                  ((extents->base[0] + extents->len[0] + in_word) & ~in_word) - start};
}

static Bool bytes_are_same(const VexTranslateArgs* arguments, const Kept* kept)
{
   Range range = guest_range(arguments, &kept->extents, kept->answers.self_checks);
   return guest_memory_holds(range.start, kept->bytes, range.size);
}

static Bool core_wants_the_same(const VexTranslateArgs* arguments, const Kept* kept)
{
   CoreAnswers now = ask_core(arguments, &kept->extents);
   return now.self_checks == kept->answers.self_checks &&
          now.registers == kept->answers.registers;
}

/* It does not if it is to be translated for speed now, too.  */
static Bool counts_as_before(const Wanted* wanted, const Kept* kept)
{
   Addr key = address_asked_for(wanted);
   const Block* block = block_at(key);
   return block == kept->block && !block->is_ambiguous &&
          cold_code_is(block) == kept->is_cold &&
          segments_take_up(key, kept->extents.len[0]) &&
          symbols_runs_as(block->function)->id == kept->runs_as;
}

Bool kept_translations_give(const Wanted* wanted, VexTranslateResult* result)
{
   const VexTranslateArgs* arguments = wanted->arguments;
   stats.asked_for++;
   Kept name = name_of(wanted);
   Kept* kept = table_find(&all, name.hash, is_named, &name);
   if (kept == NULL || !bytes_are_same(arguments, kept) ||
       !core_wants_the_same(arguments, kept) ||
       kept->code_size > arguments->host_bytes_size ||
       (wanted->is_instrumented && !counts_as_before(wanted, kept))) {
      forget_at(name.hash);
      return False;
   }
   *arguments->guest_extents = kept->extents;
   *arguments->host_bytes_used = kept->code_size;
   VG_(memcpy)(arguments->host_bytes, kept->bytes + kept->guest_size,
               (SizeT)kept->code_size);
   *result = kept->result;
   stats.given++;
   return True;
}

/*--------------------------------------------------------------------*/
/* Keeping                                                             */

/* The block that the superblock counts in; NULL if it cannot be kept.  */
static const Block* block_of(const Wanted* wanted)
{
   Addr key = address_asked_for(wanted);
   const Block* block = block_at(key);
   return block != NULL && block->is_translated && !block->is_ambiguous &&
                !segments_are_divided(key)
             ? block
             : NULL;
}

void kept_translations_keep(const Wanted* wanted, const VexTranslateResult* result)
{
   const VexTranslateArgs* arguments = wanted->arguments;
   const VexGuestExtents* extents = arguments->guest_extents;
   const Block* block = wanted->is_instrumented ? block_of(wanted) : NULL;
   if (result->status != VexTransOK || extents->n_used != 1 ||
       (wanted->is_instrumented && block == NULL))
      return;
   Kept name = name_of(wanted);
   name.is_instrumented = wanted->is_instrumented;
   name.is_cold = block != NULL && cold_code_is(block);
   name.block = block;
   name.runs_as = block != NULL ? symbols_runs_as(block->function)->id : 0;
   name.answers = ask_core(arguments, extents);
   name.extents = *extents;
   name.result = *result;
   Range range = guest_range(arguments, extents, name.answers.self_checks);
   name.guest_size = range.size;
   name.code_size = *arguments->host_bytes_used;
   if (n_bytes + size_of(&name) > MOST_BYTES)
      kept_translations_forget();
   Kept* kept = VG_(malloc)("kept_translations.kept", size_of(&name));
   *kept = name;
   VG_(memcpy)(kept->bytes, (const void*)range.start, range.size);
   VG_(memcpy)(kept->bytes + range.size, arguments->host_bytes, (SizeT)name.code_size);
   table_add(&all, kept->hash, kept);
   n_bytes += size_of(kept);
   stats.kept++;
}

void kept_translations_print_stats(void)
{
   VG_(umsg)("kept translations: %llu asked for, %llu kept, %llu used again, %lu bytes\n",
             stats.asked_for, stats.kept, stats.given, n_bytes);
}
