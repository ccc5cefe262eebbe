/* SPDX-License-Identifier: GPL-2.0-or-later

   read_profile: reads a callgrind profile on standard input and writes what it holds,
   added up, in records that Python unpacks by the array (packed/stream.h).  It is for
   files of hundreds of megabytes: callgrind_report and its like start it.

      read_profile functions|lines

   With `functions`, costs are those of functions, and calls are between two; with
   `lines`, both are by source line.  Addresses are not kept.

   It owns the order of things: where parts begin and end.  It knows no messages: what it
   does not read, whoever started it reads with the reader in Python (base/give_up.h),
   which is the one that says what a profile is.  */

#include "base/array.h"
#include "base/give_up.h"
#include "packed/stream.h"
#include "packed/write.h"
#include "parsing/body.h"
#include "parsing/header.h"
#include "parsing/lines.h"
#include "tables/file.h"
#include "tables/part.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define DEFINITION "# defined in: "
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

typedef struct {
   uint32_t key, name;
} Definition;

static bool with_lines;
static File file;
static Part part;
static Body body;
static Header header = {0};
static bool is_open; /* is there a part that body lines go to? */
static unsigned long first_line;

static Definition* definitions; /* of the open part */
static size_t definition_count, definition_capacity;
/* Lines within the open part that say something of it, as they are to be written.  */
static Line* inner_lines;
static size_t inner_count, inner_capacity;
static char* inner_text;
static size_t inner_size, inner_text_capacity;

static void report_progress(size_t bytes)
{
   uint64_t read = bytes;
   stream_record(RECORD_PROGRESS, &read, sizeof read);
   stream_flush();
}

static bool next_line(Line* line) { return lines_next(line, report_progress); }

/* --- Parts -------------------------------------------------------------------------- */

static void open_part(const Line* line)
{
   if (header.events == 0 || header.events > MOST_EVENTS)
      give_up("no events, or too many");
   is_open = true;
   first_line = line->number;
   part_start(&part, header.events, with_lines);
   body_start(&body, &file, &part, header);
}

static void write_inner_lines(void)
{
   const char* text = inner_text;
   for (size_t n = 0; n < inner_count; n++) {
      size_t size = (size_t)(inner_lines[n].end - inner_lines[n].start) + 1;
      stream_line(RECORD_INNER_LINE, inner_lines[n].number, text, size);
      text += size;
   }
}

/* `line` ends the part; NULL is the end of the file.  */
static void close_part(const Line* line)
{
   PartHead head = {first_line,      header.events,      header.columns,
                    header.has_line, header.has_address, header.is_own};
   write_part(&part, head);
   stream_record(RECORD_DEFINITIONS, definitions, definition_count * sizeof *definitions);
   write_inner_lines();
   if (line != NULL)
      stream_line(RECORD_PART_END, line->number, line->start,
                  (size_t)(line->end - line->start) + 1);
   else
      stream_record(RECORD_PART_END, NULL, 0);
   part_free(&part);
   definition_count = inner_count = inner_size = 0;
   is_open = false;
   header = header_after(header);
}

/* --- Lines that are not of the body ------------------------------------------------- */

static void on_comment(const Line* line)
{
   const char *start, *end;
   size_t size = strlen(DEFINITION);
   header_strip(line, &start, &end);
   if ((size_t)(end - start) < size || memcmp(start, DEFINITION, size) != 0 ||
       body.function == NO_FUNCTION)
      return;
   start += size;
   definitions = array_room(definitions, &definition_capacity, definition_count + 1,
                            sizeof *definitions);
   definitions[definition_count++] =
      (Definition){body.key, names_add(&file.names, start, (size_t)(end - start))};
}

static void keep_inner_line(const Line* line)
{
   size_t size = (size_t)(line->end - line->start) + 1;
   inner_lines =
      array_room(inner_lines, &inner_capacity, inner_count + 1, sizeof *inner_lines);
   inner_lines[inner_count++] = *line;
   inner_text = array_room(inner_text, &inner_text_capacity, inner_size + size, 1);
   memcpy(inner_text + inner_size, line->start, size);
   inner_size += size;
}

static void on_other_line(const Line* line)
{
   HeaderKind kind = header_kind(line);
   if (is_open) {
      switch (kind) {
      case HEADER_BLANK: on_comment(line); return;
      case HEADER_INNER: keep_inner_line(line); return;
      case HEADER_AGAIN:
      case HEADER_OTHER: give_up("a line that is unusual within a part");
      default: break;
      }
   } else if (kind == HEADER_TOTALS) {
      open_part(line);
   }
   if (is_open)
      close_part(line);
   if (kind == HEADER_TOTALS)
      return;
   header_read(&header, line);
   stream_line(RECORD_HEADER_LINE, line->number, line->start,
               (size_t)(line->end - line->start) + 1);
}

/* --- The whole ---------------------------------------------------------------------- */

static void read_file(void)
{
   Reading reading = {.next = next_line};
   reading.is_there = next_line(&reading.line);
   size_t mark = strlen(BYTE_ORDER_MARK);
   if (reading.is_there && (size_t)(reading.line.end - reading.line.start) >= mark &&
       memcmp(reading.line.start, BYTE_ORDER_MARK, mark) == 0)
      reading.line.start += mark;
   unsigned long last = 0;
   while (reading.is_there) {
      last = reading.line.number;
      if (body_is_line(&reading.line)) {
         if (!is_open)
            open_part(&reading.line);
         body_read(&body, &reading);
      } else {
         on_other_line(&reading.line);
         reading.is_there = next_line(&reading.line);
      }
      if (!reading.is_there)
         last = reading.line.number;
   }
   if (is_open)
      close_part(NULL);
   write_file(&file, last);
}

int main(int count, char** arguments)
{
   if (count != 2 ||
       (strcmp(arguments[1], "functions") != 0 && strcmp(arguments[1], "lines") != 0)) {
      fprintf(stderr, "read_profile: give it `functions` or `lines`, and a profile on "
                      "standard input\n");
      return 2;
   }
   with_lines = strcmp(arguments[1], "lines") == 0;
   signal(SIGPIPE, SIG_IGN);
   uint64_t version = STREAM_VERSION;
   stream_record(RECORD_VERSION, &version, sizeof version);
   file_start(&file);
   header = header_first();
   read_file();
   return 0;
}
