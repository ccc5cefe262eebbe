/* SPDX-License-Identifier: GPL-2.0-or-later

   The caches of this processor; see host_caches.h.

   Intel's processors describe their caches in leaf 2, by one byte (descriptor) for each
   cache; a certain descriptor refers to leaf 4 instead.  AMD's use two extended leaves.
   The formats are those of the Intel 64 and IA-32 Architectures Software Developer's
   Manual, volume 2, CPUID, and of the AMD64 Architecture Programmer's Manual, volume 3,
   appendix E.  Which descriptors callgrind 3.19 knows, and what it makes of the answers,
   was found by giving it made-up answers.  */

#include "sim/host_caches.h"

#define KB 1024u

/* The search must find both L1 and the L2 once each, and may find one L3.  */
typedef enum { L1Instruction, L1Data, L2, L3, LevelCount } CacheKind;

/* What has been found so far.  */
typedef struct {
   CacheGeometry shapes[LevelCount];
   uint32_t found[LevelCount]; /* how often */
   uint32_t trace_cache_kb;
   bool is_without_l2;
} Search;

/* What a descriptor of leaf 2 means.  */
typedef struct {
   uint8_t descriptor, kind, ways, line_size;
   uint32_t kb;
} DescribedCache;

/* clang-format off */
static const DescribedCache described_caches[] = {
   {0x06, L1Instruction, 4, 32, 8},      {0x08, L1Instruction, 4, 32, 16},
   {0x09, L1Instruction, 4, 64, 32},     {0x30, L1Instruction, 8, 64, 32},
   {0x0a, L1Data, 2, 32, 8},             {0x0c, L1Data, 4, 32, 16},
   {0x0d, L1Data, 4, 64, 16},            {0x0e, L1Data, 6, 64, 24},
   {0x2c, L1Data, 8, 64, 32},            {0x60, L1Data, 8, 64, 16},
   {0x66, L1Data, 4, 64, 8},             {0x67, L1Data, 4, 64, 16},
   {0x68, L1Data, 4, 64, 32},
   {0x21, L2, 8, 64, 256},               {0x39, L2, 4, 64, 128},
   {0x3c, L2, 4, 64, 256},               {0x41, L2, 4, 32, 128},
   {0x42, L2, 4, 32, 256},               {0x43, L2, 4, 32, 512},
   {0x44, L2, 4, 32, 1024},              {0x45, L2, 4, 32, 2048},
   {0x48, L2, 12, 64, 3072},             {0x49, L2, 16, 64, 4096},
   {0x4e, L2, 24, 64, 6144},             {0x78, L2, 4, 64, 1024},
   {0x79, L2, 8, 64, 128},               {0x7a, L2, 8, 64, 256},
   {0x7b, L2, 8, 64, 512},               {0x7c, L2, 8, 64, 1024},
   {0x7d, L2, 8, 64, 2048},              {0x7e, L2, 8, 128, 256},
   {0x7f, L2, 2, 64, 512},               {0x80, L2, 8, 64, 512},
   {0x81, L2, 8, 32, 128},               {0x82, L2, 8, 32, 256},
   {0x83, L2, 8, 32, 512},               {0x84, L2, 8, 32, 1024},
   {0x85, L2, 8, 32, 2048},              {0x86, L2, 4, 64, 512},
   {0x87, L2, 8, 64, 1024},
   {0x22, L3, 4, 64, 512},               {0x23, L3, 8, 64, 1024},
   {0x25, L3, 8, 64, 2048},              {0x29, L3, 8, 64, 4096},
   {0x46, L3, 4, 64, 4096},              {0x47, L3, 8, 64, 8192},
   {0x4a, L3, 12, 64, 6144},             {0x4b, L3, 16, 64, 8192},
   {0x4c, L3, 12, 64, 12288},            {0x4d, L3, 16, 64, 16384},
   {0xd0, L3, 4, 64, 512},               {0xd1, L3, 4, 64, 1024},
   {0xd2, L3, 4, 64, 2048},              {0xd6, L3, 8, 64, 1024},
   {0xd7, L3, 8, 64, 2048},              {0xd8, L3, 8, 64, 4096},
   {0xdc, L3, 12, 64, 1536},             {0xdd, L3, 12, 64, 3072},
   {0xde, L3, 12, 64, 6144},             {0xe2, L3, 16, 64, 2048},
   {0xe3, L3, 16, 64, 4096},             {0xe4, L3, 16, 64, 8192},
   {0xea, L3, 24, 64, 12288},            {0xeb, L3, 24, 64, 18432},
   {0xec, L3, 24, 64, 24576},
};
/* clang-format on */

#define DESCRIPTOR_NO_L2 0x40
#define DESCRIPTOR_SEE_LEAF_4 0xff

static void add(Search* search, CacheKind kind, CacheGeometry shape)
{
   search->shapes[kind] = shape;
   search->found[kind]++;
}

/* Byte number i of an answer: register by register, the lowest byte first.  */
static uint32_t byte_of(const uint32_t* registers, int i)
{
   return registers[i / 4] >> i % 4 * 8 & 0xff;
}

/* --- Intel ----------------------------------------------------------------------- */

/* A trace cache holds micro-operations.  An ordinary cache is simulated in its place.  */
static void add_trace_cache(Search* search, uint32_t descriptor)
{
   search->trace_cache_kb = descriptor == 0x70 ? 12 : descriptor == 0x71 ? 16 : 32;
   uint32_t kb = descriptor == 0x72 ? 32 : 16;
   add(search, L1Instruction, (CacheGeometry){kb * KB, 8, 32});
}

static void add_descriptor(Search* search, uint32_t descriptor)
{
   if (descriptor >= 0x70 && descriptor <= 0x72)
      add_trace_cache(search, descriptor);
   if (descriptor == DESCRIPTOR_NO_L2)
      search->is_without_l2 = true;
   size_t known = sizeof described_caches / sizeof described_caches[0];
   for (size_t i = 0; i < known; i++) {
      const DescribedCache* cache = &described_caches[i];
      if (cache->descriptor == descriptor)
         add(search, (CacheKind)cache->kind,
             (CacheGeometry){cache->kb * KB, cache->ways, cache->line_size});
   }
}

static void search_leaf_4(CpuidReader* reader, Search* search)
{
   enum { End, Data, Instruction, Unified };
   for (uint32_t subleaf = 0; subleaf < 32; subleaf++) {
      CpuidAnswer answer = reader(4, subleaf);
      uint32_t type = answer.eax & 31, level = answer.eax >> 5 & 7;
      uint32_t line_size = (answer.ebx & 0xfff) + 1;
      uint32_t partitions = (answer.ebx >> 12 & 0x3ff) + 1;
      uint32_t ways = (answer.ebx >> 22) + 1, sets = answer.ecx + 1;
      uint64_t size = (uint64_t)line_size * partitions * ways * sets;
      /* Too large for a geometry: a size of 0 makes it unusable.  */
      CacheGeometry shape = {size <= 0x7fffffff ? (uint32_t)size : 0, ways, line_size};
      if (type == End)
         break;
      if (type == Data && level == 1)
         add(search, L1Data, shape);
      else if (type == Instruction && level == 1)
         add(search, L1Instruction, shape);
      else if (type == Unified && level == 2)
         add(search, L2, shape);
      else if (type == Unified && level == 3)
         add(search, L3, shape);
   }
}

static void search_intel(CpuidReader* reader, Search* search)
{
   if (reader(0, 0).eax < 2)
      return;
   CpuidAnswer answer = reader(2, 0);
   if ((answer.eax & 0xff) != 1) /* how often leaf 2 must be read */
      return;
   uint32_t registers[4] = {answer.eax & ~0xffu, answer.ebx, answer.ecx, answer.edx};
   for (int i = 0; i < 16; i++) {
      uint32_t descriptor = byte_of(registers, i);
      if (descriptor == DESCRIPTOR_SEE_LEAF_4) {
         *search = (Search){.trace_cache_kb = 0};
         search_leaf_4(reader, search);
         return;
      }
      add_descriptor(search, descriptor);
   }
}

/* --- AMD ------------------------------------------------------------------------- */

/* The ways of an L2 or L3 by its code of four bits.  Codes that are not listed, among
   them that of a fully associative cache, count as a single way.  */
static uint32_t amd_ways(uint32_t code)
{
   static const uint8_t ways[16] = {[2] = 2,   [4] = 4,   [6] = 8,   [8] = 16,  [10] = 32,
                                    [11] = 48, [12] = 64, [13] = 96, [14] = 128};
   return ways[code & 15] == 0 ? 1 : ways[code & 15];
}

static CacheGeometry amd_first(uint32_t answer)
{
   return (CacheGeometry){(answer >> 24) * KB, answer >> 16 & 0xff, answer & 0xff};
}

/* The caller passes the size: the units of L2 and L3 differ.  */
static CacheGeometry amd_other(uint32_t answer, uint32_t kb)
{
   return (CacheGeometry){kb * KB, amd_ways(answer >> 12), answer & 0xff};
}

static void search_amd(CpuidReader* reader, Search* search)
{
   if (reader(0x80000000, 0).eax < 0x80000006)
      return;
   CpuidAnswer first = reader(0x80000005, 0), others = reader(0x80000006, 0);
   add(search, L1Data, amd_first(first.ecx));
   add(search, L1Instruction, amd_first(first.edx));

   uint32_t l2_kb = others.ecx >> 16;
   if (reader(1, 0).eax == 0x630) /* a Duron that does not know its own L2 */
      l2_kb = 64;
   add(search, L2, amd_other(others.ecx, l2_kb));

   uint32_t l3_half_mb = others.edx >> 18;
   if (l3_half_mb > 0 && l3_half_mb < 4096)
      add(search, L3, amd_other(others.edx, l3_half_mb * 512));
}

/* --- The kernel's files ---------------------------------------------------------- */

/* More than any processor has for one of its cores.  */
#define MOST_FILES 16
#define MOST_DIGITS 9

/* The number that a file holds; one of bytes is followed by a K.  0 if it holds another
   text, or is not there.  */
static uint32_t number_in_file(CacheFileReader* reader, uint32_t index, const char* name)
{
   char text[32];
   uint32_t number = 0, digits = 0;
   if (!reader(index, name, text, sizeof text))
      return 0;
   for (; text[digits] >= '0' && text[digits] <= '9' && digits < MOST_DIGITS; digits++)
      number = number * 10 + (uint32_t)(text[digits] - '0');
   if (text[digits] == 'K') {
      number = number <= 0x7fffffff / KB ? number * KB : 0;
      digits++;
   }
   return text[digits] == '\n' || text[digits] == 0 ? number : 0;
}

/* Adds cache `index`; False if there is none.  Of its types the first letter tells:
   Data, Instruction, Unified.  */
static bool search_files(CacheFileReader* reader, uint32_t index, Search* search)
{
   char type[32];
   if (!reader(index, "type", type, sizeof type))
      return false;
   uint32_t level = number_in_file(reader, index, "level");
   CacheGeometry shape = {
      number_in_file(reader, index, "size"),
      number_in_file(reader, index, "ways_of_associativity"),
      number_in_file(reader, index, "coherency_line_size"),
   };
   if (level == 1 && type[0] == 'D')
      add(search, L1Data, shape);
   else if (level == 1 && type[0] == 'I')
      add(search, L1Instruction, shape);
   else if (level == 2 && type[0] == 'U')
      add(search, L2, shape);
   else if (level == 3 && type[0] == 'U')
      add(search, L3, shape);
   return true;
}

/* --- Either ---------------------------------------------------------------------- */

static bool is_vendor(const CpuidAnswer* answer, const char name[12])
{
   uint32_t registers[3] = {answer->ebx, answer->edx, answer->ecx};
   for (int i = 0; i < 12; i++)
      if ((char)byte_of(registers, i) != name[i])
         return false;
   return true;
}

/* Can it be simulated, perhaps with another number of sets?  */
static bool is_usable(const CacheGeometry* shape)
{
   return shape->ways > 0 && shape->line_size >= GEOMETRY_SMALLEST_LINE &&
          (shape->line_size & (shape->line_size - 1)) == 0 &&
          shape->size > shape->line_size && shape->size <= 0x7fffffff &&
          shape->size / shape->line_size >= shape->ways;
}

static bool is_complete(const Search* search)
{
   const CacheGeometry* last = &search->shapes[search->found[L3] > 0 ? L3 : L2];
   return search->found[L1Instruction] == 1 && search->found[L1Data] == 1 &&
          search->found[L2] == 1 && search->found[L3] <= 1 &&
          is_usable(&search->shapes[L1Instruction]) &&
          is_usable(&search->shapes[L1Data]) && is_usable(last);
}

static void use_defaults(HostCaches* found)
{
   found->i1_reported = found->d1_reported = (CacheGeometry){64 * KB, 2, 64};
   found->ll_reported = (CacheGeometry){256 * KB, 8, 64};
   found->is_unknown = true;
}

static void conclude(const Search* search, HostCaches* found)
{
   *found = (HostCaches){.trace_cache_kb = search->trace_cache_kb,
                         .is_without_l2 = search->is_without_l2};
   if (is_complete(search)) {
      found->ll_is_l3 = search->found[L3] > 0;
      found->i1_reported = search->shapes[L1Instruction];
      found->d1_reported = search->shapes[L1Data];
      found->ll_reported = search->shapes[found->ll_is_l3 ? L3 : L2];
   } else {
      use_defaults(found);
   }
   found->i1 = found->i1_reported;
   found->d1 = found->d1_reported;
   found->ll = found->ll_reported;
   geometry_make_simulable(&found->i1);
   geometry_make_simulable(&found->d1);
   geometry_make_simulable(&found->ll);
}

void host_caches_find(CpuidReader* reader, HostCaches* found)
{
   Search search = {.trace_cache_kb = 0};
   if (reader != NULL) {
      CpuidAnswer vendor = reader(0, 0);
      if (is_vendor(&vendor, "GenuineIntel"))
         search_intel(reader, &search);
      else if (is_vendor(&vendor, "AuthenticAMD"))
         search_amd(reader, &search);
   }
   conclude(&search, found);
}

void host_caches_find_in_files(CacheFileReader* reader, HostCaches* found)
{
   Search search = {.trace_cache_kb = 0};
   for (uint32_t index = 0; index < MOST_FILES && search_files(reader, index, &search);
        index++)
      ;
   conclude(&search, found);
}

#if defined(__x86_64__) || defined(__i386__)

static CpuidAnswer read_processor(uint32_t leaf, uint32_t subleaf)
{
   CpuidAnswer answer;
   __asm__ volatile("cpuid"
                    : "=a"(answer.eax), "=b"(answer.ebx), "=c"(answer.ecx),
                      "=d"(answer.edx)
                    : "0"(leaf), "2"(subleaf));
   return answer;
}

CpuidReader* const host_caches_cpuid = read_processor;

#else

CpuidReader* const host_caches_cpuid = NULL;

#endif
