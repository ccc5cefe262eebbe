/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes parts and tables; see write.h.  Functions without any cost, call or jump are
   left out: an fn= line without costs only defines a number.

   What belongs to a function is written function by function, in the order in which it
   came: a Grouping has that order, and where each function's ends.  */

#include "packed/write.h"

#include "base/array.h"

#include <stdlib.h>

#define LEFT_OUT UINT32_MAX

typedef struct {
   uint32_t* order;
   uint32_t* ends; /* by group */
   uint32_t groups;
} Grouping;

/* The function of an arc, a block or a jump.  */
typedef uint32_t OwnerOf(const Part* part, uint32_t number);

static uint32_t owner_of_block(const Part* part, uint32_t block)
{
   return (uint32_t)(part->blocks.keys[block].first >> 32);
}

static uint32_t owner_of_arc(const Part* part, uint32_t arc)
{
   uint32_t owner = (uint32_t)(part->arcs.keys[arc].first >> 32);
   return part->with_lines ? owner_of_block(part, owner) : owner;
}

static uint32_t owner_of_jump(const Part* part, uint32_t jump)
{
   return owner_of_block(part, (uint32_t)(part->jumps.keys[jump].first >> 32));
}

/* Groups `count` elements by the number that `renamed` has for their owners.  */
static Grouping grouping(const Part* part, uint32_t count, OwnerOf* owner_of,
                         const uint32_t* renamed, uint32_t groups)
{
   Grouping made = {array_zeroed(count, sizeof *made.order),
                    array_zeroed((size_t)groups + 1, sizeof *made.ends), groups};
   for (uint32_t n = 0; n < count; n++) {
      uint32_t group = renamed[owner_of(part, n)];
      if (group != LEFT_OUT)
         made.ends[group + 1]++;
   }
   for (uint32_t group = 0; group < groups; group++)
      made.ends[group + 1] += made.ends[group];
   /* ends[group] is now where a group starts, and is moved to its end. */
   for (uint32_t n = 0; n < count; n++) {
      uint32_t group = renamed[owner_of(part, n)];
      if (group != LEFT_OUT)
         made.order[made.ends[group]++] = n;
   }
   return made;
}

static void free_grouping(Grouping* made)
{
   free(made->order);
   free(made->ends);
}

static uint32_t size_of(const Grouping* made)
{
   return made->groups == 0 ? 0 : made->ends[made->groups - 1];
}

static void write_ends(Record record, const Grouping* made)
{
   stream_record(record, made->ends, made->groups * sizeof *made->ends);
}

static void write_costs(Record record, const Part* part, const Costs* costs,
                        const uint32_t* order, uint32_t count)
{
   size_t size = part->events * sizeof *costs->numbers;
   stream_begin(record, count * size);
   for (uint32_t n = 0; n < count; n++)
      stream_write(costs->numbers + (size_t)order[n] * part->events, size);
}

static void write_i64(Record record, const int64_t* numbers, const uint32_t* order,
                      uint32_t count)
{
   stream_begin(record, count * sizeof *numbers);
   for (uint32_t n = 0; n < count; n++)
      stream_write(&numbers[order[n]], sizeof *numbers);
}

/* The second half of keys, as a signed number.  */
static void write_seconds(Record record, const Key* keys, const uint32_t* order,
                          uint32_t count)
{
   stream_begin(record, count * sizeof keys->second);
   for (uint32_t n = 0; n < count; n++)
      stream_write(&keys[order[n]].second, sizeof keys->second);
}

/* The low half of the first half of keys.  */
static void write_lows(Record record, const Key* keys, const uint32_t* order,
                       uint32_t count)
{
   stream_begin(record, count * sizeof(uint32_t));
   for (uint32_t n = 0; n < count; n++) {
      uint32_t low = (uint32_t)keys[order[n]].first;
      stream_write(&low, sizeof low);
   }
}

/* --- Functions ---------------------------------------------------------------------- */

/* New numbers of the functions, LEFT_OUT for those that are; sets how many are not. */
static uint32_t* rename_functions(const Part* part, uint32_t* kept)
{
   uint32_t count = part->functions.count;
   uint32_t* renamed = array_zeroed(count, sizeof *renamed);
   for (uint32_t n = 0; n < part->arcs.count; n++)
      renamed[owner_of_arc(part, n)] = 1;
   for (uint32_t n = 0; n < part->jumps.count; n++)
      renamed[owner_of_jump(part, n)] = 1;
   *kept = 0;
   for (uint32_t n = 0; n < count; n++) {
      bool is_kept = renamed[n] != 0;
      for (unsigned event = 0; event < part->events; event++)
         is_kept |= part->self.numbers[(size_t)n * part->events + event] != 0;
      renamed[n] = is_kept ? (*kept)++ : LEFT_OUT;
   }
   return renamed;
}

static void write_functions(const Part* part, const uint32_t* renamed, uint32_t kept)
{
   uint32_t* order = array_zeroed(kept, sizeof *order);
   for (uint32_t n = 0; n < part->functions.count; n++)
      if (renamed[n] != LEFT_OUT)
         order[renamed[n]] = n;
   stream_begin(RECORD_FUNCTIONS, kept * sizeof *order);
   for (uint32_t n = 0; n < kept; n++) {
      uint32_t key = (uint32_t)part->functions.keys[order[n]].first;
      stream_write(&key, sizeof key);
   }
   write_costs(RECORD_SELF, part, &part->self, order, kept);
   free(order);
}

static void write_arcs(const Part* part, const Grouping* arcs)
{
   write_ends(RECORD_ARC_ENDS, arcs);
   write_lows(RECORD_CALLEES, part->arcs.keys, arcs->order, size_of(arcs));
   write_i64(RECORD_COUNTS, part->counts, arcs->order, size_of(arcs));
   write_costs(RECORD_INCLUSIVE, part, &part->inclusive, arcs->order, size_of(arcs));
}

/* --- Lines -------------------------------------------------------------------------- */

static uint32_t block_of_line(const Part* part, uint32_t line)
{
   return (uint32_t)part->lines.keys[line].first;
}

static void write_blocks(const Part* part, const uint32_t* renamed, uint32_t kept)
{
   Grouping blocks = grouping(part, part->blocks.count, owner_of_block, renamed, kept);
   write_ends(RECORD_BLOCK_ENDS, &blocks);
   write_lows(RECORD_BLOCK_SOURCES, part->blocks.keys, blocks.order, size_of(&blocks));
   uint32_t* place = array_zeroed(part->blocks.count, sizeof *place);
   for (uint32_t n = 0; n < part->blocks.count; n++)
      place[n] = LEFT_OUT;
   for (uint32_t n = 0; n < size_of(&blocks); n++)
      place[blocks.order[n]] = n;
   Grouping lines =
      grouping(part, part->lines.count, block_of_line, place, size_of(&blocks));
   write_ends(RECORD_LINE_ENDS, &lines);
   write_seconds(RECORD_LINES, part->lines.keys, lines.order, size_of(&lines));
   write_costs(RECORD_LINE_COSTS, part, &part->line_costs, lines.order, size_of(&lines));
   free(place);
   free_grouping(&lines);
   free_grouping(&blocks);
}

static void write_arc_places(const Part* part, const Grouping* arcs)
{
   stream_begin(RECORD_ARC_SOURCES, size_of(arcs) * sizeof(uint32_t));
   for (uint32_t n = 0; n < size_of(arcs); n++) {
      uint32_t block = (uint32_t)(part->arcs.keys[arcs->order[n]].first >> 32);
      uint32_t source = (uint32_t)part->blocks.keys[block].first;
      stream_write(&source, sizeof source);
   }
   write_seconds(RECORD_ARC_LINES, part->arcs.keys, arcs->order, size_of(arcs));
   write_i64(RECORD_ARC_TARGETS, part->targets, arcs->order, size_of(arcs));
}

static void write_jumps(const Part* part, const uint32_t* renamed, uint32_t kept)
{
   Grouping jumps = grouping(part, part->jumps.count, owner_of_jump, renamed, kept);
   write_ends(RECORD_JUMP_ENDS, &jumps);
   stream_begin(RECORD_JUMPS, size_of(&jumps) * sizeof(JumpRecord));
   for (uint32_t n = 0; n < size_of(&jumps); n++) {
      const Key* from = &part->jumps.keys[jumps.order[n]];
      const Key* to = &part->goals.keys[(uint32_t)from->first];
      JumpCounts counts = part->jump_counts[jumps.order[n]];
      JumpRecord jump = {
         .source = (uint32_t)part->blocks.keys[from->first >> 32].first,
         .function = (uint32_t)(to->first >> 32),
         .file = (uint32_t)to->first,
         .is_conditional = to->second & 1,
         .line = (int64_t)from->second,
         .target_line = ((int64_t)to->second - (int64_t)(to->second & 1)) / 2,
         .executed = counts.executed,
         .followed = counts.followed,
      };
      stream_write(&jump, sizeof jump);
   }
   free_grouping(&jumps);
}

/* --- The whole ---------------------------------------------------------------------- */

void write_part(const Part* part, PartHead head)
{
   uint32_t kept;
   uint32_t* renamed = rename_functions(part, &kept);
   stream_record(RECORD_PART, &head, sizeof head);
   write_functions(part, renamed, kept);
   Grouping arcs = grouping(part, part->arcs.count, owner_of_arc, renamed, kept);
   write_arcs(part, &arcs);
   if (part->with_lines) {
      write_blocks(part, renamed, kept);
      write_arc_places(part, &arcs);
      write_jumps(part, renamed, kept);
   }
   free_grouping(&arcs);
   free(renamed);
}

static void write_keys(const Numbering* keys)
{
   stream_begin(RECORD_KEYS, (size_t)keys->count * 3 * sizeof(uint32_t));
   for (uint32_t n = 0; n < keys->count; n++) {
      const Key* key = &keys->keys[n];
      uint32_t names[] = {(uint32_t)(key->first >> 32), (uint32_t)key->first,
                          (uint32_t)key->second};
      stream_write(names, sizeof names);
   }
}

static void write_sources(const Numbering* sources)
{
   stream_begin(RECORD_SOURCES, (size_t)sources->count * 2 * sizeof(uint32_t));
   for (uint32_t n = 0; n < sources->count; n++) {
      const Key* key = &sources->keys[n];
      uint32_t names[] = {(uint32_t)(key->first >> 32), (uint32_t)key->first};
      stream_write(names, sizeof names);
   }
}

void write_file(const File* file, unsigned long last_line)
{
   write_keys(&file->keys);
   write_sources(&file->sources);
   const Names* names = &file->names;
   stream_begin(RECORD_NAME_ENDS, names->count * sizeof(uint64_t));
   for (uint32_t n = 0; n < names->count; n++) {
      uint64_t end = names->ends[n];
      stream_write(&end, sizeof end);
   }
   stream_record(RECORD_NAMES, names->text, names->size);
   uint64_t last = last_line;
   stream_record(RECORD_END, &last, sizeof last);
   stream_flush();
}
