/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading a file by pieces; see file_pieces.h.  Each piece has one place, which it shares
   with others: what was read last stays there.  */

#include "code/file_pieces.h"

#include "base/memory.h"

#include <string.h>
#include <unistd.h>

#define PIECE_SIZE 512u
#define PLACES 256u

typedef struct {
   uint64_t number; /* in the file */
   size_t size;     /* less than a whole one at the end of the file */
   uint8_t bytes[PIECE_SIZE];
} Piece;

struct FilePieces {
   Piece* places[PLACES]; /* NULL: none was read */
};

FilePieces* file_pieces_create(void) { return memory_allocate(sizeof(FilePieces)); }

static const Piece* read_piece(FilePieces* pieces, int fd, uint64_t number)
{
   Piece** place = &pieces->places[number % PLACES];
   if (*place == NULL)
      *place = memory_allocate(sizeof **place);
   else if ((*place)->number == number)
      return *place;
   ssize_t size = pread(fd, (*place)->bytes, PIECE_SIZE, (off_t)(number * PIECE_SIZE));
   (*place)->number = number;
   (*place)->size = size > 0 ? (size_t)size : 0;
   return *place;
}

bool file_pieces_read(FilePieces* pieces, int fd, uint64_t offset, void* bytes,
                      size_t size)
{
   uint8_t* to = bytes;
   while (size != 0) {
      const Piece* piece = read_piece(pieces, fd, offset / PIECE_SIZE);
      size_t at = offset % PIECE_SIZE;
      size_t part = size < PIECE_SIZE - at ? size : PIECE_SIZE - at;
      if (at + part > piece->size)
         return false;
      memcpy(to, piece->bytes + at, part);
      to += part;
      offset += part;
      size -= part;
   }
   return true;
}
