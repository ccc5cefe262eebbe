/* SPDX-License-Identifier: GPL-2.0-or-later

   Tables of prefix codes, as compressed files have them (RFC 1951, 3.2.2): the lengths of
   all codes say which they are, in ascending order.

   The next bits are looked up in a table, which has an entry for each value of so many
   bits.  A longer code leads on to a table behind that one, for the bits that follow.  */

#ifndef CALLGRIND_PREFIX_CODE_H
#define CALLGRIND_PREFIX_CODE_H

#include "core_version.h"

#define PREFIX_CODE_LONGEST 15
#define PREFIX_CODE_SYMBOLS 288 /* no code has more */

/* An entry, from the highest bit on: what the symbol is, 16 bits, for example the least
   length that it stands for; flags; of how many bits the code is, but for those that led
   to the table, 4 bits; and of how many these and what follows the code are together, as
   a length may have a few more bits added to it, 8 bits.

   One that leads on: where the table begins; the flags; how many bits are looked up
   there; how many were looked up here.  */
typedef UInt PrefixEntry;

#define PREFIX_IS_BYTE (1u << 15)
#define PREFIX_IS_SPECIAL (1u << 14) /* one of the next two, or no code at all */
#define PREFIX_LEADS_ON (1u << 13)
#define PREFIX_IS_END (1u << 12)

static inline PrefixEntry prefix_entry(UInt what, UInt flags, UInt bits, UInt added)
{
   return what << 16 | flags | bits << 8 | (bits + added);
}
static inline UInt prefix_what(PrefixEntry entry) { return entry >> 16; }
static inline UInt prefix_bits(PrefixEntry entry) { return entry >> 8 & 15; }
static inline UInt prefix_all_bits(PrefixEntry entry) { return entry & 0xff; }

/* How many entries all tables of a code have at most, if `bits` are looked up in the
   first.  One behind it, of 2^d entries, has at least d + 1 codes.  */
#define PREFIX_ENTRIES(bits, symbols)                                                    \
   ((1u << (bits)) +                                                                     \
    (symbols) * (1u << (PREFIX_CODE_LONGEST - (bits))) /                                 \
       (PREFIX_CODE_LONGEST - (bits) + 1) +                                              \
    1)

/* Makes the tables of the code whose symbol number i has lengths[i] bits, or is not used:
   0.  entry(symbol, bits) is the symbol's.  False if codes of these lengths cannot be
   told apart, or if there could be more: that may be so only with a single code, of one
   bit, and with none.  */
Bool prefix_code_make(const UChar* lengths, UInt n, UInt table_bits, PrefixEntry* table,
                      PrefixEntry (*entry)(UInt symbol, UInt bits));

#endif
