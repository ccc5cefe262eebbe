/* SPDX-License-Identifier: GPL-2.0-or-later

   Pieces of a file that were read lately: a few bytes of code are asked for again with
   most samples, and a system call for each would cost more than unwinding does.  */

#ifndef SAMPLER_FILE_PIECES_H
#define SAMPLER_FILE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pieces of one file.  */
typedef struct FilePieces FilePieces;

/* None is read yet.  Lives as long as the file's object.  */
FilePieces* file_pieces_create(void);

/* Reads `size` bytes at `offset` of the file, or takes those that were read before.
   False if the file does not have them.  */
bool file_pieces_read(FilePieces* pieces, int fd, uint64_t offset, void* bytes,
                      size_t size);

#endif
