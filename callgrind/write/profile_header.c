/* SPDX-License-Identifier: GPL-2.0-or-later

   See profile_header.h.  The order of the lines is that of stock callgrind.  */

#include "write/profile_header.h"

#include "options/options.h"
#include "surroundings/description.h"
#include "write/position.h"
#include "write/words.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"

static void write_line(Output* output, const HChar* key, const HChar* value)
{
   output_text(output, key);
   output_text(output, value);
   output_char(output, '\n');
}

/* Without simulated caches the lines are there, too, but empty.  */
static void write_caches(Output* output)
{
   static const HChar* const names[CACHES] = {"I1", "D1", "LL"};
   for (UInt i = 0; i < CACHES; i++) {
      const CacheGeometry* cache = &options.caches[i];
      HChar text[96] = "";
      if (options.cache_sim)
         VG_(sprintf)(text,
                      cache->ways == 1 ? "%u B, %u B, direct-mapped"
                                       : "%u B, %u B, %u-way associative",
                      cache->size, cache->line_size, cache->ways);
      output_text(output, "desc: ");
      output_text(output, names[i]);
      write_line(output, " cache: ", text);
   }
   output_char(output, '\n');
}

static void write_text(Output* output, const HChar* text)
{
   output_line_text(output, text);
   output_char(output, '\n');
}

/* Line breaks of a trigger become spaces, and two names could be taken for one: it is
   there once more, escaped as in a tree.  */
static void write_given_trigger(Output* output, const HChar* trigger)
{
   if (VG_(strchr)(trigger, '\n') == NULL && VG_(strchr)(trigger, '\r') == NULL)
      return;
   output_text(output, "desc: Trigger as given: ");
   words_to(output);
   words_escaped(trigger);
   output_char(output, '\n');
}

static void write_command(Output* output)
{
   output_text(output, "cmd:  ");
   output_line_text(output, VG_(args_the_exename));
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
      output_char(output, ' ');
      output_line_text(output, *(HChar**)VG_(indexXA)(VG_(args_for_client), i));
   }
   output_char(output, '\n');
}

static void write_program(Output* output)
{
   output_text(output, "pid: ");
   output_decimal(output, (ULong)VG_(getpid)());
   output_char(output, '\n');
   write_command(output);
}

static void write_file_start(Output* output)
{
   output_text(output, "# callgrind format\nversion: 1\n");
   write_line(output,
              "creator: ", "callgrind-exact-" CT_VERSION " (Valgrind " CORE_VERSION ")");
   write_program(output);
}

static void write_events(Output* output)
{
   for (UInt i = 0; i < cost_n_events(); i++) {
      UInt e = cost_listed(i);
      const HChar* text = cost_event_text(e);
      if (text == NULL)
         continue;
      output_text(output, "event: ");
      output_text(output, cost_event_name(e));
      output_text(output, " : ");
      write_line(output, text, "");
   }
   output_text(output, "events:");
   for (UInt i = 0; i < cost_n_events(); i++) {
      output_char(output, ' ');
      output_text(output, cost_event_name(cost_listed(i)));
   }
   output_char(output, '\n');
}

static void write_surrounding(void* output, const HChar* name, const HChar* value)
{
   output_text(output, "desc: ");
   output_text(output, name);
   output_text(output, ": ");
   write_text(output, value);
}

void profile_header_write(Output* output, const PartHeader* header, const ULong* total)
{
   if (header->opens_file)
      write_file_start(output);
   else
      output_char(output, '\n');
   if (header->opens_program && !header->opens_file)
      write_program(output);
   output_text(output, "part: ");
   output_decimal(output, header->part);
   output_char(output, '\n');
   if (header->opens_file || header->opens_program)
      description_tell(write_surrounding, output);
   for (Word i = 0; i < VG_(sizeXA)(header->spawned); i++) {
      output_text(output, "desc: Spawned pid: ");
      output_decimal(output, (ULong) * (const Int*)VG_(indexXA)(header->spawned, i));
      output_char(output, '\n');
   }
   for (Word i = 0; i < VG_(sizeXA)(header->descriptions); i++) {
      output_text(output, "desc: ");
      write_text(output, *(const HChar**)VG_(indexXA)(header->descriptions, i));
   }
   if (header->thread != 0) {
      output_text(output, "thread: ");
      output_decimal(output, header->thread);
      output_char(output, '\n');
   }
   output_text(output, "\n\n");
   if (header->opens_file)
      write_caches(output);
   write_given_trigger(output, header->trigger);
   output_text(output, "desc: Timerange: Basic block ");
   output_decimal(output, header->first_block);
   output_text(output, " - ");
   output_decimal(output, header->last_block);
   output_text(output, "\ndesc: Trigger: ");
   write_text(output, header->trigger);
   output_text(output, "\npositions:");
   output_text(output, options.dump_instr ? " instr" : "");
   output_text(output, options.dump_line ? " line\n" : "\n");
   write_events(output);
   output_text(output, "summary: ");
   position_costs(output, total);
   output_char(output, '\n');
}
