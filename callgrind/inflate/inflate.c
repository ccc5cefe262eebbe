/* SPDX-License-Identifier: GPL-2.0-or-later

   See inflate.h.

   What is packed is a row of blocks: bytes as they are, or symbols, of which each has a
   code of so many bits.  A symbol is a byte, or the length of a copy of what has been
   unpacked already; then a second one says how far back that is, its distance.

   Bits come from a word that is filled up, eight bytes at once.  Near the ends, of what
   is packed and of where it goes, symbols are read one by one, with more care.  */

#include "inflate/inflate.h"

#include "base/always_inline.h"
#include "inflate/prefix_code.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define DISTANCES 32
#define LENGTH_CODES 19

/* How many bits are looked up at once.  */
#define SYMBOL_BITS 11
#define DISTANCE_BITS 8
#define LENGTH_CODE_BITS 7

#define END_OF_BLOCK 256
#define FIRST_LENGTH 257
#define N_LENGTHS 29
#define N_DISTANCES 30
#define LONGEST_COPY 258

/* Bits that come next, the lowest one first.  */
typedef struct {
   ULong word;
   UInt n;
   UInt n_missing; /* of their bytes, zeros in place of those behind the end */
   const UChar *next, *end;
} Bits;

typedef enum { AtBlock, InBytes, InSymbols, AtEnd } Place;

struct Inflate {
   Bits bits;
   UChar *start, *at, *limit;
   Place place;
   Bool is_last; /* block */
   SizeT left;   /* InBytes: how many */
   PrefixEntry symbols[PREFIX_ENTRIES(SYMBOL_BITS, PREFIX_CODE_SYMBOLS)];
   PrefixEntry distances[PREFIX_ENTRIES(DISTANCE_BITS, DISTANCES)];
};

/*--------------------------------------------------------------------*/
/* Bits                                                                */

/* Makes sure of at least 56, if eight bytes can be read.  */
ALWAYS_INLINE void fill_fast(Bits* bits)
{
   ULong word;
   __builtin_memcpy(&word, bits->next, sizeof word);
#ifdef VG_BIGENDIAN
   word = __builtin_bswap64(word);
#endif
   bits->word |= word << bits->n;
   bits->next += (63 - bits->n) >> 3;
   bits->n |= 56;
}

/* Makes sure of at least 56, some of which may be missing.  */
static void fill(Bits* bits)
{
   for (; bits->n < 56; bits->n += 8) {
      if (bits->next < bits->end)
         bits->word |= (ULong)*bits->next++ << bits->n;
      else
         bits->n_missing++;
   }
}

ALWAYS_INLINE void drop(Bits* bits, UInt n)
{
   bits->word >>= n;
   bits->n -= n;
}

static UInt take(Bits* bits, UInt n)
{
   UInt found = (UInt)(bits->word & ((1u << n) - 1));
   drop(bits, n);
   return found;
}

/* Have some been used that are missing?  */
static Bool is_past_end(const Bits* bits) { return 8 * bits->n_missing > bits->n; }

/* Goes to the next whole byte, and gives those back that were not used.  */
static void give_back(Bits* bits)
{
   UInt n_bytes = bits->n / 8;
   bits->next -= n_bytes > bits->n_missing ? n_bytes - bits->n_missing : 0;
   bits->word = 0;
   bits->n = bits->n_missing = 0;
}

/*--------------------------------------------------------------------*/
/* Blocks                                                              */

/* Lengths and distances grow with the number of bits that are added to them.  */
static PrefixEntry entry_of_symbol(UInt symbol, UInt bits)
{
   static const UShort least[N_LENGTHS] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                           15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                           67, 83, 99, 115, 131, 163, 195, 227, 258};
   if (symbol < END_OF_BLOCK)
      return prefix_entry(symbol, PREFIX_IS_BYTE, bits, 0);
   if (symbol == END_OF_BLOCK)
      return prefix_entry(0, PREFIX_IS_SPECIAL | PREFIX_IS_END, bits, 0);
   UInt i = symbol - FIRST_LENGTH;
   if (i >= N_LENGTHS)
      return prefix_entry(0, PREFIX_IS_SPECIAL, bits, 0);
   return prefix_entry(least[i], 0, bits, i < 8 || i == N_LENGTHS - 1 ? 0 : i / 4 - 1);
}

static PrefixEntry entry_of_distance(UInt symbol, UInt bits)
{
   if (symbol >= N_DISTANCES)
      return prefix_entry(0, PREFIX_IS_SPECIAL, bits, 0);
   if (symbol < 4)
      return prefix_entry(1 + symbol, 0, bits, 0);
   UInt added = symbol / 2 - 1;
   return prefix_entry(1 + ((2 + (symbol & 1)) << added), 0, bits, added);
}

static PrefixEntry entry_of_length(UInt symbol, UInt bits)
{
   return prefix_entry(symbol, 0, bits, 0);
}

static Bool make_codes(Inflate* in, const UChar* symbols, UInt n_symbols,
                       const UChar* distances, UInt n_distances)
{
   return prefix_code_make(symbols, n_symbols, SYMBOL_BITS, in->symbols,
                           entry_of_symbol) &&
          prefix_code_make(distances, n_distances, DISTANCE_BITS, in->distances,
                           entry_of_distance);
}

static Bool make_fixed_codes(Inflate* in)
{
   UChar symbols[PREFIX_CODE_SYMBOLS], distances[DISTANCES];
   for (UInt i = 0; i < PREFIX_CODE_SYMBOLS; i++)
      symbols[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
   VG_(memset)(distances, 5, sizeof distances);
   return make_codes(in, symbols, PREFIX_CODE_SYMBOLS, distances, DISTANCES);
}

/* Reads the lengths of codes, which are in a code themselves.  Some of its symbols repeat
   the last length, or 0.  */
static Bool read_lengths(Bits* bits, const PrefixEntry* table, UChar* lengths, UInt n)
{
   for (UInt i = 0; i < n;) {
      fill(bits);
      PrefixEntry entry = table[bits->word & ((1u << LENGTH_CODE_BITS) - 1)];
      UInt symbol = prefix_what(entry), times = 1, length = symbol;
      if (entry & PREFIX_IS_SPECIAL)
         return False;
      drop(bits, prefix_all_bits(entry));
      switch (symbol) {
      case 16:
         if (i == 0)
            return False;
         length = lengths[i - 1];
         times = 3 + take(bits, 2);
         break;
      case 17: length = 0, times = 3 + take(bits, 3); break;
      case 18: length = 0, times = 11 + take(bits, 7); break;
      default: break;
      }
      if (times > n - i || is_past_end(bits))
         return False;
      for (; times > 0; times--)
         lengths[i++] = (UChar)length;
   }
   return True;
}

static Bool read_codes(Inflate* in)
{
   static const UChar order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                             11, 4,  12, 3, 13, 2, 14, 1, 15};
   Bits* bits = &in->bits;
   UInt n_symbols = FIRST_LENGTH + take(bits, 5), n_distances = 1 + take(bits, 5);
   UInt n_lengths = 4 + take(bits, 4);
   if (n_symbols > PREFIX_CODE_SYMBOLS)
      return False;
   UChar of_lengths[LENGTH_CODES] = {0};
   for (UInt i = 0; i < n_lengths; i++) {
      fill(bits);
      of_lengths[order[i]] = (UChar)take(bits, 3);
   }
   PrefixEntry table[1u << LENGTH_CODE_BITS];
   UChar lengths[PREFIX_CODE_SYMBOLS + DISTANCES];
   return prefix_code_make(of_lengths, LENGTH_CODES, LENGTH_CODE_BITS, table,
                           entry_of_length) &&
          read_lengths(bits, table, lengths, n_symbols + n_distances) &&
          lengths[END_OF_BLOCK] != 0 &&
          make_codes(in, lengths, n_symbols, lengths + n_symbols, n_distances);
}

/* How many bytes there are as they are.  */
static Bool begin_bytes(Inflate* in)
{
   Bits* bits = &in->bits;
   give_back(bits);
   if (bits->end - bits->next < 4)
      return False;
   UInt size = bits->next[0] | (UInt)bits->next[1] << 8;
   UInt inverse = bits->next[2] | (UInt)bits->next[3] << 8;
   bits->next += 4;
   in->left = size;
   in->place = InBytes;
   return size == (inverse ^ 0xffff);
}

static Bool begin_block(Inflate* in)
{
   fill(&in->bits);
   in->is_last = take(&in->bits, 1) != 0;
   in->place = InSymbols;
   switch (take(&in->bits, 2)) {
   case 0: return begin_bytes(in);
   case 1: return make_fixed_codes(in) && !is_past_end(&in->bits);
   case 2: return read_codes(in) && !is_past_end(&in->bits);
   default: return False;
   }
}

static void end_block(Inflate* in) { in->place = in->is_last ? AtEnd : AtBlock; }

/*--------------------------------------------------------------------*/
/* What is in them                                                     */

static Bool unpack_bytes(Inflate* in, const UChar* stop)
{
   SizeT n = in->left;
   if (n > (SizeT)(stop - in->at))
      n = (SizeT)(stop - in->at);
   if (n > (SizeT)(in->bits.end - in->bits.next))
      return False;
   VG_(memcpy)(in->at, in->bits.next, n);
   in->at += n;
   in->bits.next += n;
   in->left -= n;
   if (in->left == 0)
      end_block(in);
   return True;
}

ALWAYS_INLINE PrefixEntry look_up(const PrefixEntry* table, UInt n, ULong word)
{
   return table[word & ((1u << n) - 1)];
}

/* Goes on from an entry that may lead on.  */
ALWAYS_INLINE PrefixEntry follow(const PrefixEntry* table, PrefixEntry entry, Bits* bits)
{
   if (LIKELY(!(entry & PREFIX_LEADS_ON)))
      return entry;
   drop(bits, prefix_all_bits(entry));
   return look_up(table + prefix_what(entry), prefix_bits(entry), bits->word);
}

/* The number of a length or a distance, with the bits that are added to it.  */
ALWAYS_INLINE UInt take_number(PrefixEntry entry, Bits* bits)
{
   ULong all = bits->word & ((1ULL << prefix_all_bits(entry)) - 1);
   drop(bits, prefix_all_bits(entry));
   return prefix_what(entry) + (UInt)(all >> prefix_bits(entry));
}

#define WORD sizeof(ULong)

ALWAYS_INLINE void copy_word(UChar* to, const UChar* from)
{
   __builtin_memcpy(to, from, WORD);
}

/* Copies from `distance` bytes before, and up to MOST_BEYOND bytes more than `length`.
   Nearly all are no longer than two words, which are copied without a question.  */
ALWAYS_INLINE void copy_fast(UChar* to, UInt distance, UInt length)
{
   const UChar *from = to - distance, *end = to + length;
   if (LIKELY(distance >= WORD)) {
      copy_word(to, from);
      copy_word(to + WORD, from + WORD);
      for (to += 2 * WORD, from += 2 * WORD; UNLIKELY(to < end); to += WORD, from += WORD)
         copy_word(to, from);
   } else
      while (to < end)
         *to++ = *from++;
}

/* So many bytes are read at most between two questions whether the end is near.  */
#define NEAR_END (2 * (Long)sizeof(ULong))

/* Unpacks symbols while the ends are far.  Up to `stop`, or a little farther; to the end
   of the block; or up to what cannot be read.  */
static Bool unpack_symbols_fast(Inflate* in, const UChar* stop)
{
   Bits bits = in->bits;
   UChar* at = in->at;
   const PrefixEntry *symbols = in->symbols, *distances = in->distances;
   Bool is_sound = True;
   while (at < stop && bits.end - bits.next > NEAR_END) {
      fill_fast(&bits);
      PrefixEntry entry = look_up(symbols, SYMBOL_BITS, bits.word);
      if (entry & PREFIX_IS_BYTE) {
         *at++ = (UChar)prefix_what(entry);
         drop(&bits, prefix_all_bits(entry));
         entry = look_up(symbols, SYMBOL_BITS, bits.word);
         if (entry & PREFIX_IS_BYTE) {
            *at++ = (UChar)prefix_what(entry);
            drop(&bits, prefix_all_bits(entry));
            entry = look_up(symbols, SYMBOL_BITS, bits.word);
            if (entry & PREFIX_IS_BYTE) {
               *at++ = (UChar)prefix_what(entry);
               drop(&bits, prefix_all_bits(entry));
               continue;
            }
         }
         fill_fast(&bits);
      }
      entry = follow(symbols, entry, &bits);
      if (UNLIKELY(entry & (PREFIX_IS_BYTE | PREFIX_IS_SPECIAL))) {
         drop(&bits, prefix_all_bits(entry));
         if (entry & PREFIX_IS_BYTE) {
            *at++ = (UChar)prefix_what(entry);
            continue;
         }
         is_sound = (entry & PREFIX_IS_END) != 0;
         end_block(in);
         break;
      }
      UInt length = take_number(entry, &bits);
      entry = follow(distances, look_up(distances, DISTANCE_BITS, bits.word), &bits);
      UInt distance = take_number(entry, &bits);
      if (UNLIKELY(entry & PREFIX_IS_SPECIAL) || distance > (SizeT)(at - in->start)) {
         is_sound = False;
         break;
      }
      copy_fast(at, distance, length);
      at += length;
   }
   in->bits = bits;
   in->at = at;
   return is_sound;
}

static Bool copy_carefully(Inflate* in, UInt distance, UInt length)
{
   if (distance > (SizeT)(in->at - in->start) || length > (SizeT)(in->limit - in->at))
      return False;
   for (; length > 0; length--, in->at++)
      *in->at = *(in->at - distance);
   return True;
}

/* Unpacks one.  */
static Bool unpack_symbol(Inflate* in)
{
   Bits* bits = &in->bits;
   fill(bits);
   PrefixEntry entry =
      follow(in->symbols, look_up(in->symbols, SYMBOL_BITS, bits->word), bits);
   UInt what = take_number(entry, bits);
   if (is_past_end(bits))
      return False;
   if (entry & PREFIX_IS_BYTE) {
      if (in->at == in->limit)
         return False;
      *in->at++ = (UChar)what;
      return True;
   }
   if (entry & PREFIX_IS_SPECIAL) {
      end_block(in);
      return (entry & PREFIX_IS_END) != 0;
   }
   entry = follow(in->distances, look_up(in->distances, DISTANCE_BITS, bits->word), bits);
   UInt distance = take_number(entry, bits);
   return !(entry & PREFIX_IS_SPECIAL) && !is_past_end(bits) &&
          copy_carefully(in, distance, what);
}

/* What may be written at most between two questions whether the end is near.  */
#define MOST_BEYOND (2 * sizeof(ULong))
#define MOST_AT_ONCE (2 + LONGEST_COPY + MOST_BEYOND)

static Bool unpack_symbols(Inflate* in, const UChar* stop)
{
   if ((SizeT)(in->limit - in->at) > MOST_AT_ONCE) {
      const UChar* far = in->limit - MOST_AT_ONCE;
      if (!unpack_symbols_fast(in, stop < far ? stop : far))
         return False;
   }
   /* What is left is short, but where many bytes cost few bits.  */
   if (in->place == InSymbols && in->at < stop)
      return unpack_symbol(in);
   return True;
}

/*--------------------------------------------------------------------*/

static Bool read_header(Bits* bits)
{
   enum { Deflate = 8, MostBits = 7, HasDictionary = 0x20 };
   if (bits->end - bits->next < 2)
      return False;
   UInt method = bits->next[0], flags = bits->next[1];
   bits->next += 2;
   return (method & 15) == Deflate && method >> 4 <= MostBits &&
          (method << 8 | flags) % 31 == 0 && !(flags & HasDictionary);
}

Inflate* inflate_begin(const UChar* packed, SizeT packed_size, UChar* to, SizeT size)
{
   Inflate* in = VG_(malloc)("inflate", sizeof *in);
   in->bits = (Bits){0, 0, 0, packed, packed + packed_size};
   in->start = in->at = to;
   in->limit = to + size;
   in->place = read_header(&in->bits) ? AtBlock : AtEnd;
   in->is_last = False;
   in->left = 0;
   return in;
}

void inflate_end(Inflate* inflate) { VG_(free)(inflate); }

static Bool unpack(Inflate* in, const UChar* stop)
{
   switch (in->place) {
   case AtBlock: return begin_block(in);
   case InBytes: return unpack_bytes(in, stop);
   case InSymbols: return unpack_symbols(in, stop);
   default: return False;
   }
}

SizeT inflate_up_to(Inflate* in, SizeT wanted)
{
   const UChar* stop = in->limit;
   if (wanted < (SizeT)(in->limit - in->start))
      stop = in->start + wanted;
   while (in->at < stop && in->place != AtEnd)
      if (!unpack(in, stop))
         in->place = AtEnd;
   return (SizeT)(in->at - in->start);
}
