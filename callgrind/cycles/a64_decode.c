/* SPDX-License-Identifier: GPL-2.0-or-later

   See a64_decode.h.  Owns the classes, and where in them those with some four bits
   begin.  */

#include "cycles/a64_decode.h"

#if defined(VGA_arm64)

typedef struct {
   UInt mask, value, kept;
   UChar normal;
   UInt uses;
} Row;

static const Row rows[] = {
#define A64_CLASS(MASK, VALUE, KEPT, FILL, NORMAL, USES)                                 \
   {MASK, VALUE, KEPT, A64##NORMAL, (UInt)(USES)},
#include "cycles/a64_classes.h"
#undef A64_CLASS
};

#define ROWS (sizeof rows / sizeof rows[0])

/* By bits 25 to 28, which tell groups apart: the rows that may fit, in order.  */
#define GROUPS 16
static UChar rows_of_group[GROUPS][ROWS];
static UChar n_of_group[GROUPS];

static Bool may_fit(const Row* row, UInt group)
{
   UInt bits = group << 25, mask = row->mask & (GROUPS - 1u) << 25;
   return (bits & mask) == (row->value & mask);
}

static void make_groups(void)
{
   for (UInt group = 0; group < GROUPS; group++)
      for (UInt i = 0; i < ROWS; i++)
         if (may_fit(&rows[i], group))
            rows_of_group[group][n_of_group[group]++] = (UChar)i;
}

/*--------------------------------------------------------------------*/
/* Operands that tell costs apart: a64_forms.py does the same           */

static UInt shifted(UInt word)
{
   UInt amount = a64_bits(word, 10, 6);
   return (amount == 0 ? 0 : amount <= 4 ? 4u : 16u) << 10;
}

static UInt highest_bit(UInt bits)
{
   return bits == 0 ? 0 : 31 - (UInt)__builtin_clz(bits);
}

static UInt normal_operands(const Row* row, UInt word)
{
   switch (row->normal) {
   case A64Wide: return (UInt)(a64_bits(word, 5, 16) != 0) << 5;
   case A64Shifted: return shifted(word);
   case A64ShiftedMove:
      return shifted(word) | (a64_bits(word, 5, 5) == 31 ? 31u << 5 : 0);
   case A64Element: {
      UInt size = a64_bits(word, 16, 5);
      return size == 0 ? 0 : (size & (0u - size)) << 16;
   }
   case A64ShiftAmount: return 1u << highest_bit(a64_bits(word, 19, 4)) << 19;
   default: return 0;
   }
}

A64Class a64_class(UInt word)
{
   UInt group = a64_bits(word, 25, 4);
   if (n_of_group[GROUPS - 1] == 0)
      make_groups();
   for (UInt i = 0; i < n_of_group[group]; i++) {
      const Row* row = &rows[rows_of_group[group][i]];
      if ((word & row->mask) == row->value)
         return (A64Class){(word & (row->mask | row->kept)) | normal_operands(row, word),
                           row->uses};
   }
   return (A64Class){0, 0};
}

#endif
