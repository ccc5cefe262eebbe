/* SPDX-License-Identifier: GPL-2.0-or-later

   What this program writes to standard output: records, each a Head and its bytes, in the
   byte order of the machine.  callgrind/report/profile_file/native.py reads them.  */

#ifndef READER_STREAM_H
#define READER_STREAM_H

#include <stddef.h>
#include <stdint.h>

/* With another one, a reader of another version has been started.  */
#define STREAM_VERSION 1

/* What a record is.  The numbers are those of native.py; a test compares.  */
typedef enum {
   RECORD_VERSION = 1, /* STREAM_VERSION */
   RECORD_PROGRESS,    /* how many bytes have been read */
   RECORD_HEADER_LINE, /* its number, and the line with its line feed: outside of parts */
   RECORD_PART,        /* PartHead: a part, whose arrays follow, in this order */
   RECORD_FUNCTIONS,   /* u32 by function: its key; those without costs and calls are */
                       /* left out, and the others numbered anew */
   RECORD_SELF,        /* costs by function */
   RECORD_ARC_ENDS,    /* u32 by function: the arcs of all before it, and of it */
   RECORD_CALLEES,     /* u32 by arc: a key */
   RECORD_COUNTS,      /* i64 by arc */
   RECORD_INCLUSIVE,   /* costs by arc */
   RECORD_BLOCK_ENDS,  /* u32 by function; from here on only with lines */
   RECORD_BLOCK_SOURCES, /* u32 by block */
   RECORD_LINE_ENDS,     /* u32 by block */
   RECORD_LINES,         /* i64 by line: its number in the source */
   RECORD_LINE_COSTS,    /* costs by line */
   RECORD_ARC_SOURCES,   /* u32 by arc: the source of its block */
   RECORD_ARC_LINES,     /* i64 by arc */
   RECORD_ARC_TARGETS,   /* i64 by arc */
   RECORD_JUMP_ENDS,     /* u32 by function */
   RECORD_JUMPS,         /* JumpRecord by jump */
   RECORD_DEFINITIONS, /* pairs of u32: a key, and the name of the file that defines it */
   RECORD_INNER_LINE,  /* as RECORD_HEADER_LINE, of what says something of this part */
   RECORD_PART_END,    /* the line that ends the part; none at the end of the file */
   RECORD_KEYS,        /* three u32 by key: names of object, file and function */
   RECORD_SOURCES,     /* two u32 by source: names of file and inlined function */
   RECORD_NAME_ENDS,   /* u64 by name: where its bytes end */
   RECORD_NAMES,       /* the bytes of all names */
   RECORD_END          /* the number of the last line: nothing is missing */
} Record;

typedef struct {
   uint64_t record, size; /* bytes behind this */
} StreamHead;

/* As the part was read: callgrind_report compares that with what it makes of the header.
   The line is that of the first one of its body.  */
typedef struct {
   uint64_t line, events, columns, has_line, has_address, is_own;
} PartHead;

typedef struct {
   uint32_t source, function, file, is_conditional;
   int64_t line, target_line, executed, followed;
} JumpRecord;

/* Begins a record of so many bytes, which stream_write() then writes.  */
void stream_begin(Record record, size_t size);

/* Writes bytes.  If nobody reads them, the program gives up.  */
void stream_write(const void* bytes, size_t size);

/* A whole record.  */
void stream_record(Record record, const void* bytes, size_t size);

/* A record of a number and a text.  */
void stream_line(Record record, unsigned long number, const char* text, size_t size);

/* Writes what waits in the buffer.  */
void stream_flush(void);

#endif
