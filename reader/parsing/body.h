/* SPDX-License-Identifier: GPL-2.0-or-later

   Body lines: costs, calls and jumps, and the names that say where they belong.  Rules
   and the words for them are those of callgrind/report/profile_file/body.py.  */

#ifndef READER_BODY_H
#define READER_BODY_H

#include "parsing/header.h"
#include "parsing/lines.h"
#include "tables/file.h"
#include "tables/part.h"

/* The line in hand; `next` asks for another one and says whether there is one.  */
typedef struct {
   Line line;
   bool (*next)(Line* line);
   bool is_there;
} Reading;

/* Where body lines have come to.  */
typedef struct {
   File* file;
   Part* part;
   Header header;
   uint32_t object, function_file; /* names */
   uint32_t function;              /* of the part, or NO_FUNCTION */
   uint32_t key;                   /* the function's */
   uint32_t source_file, inlined;  /* names: the source */
   uint32_t block;                 /* with lines */
   int64_t line_number;
   uint32_t called_object, called_file, called_name; /* NAME_NONE: not said */
   uint32_t jumped_file, jumped_name;
} Body;

/* Begins the body of a part.  */
void body_start(Body* body, File* file, Part* part, Header header);

/* Whether a line belongs to the body, whether a part is open or not.  */
bool body_is_line(const Line* line);

/* Reads the line in hand, which belongs to the body, and what belongs to that.  A line
   behind it is then in hand.  */
void body_read(Body* body, Reading* reading);

#endif
