/* SPDX-License-Identifier: GPL-2.0-or-later

   See form_table.h.  The legacy rows are facts of Intel's manual, volume 2.  */

#include "host_instructions/form_table.h"

#if defined(VGA_amd64)

enum { NoPrefix, Prefix66, PrefixF3, PrefixF2 };

#define ROW(map, prefix, opcode, digit)                                                  \
   FORM_KEY(EncodingLegacy, map, prefix, 0, opcode, digit)

/* Two vectors, of 16 bytes, of which the first is written.  */
#define ON_VECTORS(map, prefix, opcode, immediate, implied)                              \
   {ROW(map, prefix, opcode, 0),                                                         \
    OperandVector,                                                                       \
    OperandNone,                                                                         \
    OperandVector,                                                                       \
    WritesReg | (implied),                                                               \
    MemoryRead,                                                                          \
    immediate,                                                                           \
    {16},                                                                                \
    {0},                                                                                 \
    0}

#define ON_CACHE_LINE(prefix, opcode, digit)                                             \
   {ROW(1, prefix, opcode, (digit) + 1),                                                 \
    OperandNone,                                                                         \
    OperandNone,                                                                         \
    OperandNone,                                                                         \
    0,                                                                                   \
    MemoryTouch,                                                                         \
    0,                                                                                   \
    {1},                                                                                 \
    {0},                                                                                 \
    0}

/* Between a general register and memory.  */
#define ON_GENERAL(prefix, opcode, writes, memory, size)                                 \
   {ROW(2, prefix, opcode, 0),                                                           \
    OperandGeneral,                                                                      \
    OperandNone,                                                                         \
    OperandNone,                                                                         \
    writes,                                                                              \
    memory,                                                                              \
    0,                                                                                   \
    {size},                                                                              \
    {0},                                                                                 \
    0}

/* clang-format off */
static const InstructionForm legacy[] = {
   ON_VECTORS(2, NoPrefix, 0xc8, 0, 0),         /* sha1nexte */
   ON_VECTORS(2, NoPrefix, 0xc9, 0, 0),         /* sha1msg1 */
   ON_VECTORS(2, NoPrefix, 0xca, 0, 0),         /* sha1msg2 */
   ON_VECTORS(2, NoPrefix, 0xcb, 0, ReadsXmm0), /* sha256rnds2 */
   ON_VECTORS(2, NoPrefix, 0xcc, 0, 0),         /* sha256msg1 */
   ON_VECTORS(2, NoPrefix, 0xcd, 0, 0),         /* sha256msg2 */
   ON_VECTORS(3, NoPrefix, 0xcc, 1, 0),         /* sha1rnds4 */
   ON_VECTORS(2, Prefix66, 0xcf, 0, 0),         /* gf2p8mulb */
   ON_VECTORS(3, Prefix66, 0xce, 1, 0),         /* gf2p8affineqb */
   ON_VECTORS(3, Prefix66, 0xcf, 1, 0),         /* gf2p8affineinvqb */
   ON_CACHE_LINE(Prefix66, 0xae, 6),            /* clwb */
   ON_CACHE_LINE(Prefix66, 0xae, 7),            /* clflushopt */
   ON_CACHE_LINE(NoPrefix, 0x1c, 0),            /* cldemote */
   ON_CACHE_LINE(NoPrefix, 0x0d, 1),            /* prefetchw */
   ON_CACHE_LINE(NoPrefix, 0x0d, 2),            /* prefetchwt1 */
   ON_CACHE_LINE(NoPrefix, 0x18, 6),            /* prefetchit1 */
   ON_CACHE_LINE(NoPrefix, 0x18, 7),            /* prefetchit0 */
   ON_GENERAL(NoPrefix, 0xf0, WritesReg, MemoryRead, 4), /* movbe */
   ON_GENERAL(Prefix66, 0xf0, WritesReg, MemoryRead, 2),
   ON_GENERAL(NoPrefix, 0xf1, 0, MemoryWrite, 4),
   ON_GENERAL(Prefix66, 0xf1, 0, MemoryWrite, 2),
   ON_GENERAL(NoPrefix, 0xf9, 0, MemoryWrite, 4),        /* movdiri */
   ON_GENERAL(Prefix66, 0xf8, 0, MemoryMove64, 64),      /* movdir64b */
   {ROW(1, PrefixF3, 0xc7, 8), OperandNone, OperandNone, OperandGeneral, WritesRm,
    MemoryNone, 0, {0}, {0}, 0}, /* rdpid */
   {ROW(1, NoPrefix, 0x01, 6), OperandNone, OperandNone, OperandNone, 0, MemoryNone, 0,
    {0}, {0}, 0}, /* serialize, if ModRM is e8 */
};
/* clang-format on */

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const InstructionForm* form_table_find(UInt key)
{
   if (key >> 18 == EncodingLegacy) {
      for (UInt i = 0; i < LENGTH(legacy); i++)
         if (legacy[i].key == key)
            return &legacy[i];
      return NULL;
   }
   UInt low = 0, high = form_table_size;
   while (low < high) {
      const UInt middle = (low + high) / 2;
      if (form_table[middle].key < key)
         low = middle + 1;
      else
         high = middle;
   }
   return low < form_table_size && form_table[low].key == key ? &form_table[low] : NULL;
}

#endif
