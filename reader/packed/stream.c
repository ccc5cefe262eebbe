/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes records; see stream.h.  The C library buffers standard output.  */

#include "packed/stream.h"

#include "base/give_up.h"

#include <stdio.h>

void stream_write(const void* bytes, size_t size)
{
   if (size > 0 && fwrite(bytes, 1, size, stdout) != size)
      give_up("nobody reads what is written");
}

void stream_begin(Record record, size_t size)
{
   StreamHead head = {record, size};
   stream_write(&head, sizeof head);
}

void stream_record(Record record, const void* bytes, size_t size)
{
   stream_begin(record, size);
   stream_write(bytes, size);
}

void stream_line(Record record, unsigned long number, const char* text, size_t size)
{
   uint64_t line = number;
   stream_begin(record, sizeof line + size);
   stream_write(&line, sizeof line);
   stream_write(text, size);
}

void stream_flush(void)
{
   if (fflush(stdout) != 0)
      give_up("nobody reads what is written");
}
