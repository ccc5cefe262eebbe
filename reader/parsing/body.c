/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads body lines; see body.h.  */

#include "parsing/body.h"

#include "base/give_up.h"
#include "base/white.h"
#include "parsing/words.h"

#include <string.h>

void body_start(Body* body, File* file, Part* part, Header header)
{
   *body = (Body){
      .file = file,
      .part = part,
      .header = header,
      .object = NAME_UNKNOWN,
      .function_file = NAME_UNKNOWN,
      .function = NO_FUNCTION,
      .source_file = NAME_UNKNOWN,
   };
}

/* --- Where costs go ----------------------------------------------------------------- */

static void enter_source(Body* body, uint32_t source_file, uint32_t inlined)
{
   body->source_file = source_file;
   body->inlined = inlined;
   if (body->part->with_lines && body->function != NO_FUNCTION)
      body->block = part_block(body->part, body->function,
                               file_source(body->file, source_file, inlined));
}

static void enter_function(Body* body, uint32_t name)
{
   body->key = file_key(body->file, body->object, body->function_file, name);
   body->function = part_function(body->part, body->key);
   enter_source(body, body->function_file, NAME_NONE);
}

static void need_function(Body* body)
{
   if (body->function == NO_FUNCTION)
      enter_function(body, NAME_UNKNOWN);
}

/* The positions of a line; `*line` has the last one's, and becomes this one's.  */
static const char* read_positions(const Header* header, const char* at, int64_t* line)
{
   unsigned addresses = header->columns - header->has_line;
   while (addresses-- > 0)
      at = skip_address(at);
   if (header->has_line)
      at = read_line_number(at, line);
   return at;
}

/* Reads the costs up to the end of the line; returns their number.  */
static unsigned read_costs(const Header* header, const char* at,
                           int64_t cost[MOST_EVENTS])
{
   unsigned count = 0;
   while (*at != '\n') {
      if (count == header->events)
         give_up("more costs than events");
      at = header->is_own ? read_number(at, &cost[count]) : read_signed(at, &cost[count]);
      count++;
   }
   return count;
}

static void on_cost_line(Body* body, const Line* line)
{
   int64_t cost[MOST_EVENTS];
   need_function(body);
   const char* at = read_positions(&body->header, line->start, &body->line_number);
   unsigned count = read_costs(&body->header, at, cost);
   if (count > 0)
      part_add_self(body->part, body->function, body->block, body->line_number, cost,
                    count);
}

/* --- Calls and jumps ---------------------------------------------------------------- */

static bool has_cost_line(const Reading* reading)
{
   return reading->is_there && starts_cost_line(*reading->line.start);
}

/* The line that a call or jump leads to, as seen from where it stands.  More words than
   there are positions, as Xdebug writes, say nothing.  */
static int64_t read_target(const Body* body, const char* at)
{
   int64_t line = body->line_number;
   if (*at != '\n')
      read_positions(&body->header, at, &line);
   return line;
}

static void on_calls(Body* body, Reading* reading, const char* value)
{
   int64_t cost[MOST_EVENTS];
   int64_t calls;
   need_function(body);
   if (body->called_name == NAME_NONE)
      give_up("calls= without a cfn=");
   const char* at = read_number(skip_blanks(value), &calls);
   int64_t target = read_target(body, at);
   reading->is_there = reading->next(&reading->line);
   if (!has_cost_line(reading))
      give_up("calls= without a cost line");
   at = read_positions(&body->header, reading->line.start, &body->line_number);
   unsigned count = read_costs(&body->header, at, cost);
   /* Words left out mean where the cost lines are. */
   uint32_t callee = file_key(
      body->file, body->called_object != NAME_NONE ? body->called_object : body->object,
      body->called_file != NAME_NONE ? body->called_file : body->source_file,
      body->called_name);
   part_add_calls(body->part, body->function, body->block, body->line_number, callee,
                  target, calls, cost, count);
   body->called_object = body->called_file = body->called_name = NAME_NONE;
   reading->is_there = reading->next(&reading->line);
}

/* The number of words in a line.  */
static unsigned count_words(const char* at)
{
   unsigned words = 0;
   at = skip_blanks(at);
   while (*at != '\n') {
      words++;
      while (*at != '\n' && !is_blank(*at))
         at++;
      at = skip_blanks(at);
   }
   return words;
}

/* jcnd= has FOLLOWED/EXECUTED, or EXECUTED FOLLOWED.  */
static const char* read_conditions(const char* at, JumpCounts* counts)
{
   const char* slash = at;
   while (is_digit(*slash))
      slash++;
   if (*slash != '/') {
      at = read_number(at, &counts->executed);
      return read_number(at, &counts->followed);
   }
   char first[MOST_DIGITS + 2];
   size_t size = (size_t)(slash - at);
   if (size > MOST_DIGITS)
      give_up("not a number of up to 18 digits");
   memcpy(first, at, size);
   first[size] = '\n';
   read_number(first, &counts->followed);
   return read_number(slash + 1, &counts->executed);
}

static void on_jump(Body* body, Reading* reading, const char* value, bool is_conditional)
{
   JumpCounts counts;
   const char* at = skip_blanks(value);
   if (is_conditional) {
      at = read_conditions(at, &counts);
   } else {
      at = read_number(at, &counts.executed);
      counts.followed = counts.executed;
   }
   need_function(body);
   Goal goal = {
      .line = read_target(body, at),
      .file = body->jumped_file != NAME_NONE ? body->jumped_file : body->source_file,
      .function = body->key,
      .is_conditional = is_conditional,
   };
   reading->is_there = reading->next(&reading->line);
   /* The line that says where the jump stands; it may be left out. */
   if (has_cost_line(reading) &&
       count_words(reading->line.start) == body->header.columns) {
      read_positions(&body->header, reading->line.start, &body->line_number);
      reading->is_there = reading->next(&reading->line);
   }
   if (body->part->with_lines) {
      if (body->jumped_name != NAME_NONE)
         goal.function = file_key(body->file, body->object, goal.file, body->jumped_name);
      part_add_jump(body->part, body->block, body->line_number, goal, counts);
   }
   body->jumped_file = body->jumped_name = NAME_NONE;
}

/* --- Words -------------------------------------------------------------------------- */

typedef enum {
   NO_WORD,
   WORD_FN,
   WORD_FL,
   WORD_FI,
   WORD_OB,
   WORD_CFNI,
   WORD_CFN,
   WORD_CFI,
   WORD_COB,
   WORD_CALLS,
   WORD_JUMP,
   WORD_JCND,
   WORD_JFI,
   WORD_JFN
} Word;

static const struct {
   const char* text;
   Word word;
} words[] = {
   {"cfn=", WORD_CFN},   {"calls=", WORD_CALLS}, {"cfi=", WORD_CFI}, {"cob=", WORD_COB},
   {"fn=", WORD_FN},     {"fi=", WORD_FI},       {"fe=", WORD_FI},   {"fl=", WORD_FL},
   {"ob=", WORD_OB},     {"cfni=", WORD_CFNI},   {"cfl=", WORD_CFI}, {"jump=", WORD_JUMP},
   {"jcnd=", WORD_JCND}, {"jfi=", WORD_JFI},     {"jfn=", WORD_JFN},
};

/* The word that a line begins with; sets `*value` to what follows.  */
static Word word_of(const Line* line, const char** value)
{
   for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
      const char* text = words[n].text;
      const char* at = line->start;
      while (*text != '\0' && *at == *text)
         at++, text++;
      if (*text == '\0') {
         *value = at;
         return words[n].word;
      }
   }
   return NO_WORD;
}

bool body_is_line(const Line* line)
{
   const char* value;
   return starts_cost_line(*line->start) || word_of(line, &value) != NO_WORD;
}

/* The name of a function that is inlined here.  callgrind quotes what looks like
   something else; NAME_NONE is for ???, the function's own code.  */
static uint32_t inlined_name(Body* body, const char* start, const char* end)
{
   strip_white(&start, &end);
   size_t size = (size_t)(end - start);
   if (size == 3 && memcmp(start, "???", 3) == 0)
      return NAME_NONE;
   bool is_quoted = size == 5 && memcmp(start, "\"???\"", 5) == 0;
   if (size >= 4 && memcmp(start, "\"(", 2) == 0 && is_digit(start[2]) && end[-1] == '"')
      is_quoted = true;
   return is_quoted ? names_add(&body->file->names, start + 1, size - 2)
                    : names_add(&body->file->names, start, size);
}

static void on_name(Body* body, Word word, const char* value, const char* end)
{
   File* file = body->file;
   Names* names = &file->names;
   switch (word) {
   case WORD_FN:
      enter_function(body, known_name(&file->functions, names, value, end));
      break;
   case WORD_FL:
      body->function_file = known_name(&file->files, names, value, end);
      enter_source(body, body->function_file, NAME_NONE);
      break;
   case WORD_FI:
      enter_source(body, known_name(&file->files, names, value, end), body->inlined);
      break;
   case WORD_OB: body->object = known_name(&file->objects, names, value, end); break;
   case WORD_CFNI:
      enter_source(body, body->source_file, inlined_name(body, value, end));
      break;
   case WORD_CFN:
      body->called_name = known_name(&file->functions, names, value, end);
      break;
   case WORD_CFI: body->called_file = known_name(&file->files, names, value, end); break;
   case WORD_COB:
      body->called_object = known_name(&file->objects, names, value, end);
      break;
   case WORD_JFI: body->jumped_file = known_name(&file->files, names, value, end); break;
   case WORD_JFN:
      body->jumped_name = known_name(&file->functions, names, value, end);
      break;
   default: break;
   }
}

void body_read(Body* body, Reading* reading)
{
   const Line* line = &reading->line;
   if (starts_cost_line(*line->start)) {
      on_cost_line(body, line);
   } else {
      const char* value = line->end;
      Word word = word_of(line, &value);
      if (word == WORD_CALLS) {
         on_calls(body, reading, value);
         return;
      }
      if (word == WORD_JUMP || word == WORD_JCND) {
         on_jump(body, reading, value, word == WORD_JCND);
         return;
      }
      on_name(body, word, value, line->end);
   }
   reading->is_there = reading->next(&reading->line);
}
