/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes what has been read as records of stream.h.  */

#ifndef READER_WRITE_H
#define READER_WRITE_H

#include "packed/stream.h"
#include "tables/file.h"
#include "tables/part.h"

/* Writes a part, from its head to its jumps.  */
void write_part(const Part* part, PartHead head);

/* Writes the tables that all parts share, and the end.  */
void write_file(const File* file, unsigned long last_line);

#endif
