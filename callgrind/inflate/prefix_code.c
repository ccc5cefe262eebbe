/* SPDX-License-Identifier: GPL-2.0-or-later

   See prefix_code.h.  Codes are kept with their first bit in the lowest place, as they
   are looked up.  So a longer one that goes on with zeros is the same number.  */

#include "inflate/prefix_code.h"

#include "pub_tool_libcbase.h"

#define NO_CODE PREFIX_IS_SPECIAL

/* How many codes there are of each length, and the symbols in the order of their
   codes.  */
typedef struct {
   UInt counts[PREFIX_CODE_LONGEST + 1];
   UShort symbols[PREFIX_CODE_SYMBOLS];
} Codes;

static Bool sort_codes(const UChar* lengths, UInt n, Codes* codes)
{
   UInt starts[PREFIX_CODE_LONGEST + 2] = {0};
   VG_(memset)(codes->counts, 0, sizeof codes->counts);
   for (UInt i = 0; i < n; i++)
      codes->counts[lengths[i]]++;
   UInt n_codes = n - codes->counts[0];
   codes->counts[0] = 0;
   Int left = 1;
   for (UInt bits = 1; bits <= PREFIX_CODE_LONGEST; bits++) {
      left = 2 * left - (Int)codes->counts[bits];
      if (left < 0)
         return False;
      starts[bits + 1] = starts[bits] + codes->counts[bits];
   }
   for (UInt i = 0; i < n; i++)
      if (lengths[i] != 0)
         codes->symbols[starts[lengths[i]]++] = (UShort)i;
   return left == 0 || n_codes == 0 || (n_codes == 1 && codes->counts[1] == 1);
}

/* The code behind this one of the same length; 0 behind the last one.  */
static UInt next_code(UInt code, UInt n_bits)
{
   UInt bit = 1u << (n_bits - 1);
   while (code & bit)
      bit >>= 1;
   return bit != 0 ? (code & (bit - 1)) | bit : 0;
}

/* How many bits the table needs that `left` codes of `n_bits` lead to, and longer ones
   behind them, if `table_bits` come before.  */
static UInt bits_of_table(const Codes* codes, UInt left, UInt n_bits, UInt table_bits)
{
   Int open = (1 << (n_bits - table_bits)) - (Int)left;
   while (open > 0 && n_bits < PREFIX_CODE_LONGEST)
      open = 2 * open - (Int)codes->counts[++n_bits];
   return n_bits - table_bits;
}

static void fill(PrefixEntry* table, UInt size, UInt at, UInt step, PrefixEntry entry)
{
   for (; at < size; at += step)
      table[at] = entry;
}

Bool prefix_code_make(const UChar* lengths, UInt n, UInt table_bits, PrefixEntry* table,
                      PrefixEntry (*entry)(UInt symbol, UInt bits))
{
   Codes codes;
   if (!sort_codes(lengths, n, &codes))
      return False;
   const UInt size = 1u << table_bits;
   UInt code = 0, i = 0;
   UInt behind = size, bits_behind = 0; /* the table that was made last */
   PrefixEntry* leads_there = NULL;
   fill(table, size, 0, 1, NO_CODE);
   for (UInt bits = 1; bits <= PREFIX_CODE_LONGEST; bits++)
      for (UInt left = codes.counts[bits]; left > 0; left--) {
         const UInt symbol = codes.symbols[i++];
         if (bits <= table_bits)
            fill(table, size, code, 1u << bits, entry(symbol, bits));
         else {
            PrefixEntry* leads = &table[code & (size - 1)];
            if (leads != leads_there) {
               leads_there = leads;
               behind += bits_behind > 0 ? 1u << bits_behind : 0;
               bits_behind = bits_of_table(&codes, left, bits, table_bits);
               *leads = behind << 16 | PREFIX_IS_SPECIAL | PREFIX_LEADS_ON |
                        bits_behind << 8 | table_bits;
            }
            fill(table + behind, 1u << bits_behind, code >> table_bits,
                 1u << (bits - table_bits), entry(symbol, bits - table_bits));
         }
         code = next_code(code, bits);
      }
   return True;
}
