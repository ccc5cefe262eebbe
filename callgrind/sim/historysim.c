/* SPDX-License-Identifier: GPL-2.0-or-later

   See historysim.h.  */

#include "sim/historysim.h"

/* How many outcomes each table knows; and targets, four bits for each.  */
static const uint32_t history_lengths[HISTORYSIM_TABLES] = {5, 14, 32, 64};
static const uint32_t path_lengths[HISTORYSIM_TARGET_TABLES] = {16, 64};

static uint64_t latest(uint64_t history, uint32_t length)
{
   return length < 64 ? history & (((uint64_t)1 << length) - 1) : history;
}

static uint64_t mixed(uintptr_t address, uint64_t history)
{
   uint64_t key = (history + 1) * 0x9e3779b97f4a7c15u ^ address * 0xc2b2ae3d27d4eb4fu;
   return (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
}

static uint32_t top_bits(uint64_t key, uint32_t n) { return (uint32_t)(key >> (64 - n)); }

/*--------------------------------------------------------------------*/
/* Conditional branches                                                */

static void move_counter(uint8_t* counter, bool up, uint8_t most)
{
   if (up && *counter < most)
      (*counter)++;
   else if (!up && *counter > 0)
      (*counter)--;
}

/* Gives the branch an entry with a longer history, in place of one of no use.  */
static void allocate(HistoryEntry* const* entries, const uint16_t* tags, int first,
                     bool taken)
{
   for (int i = first; i < HISTORYSIM_TABLES; i++)
      if (entries[i]->useful == 0) {
         *entries[i] = (HistoryEntry){tags[i], taken ? 4 : 3, 0};
         return;
      }
   for (int i = first; i < HISTORYSIM_TABLES; i++)
      entries[i]->useful--;
}

bool historysim_conditional(HistoryPredictor* predictor, uintptr_t address, bool taken)
{
   HistoryEntry* entries[HISTORYSIM_TABLES];
   uint16_t tags[HISTORYSIM_TABLES];
   uint8_t* base = &predictor->base[top_bits(mixed(address, 0), HISTORYSIM_BASE_BITS)];
   int provider = -1;
   bool predicted = *base >= 2, other = predicted;
   for (int i = 0; i < HISTORYSIM_TABLES; i++) {
      uint64_t key = mixed(address, latest(predictor->outcomes, history_lengths[i]));
      entries[i] = &predictor->tables[i][top_bits(key, HISTORYSIM_BITS)];
      tags[i] = (uint16_t)(key | 1); /* 0 is no tag */
      if (entries[i]->tag == tags[i]) {
         provider = i;
         other = predicted;
         predicted = entries[i]->counter >= 4;
      }
   }
   if (provider < 0)
      move_counter(base, taken, 3);
   else {
      move_counter(&entries[provider]->counter, taken, 7);
      if (predicted != other)
         move_counter(&entries[provider]->useful, predicted == taken, 3);
   }
   if (predicted != taken)
      allocate(entries, tags, provider + 1, taken);
   predictor->outcomes = predictor->outcomes << 1 | taken;
   return predicted != taken;
}

/*--------------------------------------------------------------------*/
/* Indirect branches                                                   */

/* The entry learns where the branch has led; it keeps a target that has been right.  */
static void learn_target(HistoryTarget* entry, uint32_t tag, uintptr_t target)
{
   if (entry->tag == tag && entry->target == target) {
      if (entry->confidence < 3)
         entry->confidence++;
   } else if (entry->confidence > 0)
      entry->confidence--;
   else
      *entry = (HistoryTarget){target, tag, 0};
}

bool historysim_indirect(HistoryPredictor* predictor, uintptr_t address, uintptr_t target)
{
   uintptr_t* last =
      &predictor->last_targets[top_bits(mixed(address, 0), HISTORYSIM_TARGET_BITS)];
   uintptr_t predicted = *last;
   for (int i = 0; i < HISTORYSIM_TARGET_TABLES; i++) {
      uint64_t key = mixed(address, latest(predictor->path, path_lengths[i]));
      HistoryTarget* entry =
         &predictor->targets[i][top_bits(key, HISTORYSIM_TARGET_BITS)];
      uint32_t tag = (uint32_t)key | 1;
      if (entry->tag == tag)
         predicted = entry->target;
      learn_target(entry, tag, target);
   }
   *last = target;
   predictor->path = predictor->path << 4 ^ top_bits(mixed(target, 0), 12);
   return predicted != target;
}
