/* SPDX-License-Identifier: GPL-2.0-or-later

   See initial_stack.h.

   The kernel, and the core after it, pack all texts at the top of the stack, the tables
   of their addresses below them, and let the stack begin below those: each byte of the
   environment moves it.  Here the tables and each kind of text have an area of their own,
   a multiple of 64 KB, and the stack begins at a fixed distance from the top.

   Relies on the core telling tools when it has set up the first thread's registers
   (Vg_CoreStartup), which is after all options have been read and before the program
   runs; and on its reservation below the stack, into which that can grow.  */

#include "surroundings/initial_stack.h"

#include "core/client_stack.h"
#include "core/system_call.h"
#include "guest/arch.h"
#include "options/options.h"
#include "surroundings/environment.h"
#include "surroundings/guest_cpu.h"
#include "surroundings/random_bytes.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_xarray.h"

static InitialStack facts;

const InitialStack* initial_stack_facts(void) { return &facts; }

#ifdef CORE_CAN_FIX_STACK

/* Entries of the auxiliary vector: the System V ABI, and Linux's auxvec.h.  */
enum {
   AuxNull,
   AuxProgramHeaders = 3,
   AuxProgramHeaderSize,
   AuxProgramHeaders_n,
   AuxPageSize,
   AuxBase,
   AuxFlags,
   AuxEntry,
   AuxUser = 11,
   AuxEffectiveUser,
   AuxGroup,
   AuxEffectiveGroup,
   AuxPlatform,
   AuxHwcap,
   AuxClockTicks,
   AuxSecure = 23,
   AuxRandom = 25,
   AuxHwcap2,
   AuxFileName = 31
};

typedef struct {
   UWord type, value;
} AuxEntryPair;

/* What a program sees of the vector, in this order.  Newer kernels tell more, and older
   ones less.  */
static const UWord aux_types[] = {AuxHwcap,
                                  AuxPageSize,
                                  AuxClockTicks,
                                  AuxProgramHeaders,
                                  AuxProgramHeaderSize,
                                  AuxProgramHeaders_n,
                                  AuxBase,
                                  AuxFlags,
                                  AuxEntry,
                                  AuxUser,
                                  AuxEffectiveUser,
                                  AuxGroup,
                                  AuxEffectiveGroup,
                                  AuxSecure,
                                  AuxRandom,
                                  AuxHwcap2,
                                  AuxFileName,
                                  AuxPlatform};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define AUX_MOST (LENGTH(aux_types) + 1)
#define RANDOM_SIZE 16

/* What was found, copied away from the stack.  */
typedef struct {
   Addr stack_pointer, top; /* the first byte above the stack */
   XArray* arguments;       /* of HChar* */
   XArray* environment;     /* of HChar* */
   AuxEntryPair vector[AUX_MOST];
   UInt n_vector;
   HChar* file_name; /* of AT_EXECFN, or NULL */
   HChar* platform;  /* of AT_PLATFORM, or NULL */
} Image;

/* Where areas begin: above one another, each in other sets of a cache than the next.  */
typedef struct {
   Addr tables, arguments, environment, others;
} Areas;

#define SMALLEST_AREA 0x10000
#define AREAS 4
#define STAGGER 1024

/*--------------------------------------------------------------------*/
/* What the core has built                                             */

static HChar* copy_text(UWord address)
{
   return address == 0 ? NULL
                       : VG_(strdup)("initial_stack.text", (const HChar*)(Addr)address);
}

static void copy_texts(XArray* texts)
{
   for (Word i = 0; i < VG_(sizeXA)(texts); i++) {
      HChar** text = VG_(indexXA)(texts, i);
      *text = VG_(strdup)("initial_stack.texts", *text);
   }
}

static const AuxEntryPair* find_type(const AuxEntryPair* vector, UWord type)
{
   for (; vector->type != AuxNull; vector++)
      if (vector->type == type)
         return vector;
   return NULL;
}

static void read_vector(Image* image, const AuxEntryPair* vector)
{
   ULong hwcap;
   const Bool is_level = guest_cpu_hwcap(&hwcap);
   for (UInt i = 0; i < LENGTH(aux_types); i++) {
      const AuxEntryPair* found = find_type(vector, aux_types[i]);
      AuxEntryPair entry = {aux_types[i], found != NULL ? found->value : 0};
      if (is_level && entry.type == AuxHwcap)
         entry.value = (UWord)hwcap;
      else if (is_level && entry.type == AuxHwcap2)
         entry.value = 0;
      else if (found == NULL)
         continue;
      if (entry.type == AuxFileName)
         image->file_name = copy_text(entry.value);
      if (entry.type == AuxPlatform)
         image->platform = copy_text(entry.value);
      image->vector[image->n_vector++] = entry;
   }
   image->vector[image->n_vector++] = (AuxEntryPair){AuxNull, 0};
}

static void note_given(HChar** arguments, UWord count, HChar** environment)
{
   for (HChar** variable = environment; *variable != NULL; variable++) {
      facts.n_variables++;
      facts.environment_size += (UInt)VG_(strlen)(*variable) + 1;
   }
   facts.n_arguments = count == 0 ? 0 : (UInt)count - 1;
   for (UWord i = 1; i < count; i++)
      facts.arguments_size += (UInt)VG_(strlen)(arguments[i]) + 1;
}

static void read_image(Image* image, Addr stack_pointer)
{
   const UWord count = *(UWord*)stack_pointer;
   HChar** arguments = (HChar**)stack_pointer + 1;
   HChar** environment = arguments + count + 1;
   HChar** end = environment;
   while (*end != NULL)
      end++;
   note_given(arguments, count, environment);
   image->stack_pointer = stack_pointer;
   image->top = VG_(am_find_nsegment)(stack_pointer)->end + 1;
   image->arguments = environment_arguments(arguments, count);
   image->environment = environment_make(environment, &facts.n_hidden);
   copy_texts(image->arguments);
   copy_texts(image->environment);
   image->n_vector = 0;
   image->file_name = image->platform = NULL;
   read_vector(image, (const AuxEntryPair*)(end + 1));
   if (image->file_name != NULL)
      facts.program_path_length = (UInt)VG_(strlen)(image->file_name);
}

/*--------------------------------------------------------------------*/
/* What the program finds                                              */

static SizeT texts_size(const XArray* texts)
{
   SizeT size = 0;
   for (Word i = 0; i < VG_(sizeXA)(texts); i++)
      size += VG_(strlen)(*(HChar**)VG_(indexXA)(texts, i)) + 1;
   return size;
}

/* The size of each area, which is the smallest one unless something is very long.  */
static SizeT area_size(const Image* image)
{
   const SizeT tables =
      (SizeT)(VG_(sizeXA)(image->arguments) + VG_(sizeXA)(image->environment) + 3) *
         sizeof(UWord) +
      image->n_vector * sizeof(AuxEntryPair);
   const SizeT name = image->file_name == NULL ? 0 : VG_(strlen)(image->file_name) + 1;
   const SizeT arguments = texts_size(image->arguments) + name;
   const SizeT environment = texts_size(image->environment);
   SizeT needed = tables > arguments ? tables : arguments;
   if (environment > needed)
      needed = environment;
   SizeT size = SMALLEST_AREA;
   while (size < needed + AREAS * STAGGER)
      size *= 2;
   return size;
}

/* A stack pointer is a multiple of 16 where a program starts.  */
static Areas areas_below(Addr top, SizeT size)
{
   const Addr bottom = top - AREAS * size - VG_ROUNDUP(options.steady_shift, 16);
   return (Areas){.tables = bottom,
                  .arguments = bottom + size + STAGGER,
                  .environment = bottom + 2 * size + 2 * STAGGER,
                  .others = bottom + 3 * size + 3 * STAGGER};
}

/* Puts the text at *at, moves that behind it, and returns where the text is.  */
static UWord put_text(Addr* at, const HChar* text)
{
   const Addr place = *at;
   VG_(strcpy)((HChar*)place, text);
   *at += VG_(strlen)(text) + 1;
   return place;
}

static UWord* put_texts(UWord* table, Addr* at, const XArray* texts)
{
   for (Word i = 0; i < VG_(sizeXA)(texts); i++)
      *table++ = put_text(at, *(HChar**)VG_(indexXA)(texts, i));
   *table++ = 0;
   return table;
}

/* Points the entries that are addresses of texts to where those are now.  */
static void put_vector_texts(Image* image, Areas* areas)
{
   for (UInt i = 0; i < image->n_vector; i++) {
      AuxEntryPair* entry = &image->vector[i];
      if (entry->type == AuxRandom) {
         random_bytes_fill((UChar*)areas->others, RANDOM_SIZE);
         entry->value = areas->others;
         areas->others += RANDOM_SIZE;
      } else if (entry->type == AuxPlatform && image->platform != NULL) {
         entry->value = put_text(&areas->others, image->platform);
      } else if (entry->type == AuxFileName && image->file_name != NULL) {
         entry->value = put_text(&areas->arguments, image->file_name);
      }
   }
}

static void put_image(Image* image, Areas areas)
{
   UWord* table = (UWord*)areas.tables;
   put_vector_texts(image, &areas);
   *table++ = (UWord)VG_(sizeXA)(image->arguments);
   table = put_texts(table, &areas.arguments, image->arguments);
   VG_(client_envp) = (HChar**)table;
   table = put_texts(table, &areas.environment, image->environment);
   VG_(client_auxv) = (UWord*)table;
   VG_(memcpy)(table, image->vector, image->n_vector * sizeof(AuxEntryPair));
}

/* /proc/self/auxv, as the core shows it to the program.  */
static void put_vector_file(const Image* image)
{
   const Int size = (Int)(image->n_vector * sizeof(AuxEntryPair));
   if (VG_(cl_auxv_fd) < 0)
      return;
   VG_(do_syscall)(__NR_ftruncate, (UWord)VG_(cl_auxv_fd), 0, 0, 0, 0, 0, 0, 0);
   VG_(lseek)(VG_(cl_auxv_fd), 0, VKI_SEEK_SET);
   VG_(write)(VG_(cl_auxv_fd), image->vector, size);
}

static void free_texts(XArray* texts)
{
   for (Word i = 0; i < VG_(sizeXA)(texts); i++)
      VG_(free)(*(HChar**)VG_(indexXA)(texts, i));
   VG_(deleteXA)(texts);
}

static void free_image(Image* image)
{
   free_texts(image->arguments);
   free_texts(image->environment);
   VG_(free)(image->file_name);
   VG_(free)(image->platform);
}

static void lay_out(ThreadId thread)
{
   Image image;
   read_image(&image, VG_(get_SP)(thread));
   const Areas areas = areas_below(image.top, area_size(&image));
   if (areas.tables < image.stack_pointer &&
       !VG_(extend_stack)(thread, areas.tables - ARCH_RED_ZONE)) {
      if (VG_(clo_verbosity) > 0)
         VG_(umsg)("--steady=yes: the stack is too small to begin where it does "
                   "elsewhere: raise its limit (ulimit -s).\n");
      free_image(&image);
      return;
   }
   VG_(memset)((void*)image.stack_pointer, 0, image.top - image.stack_pointer);
   put_image(&image, areas);
   put_vector_file(&image);
   free_image(&image);
   facts.stack_pointer = areas.tables;
   VG_(set_shadow_regs_area)(thread, 0, ARCH_SP_OFFSET, sizeof areas.tables,
                             (const UChar*)&areas.tables);
}

/*--------------------------------------------------------------------*/

static void after_register_write(CorePart part, ThreadId thread, PtrdiffT offset,
                                 SizeT size)
{
   (void)offset, (void)size;
   if (part == Vg_CoreStartup && facts.stack_pointer == 0)
      lay_out(thread);
}

void initial_stack_fix(void) { VG_(track_post_reg_write)(after_register_write); }

#else

void initial_stack_fix(void)
{
   VG_(fmsg)("--steady=yes: this version of the core does not let the tool lay out the "
             "stack: leave the option out.\n");
   VG_(exit)(1);
}

#endif
