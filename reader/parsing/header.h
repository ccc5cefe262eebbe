/* SPDX-License-Identifier: GPL-2.0-or-later

   What of a profile's header lines counts for reading the lines of its body.  All else of
   them is for callgrind_report, which also looks for mistakes in them.  */

#ifndef READER_HEADER_H
#define READER_HEADER_H

#include "parsing/lines.h"

#include <stdbool.h>

typedef struct {
   unsigned events;
   unsigned columns; /* of positions */
   bool has_line, has_address;
   bool is_own; /* callgrind's, of whatever make */
} Header;

typedef enum {
   HEADER_OTHER, /* no header line that callgrind knows */
   HEADER_BLANK, /* or a comment */
   HEADER_PART,  /* it begins a part */
   HEADER_INNER, /* also within a part, of which it says something */
   HEADER_AGAIN, /* within a part, only what was said before may be repeated */
   HEADER_TOTALS /* the end of a part */
} HeaderKind;

/* The first part's, before any line.  */
Header header_first(void);

/* The next part's, before a line of it.  */
Header header_after(Header last);

HeaderKind header_kind(const Line* line);

/* What a line outside of parts says.  */
void header_read(Header* header, const Line* line);

/* The text of a line without white space around it.  */
void header_strip(const Line* line, const char** start, const char** end);

#endif
