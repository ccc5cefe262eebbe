/* SPDX-License-Identifier: GPL-2.0-or-later

   Parts of the sampler by themselves, for tests that may not sample, and for hostile
   input under sanitizers.

   driver unwind OBJECT REGISTERS STACK [ASKED]
      prints the frames of a stack, a name in each line; why it ends; and whether libdw's
      unwinder agrees.  REGISTERS has a hexadecimal number for each register
   driver runner FILE...
      takes the bytes of each file as a client's, and counts the answers
   driver perfmap|jitdump FILE ADDRESS...
      prints the name of each address
   driver lived FILE BEGAN ENDED ADDRESS...
      the same of a process that begins and ends so many seconds from now, where the perf
      map is written now; `-`: it is not known when
   driver elf FILE...
      reads all that the sampler reads of an ELF file
   driver inlined FILE ADDRESS...
      prints the functions at each address, the outermost first, as NAME|SOURCE|LINE
   driver event EVENT KERNEL [WITHOUT...]
      says which event is chosen if the kernel, which the driver replaces, does not have
      or allow WITHOUT: cycles, kernel, build-ids, sampling
   driver copies FIXED USED...
      notes for each USED that so many bytes of a stack were looked at, and prints where
      the size of copies changes; `deep`: the copy was too short.  NUMBERxUSED: so often.
      `ask`: prints whether the size is proved
   driver steps FREQUENCY PERIOD...
      prints how often is sampled at each step, and at which step a period is
   driver rate MOST FREQUENCY INTERRUPT SETTING TICK WORKED,ARRIVALS[,ENDS]...
      prints how often is sampled after each activity, where the program may lose MOST per
      cent, and a timer costs so many nanoseconds
   driver threads EVENT...
      tells of the activity of threads: fork,TID and exit,TID are records, thread,TID is
      one that there was; read prints what they have done since: seconds, how often one
      was given a processor, and how many have ended
   driver rows FILE COPY
      prints where rules of call frame information that were kept differ from those read
      anew, and how many were compared
   driver record FILE...
      takes the bytes of each file as a record of the kernel
   driver registers FILE
      prints the mask of registers that the kernel is asked for, and those of a sample
   driver kallsyms FILE ADDRESS...
      prints the name of each address; these are in rising order
   driver sources FILE
      prints where libdw's source files of functions and ours differ, and how many were
      compared  */

#include "base/memory.h"
#include "base/message.h"
#include "code/debug_file.h"
#include "code/inlining.h"
#include "code/jit_names.h"
#include "code/kernel_names.h"
#include "code/source_files.h"
#include "code/symbols.h"
#include "control/runner_protocol.h"
#include "libdw_unwind.h"
#include "perf/copies.h"
#include "perf/event.h"
#include "perf/rate.h"
#include "perf/record.h"
#include "unwind/cfi.h"
#include "unwind/unwind.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint8_t* read_file(const char* path, size_t* size)
{
   FILE* file = fopen(path, "rb");
   uint8_t* bytes = NULL;
   size_t room = 0, got;
   *size = 0;
   if (file == NULL)
      message_refuse("%s: cannot be read", path);
   do {
      bytes = memory_reallocate(bytes, room += 65536, 1);
      got = fread(bytes + *size, 1, room - *size, file);
      *size += got;
   } while (*size == room);
   fclose(file);
   /* In a block of its own size, so that a sanitizer sees what is read behind it.  */
   return memory_reallocate(bytes, *size, 1);
}

static Object* open_object(const char* path)
{
   struct stat status;
   int fd = open(path, O_RDONLY);
   if (fd < 0 || fstat(fd, &status) != 0)
      message_refuse("%s: cannot be read", path);
   return object_of_file(fd, &status, path);
}

/* --- unwind ------------------------------------------------------------------------- */

static bool find(void* context, uint64_t address, CodePlace* place)
{
   Object* object = context;
   for (unsigned i = 0; i < object->segment_count; i++) {
      const Segment* segment = &object->segments[i];
      if (segment->executable && address >= segment->address &&
          address < segment->address + segment->memory_size) {
         *place = (CodePlace){object, address};
         return true;
      }
   }
   return false;
}

/* Says where libdw's unwinder finds something else.  */
static void compare_with_libdw(Object* object, const Sample* sample,
                               const UnwindResult* ours)
{
   static UnwindResult theirs;
   static const char* const words[] = {"agrees", "ends earlier", "goes on", "differs"};
   LibdwUnwinder* unwinder = libdw_unwind_begin();
   libdw_unwind_add(unwinder, object, 0);
   libdw_unwind_sample(unwinder, sample, find, object, &theirs);
   printf("libdw %s\n", words[libdw_unwind_compare(ours, &theirs)]);
   libdw_unwind_end(unwinder);
}

static int do_unwind(int count, char** words)
{
   static UnwindResult result;
   static const char* const ends[] = {"whole", "too deep", "no rule"};
   Sample sample = {.has_registers = true};
   size_t size;
   if (count < 3)
      return 2;
   Object* object = open_object(words[0]);
   char* at = words[1];
   for (unsigned i = 0; i < REGISTER_COUNT; i++)
      sample.registers[i] = strtoull(at, &at, 16);
   sample.stack = read_file(words[2], &size);
   sample.stack_size = (unsigned)size;
   sample.stack_asked = count > 3 ? (unsigned)atoi(words[3]) : 65528;
   unwind_sample(&sample, find, object, &result);
   for (unsigned i = 0; i < result.count; i++) {
      uint64_t start;
      const char* name = symbols_name(object, result.frames[i].address, &start);
      puts(name != NULL ? name : "?");
   }
   puts(ends[result.end]);
   compare_with_libdw(object, &sample, &result);
   return 0;
}

/* --- runner ------------------------------------------------------------------------- */

static bool on;
static unsigned answers;

static void switch_sampling(bool to) { on = to; }
static bool is_sampling(void) { return on; }
static void mark(MarkKind kind, uint32_t pid, const char* text)
{
   free(record_mark(kind, pid, 0, text));
}
static void mark_moment(uint32_t pid, uint64_t moment, const char* text)
{
   free(record_mark(MarkMoment, pid, moment, text));
}
static void end_run(void) {}
static void take_answer(const void* bytes, size_t size)
{
   uint32_t tag;
   memcpy(&tag, (const uint8_t*)bytes + 4, sizeof tag);
   answers += size != 0 && tag != 0;
}

static int do_runner(int count, char** files)
{
   static const ControlActions actions = {
      .switch_sampling = switch_sampling, .is_sampling = is_sampling, .mark = mark,
      .mark_moment = mark_moment, .end_program = end_run};
   runner_protocol_begin(&actions, take_answer);
   for (int i = 0; i < count; i++) {
      size_t size, at = 0, piece = 1;
      uint8_t* bytes = read_file(files[i], &size);
      for (; at < size; at += piece, piece = piece % 37 + 1)
         runner_protocol_take(bytes + at, piece < size - at ? piece : size - at);
      free(bytes);
      runner_protocol_gone();
   }
   printf("%u answers\n", answers);
   return 0;
}

/* --- names of JIT code -------------------------------------------------------------- */

static int do_jit(int count, char** words)
{
   JitOwner owner = {.view = process_view_of((uint32_t)getpid())};
   JitNames* names = NULL;
   if (count < 1)
      return 2;
   /* In the place of a perf map, too: every file is added as a dump by its name.  */
   jit_names_add_dump(&names, &owner, words[0]);
   for (int i = 1; i < count; i++) {
      char* time;
      uint64_t address = strtoull(words[i], &time, 16);
      const char* name =
         jit_names_find_late(&names, &owner, address,
                             *time == '@' ? strtoull(time + 1, NULL, 10) : 1u << 30);
      puts(name != NULL ? name : "?");
   }
   return 0;
}

static void print_mapped(const char* file, JitOwner* owner, int count, char** words)
{
   char path[64];
   size_t size;
   JitNames* names = NULL;
   uint8_t* bytes = read_file(file, &size);
   snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
   FILE* map = fopen(path, "wb");
   if (map == NULL || fwrite(bytes, 1, size, map) != size || fclose(map) != 0)
      message_refuse("%s: cannot be written", path);
   free(bytes);
   for (int i = 0; i < count; i++) {
      const char* name = jit_names_find(&names, owner, strtoull(words[i], NULL, 16), 1);
      puts(name != NULL ? name : "?");
   }
   unlink(path);
}

static int do_perfmap(int count, char** words)
{
   JitOwner owner = {.view = process_view_of((uint32_t)getpid())};
   if (count < 1)
      return 2;
   print_mapped(words[0], &owner, count - 1, words + 1);
   return 0;
}

/* The time in some seconds, from CLOCK_MONOTONIC; 0 for `-`.  */
static uint64_t moment(const char* seconds)
{
   struct timespec now;
   if (strcmp(seconds, "-") == 0)
      return 0;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (uint64_t)(now.tv_sec + atol(seconds)) * 1000000000 + (uint64_t)now.tv_nsec;
}

static int do_lived(int count, char** words)
{
   if (count < 3)
      return 2;
   JitOwner owner = {
      process_view_of((uint32_t)getpid()), moment(words[1]), moment(words[2]), 0};
   print_mapped(words[0], &owner, count - 3, words + 3);
   return 0;
}

/* --- ELF files and records ---------------------------------------------------------- */

static int do_elf(int count, char** files)
{
   unsigned names = 0, rows = 0, frames = 0;
   for (int i = 0; i < count; i++) {
      Object* object = open_object(files[i]);
      uint64_t start = 0, end = 0;
      for (unsigned j = 0; j < object->segment_count; j++) {
         if (object->segments[j].executable) {
            start = object->segments[j].address;
            end = start + (object->segments[j].memory_size & 0xffff);
         }
      }
      for (uint64_t address = start; address < end; address += 7) {
         InlineFrame inlined[INLINING_MAX_FRAMES];
         uint64_t function;
         names += symbols_name(object, address, &function) != NULL;
         const CfiRow* row = cfi_row(object, address);
         frames += inlining_frames(object, address, inlined);
         cfi_function_start(object, address, &function);
         if (row != NULL) {
            uint8_t stack[256] = {0};
            bool is_last;
            MachineState state = {.known = KNOWN_ALL,
                                  .stack = stack,
                                  .stack_size = sizeof stack};
            rows += cfi_step(row, &state, &is_last);
         }
      }
   }
   printf("%u names, %u steps, %u functions\n", names, rows, frames);
   return 0;
}

static int do_inlined(int count, char** words)
{
   Object* object = open_object(words[0]);
   for (int i = 1; i < count; i++) {
      InlineFrame frames[INLINING_MAX_FRAMES];
      unsigned found = inlining_frames(object, strtoull(words[i], NULL, 16), frames);
      for (unsigned j = 0; j < found; j++)
         printf("%s%s|%s|%u", j != 0 ? " " : "", frames[j].name,
                frames[j].source != NULL ? frames[j].source : "", frames[j].line);
      puts("");
   }
   return 0;
}

static bool same_row(const CfiRow* left, const CfiRow* right)
{
   if (left == NULL || right == NULL)
      return left == right;
   bool same = left->is_signal_frame == right->is_signal_frame &&
               left->cfa_is_expression == right->cfa_is_expression &&
               left->cfa_register == right->cfa_register &&
               left->cfa.number == right->cfa.number;
   for (unsigned i = 0; i < REGISTER_COUNT && same; i++)
      same = left->registers[i].kind == right->registers[i].kind &&
             left->registers[i].count == right->registers[i].count &&
             left->registers[i].number == right->registers[i].number;
   return same;
}

/* Asked for upwards, an address is mostly in a range that is known from the one before;
   downwards, never.  */
static int do_rows(int count, char** files)
{
   if (count != 2)
      return 2;
   Object *up = open_object(files[0]), *down = open_object(files[1]);
   unsigned compared = 0;
   for (unsigned i = 0; i < up->segment_count; i++) {
      const Segment* segment = &up->segments[i];
      if (!segment->executable)
         continue;
      uint64_t start = segment->address, end = start + segment->size;
      for (uint64_t address = end; address-- > start;)
         cfi_row(down, address);
      for (uint64_t address = start; address < end; address++, compared++) {
         if (!same_row(cfi_row(up, address), cfi_row(down, address)))
            printf("0x%llx\n", (unsigned long long)address);
      }
   }
   printf("%u compared\n", compared);
   return 0;
}

static int do_record(int count, char** files)
{
   unsigned good = 0;
   for (int i = 0; i < count; i++) {
      size_t size;
      uint8_t* bytes = read_file(files[i], &size);
      Record* record = record_read(bytes, size, true);
      good += record != NULL;
      free(record);
      free(bytes);
   }
   printf("%u records\n", good);
   return 0;
}

static int do_registers(int count, char** files)
{
   size_t size;
   uint8_t* bytes = read_file(files[0], &size);
   Record* record = record_read(bytes, size, true);
   if (count != 1 || record == NULL || !record->as.sample.has_registers)
      return 2;
   printf("%llx\n", (unsigned long long)record_register_mask);
   for (unsigned i = 0; i < REGISTER_COUNT; i++)
      printf("%llu\n", (unsigned long long)record->as.sample.registers[i]);
   free(record);
   free(bytes);
   return 0;
}

/* --- Which event -------------------------------------------------------------------- */

/* The linker sends calls of syscall(), ioctl() and epoll_ctl() here (--wrap).  */
long __real_syscall(long number, long a, long b, long c, long d, long e);
long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_epoll_ctl(int fd, int operation, int other, void* event);

static bool has_cycles = true, allows_kernel = true, has_build_ids = true,
            allows_sampling = true;
static struct perf_event_attr last_sampling, last_tracking;
static char copies[256]; /* of stacks: what is asked for on one processor */

/* An "event" is a file that is large enough for a ring.  */
static long open_event(const struct perf_event_attr* attributes)
{
   bool is_cycles = attributes->type == PERF_TYPE_HARDWARE;
   errno = !allows_sampling                                ? EPERM
           : is_cycles && !has_cycles                      ? ENOENT
           : !attributes->exclude_kernel && !allows_kernel ? EACCES
           : attributes->build_id && !has_build_ids        ? EINVAL
                                                           : 0;
   if (errno != 0)
      return -1;
   size_t length = strlen(copies);
   if (attributes->sample_stack_user != 0)
      snprintf(copies + length, sizeof copies - length, " %s%u%s",
               attributes->freq ? "" : "waits:", attributes->sample_stack_user,
               attributes->enable_on_exec ? "*" : "");
   if (attributes->freq) {
      last_sampling = *attributes;
   } else if (attributes->sample_stack_user == 0) {
      last_tracking = *attributes;
      copies[0] = '\0';
   }
   int fd = memfd_create("event", MFD_CLOEXEC);
   return ftruncate(fd, 16 << 20) == 0 ? fd : -1;
}

long __wrap_syscall(long number, ...)
{
   va_list arguments;
   va_start(arguments, number);
   long words[5];
   for (unsigned i = 0; i < 5; i++)
      words[i] = va_arg(arguments, long);
   va_end(arguments);
   if (number == SYS_perf_event_open)
      return open_event((const struct perf_event_attr*)words[0]);
   return __real_syscall(number, words[0], words[1], words[2], words[3], words[4]);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
   (void)fd, (void)request;
   return 0;
}

int __wrap_epoll_ctl(int fd, int operation, int other, void* event)
{
   (void)fd, (void)operation, (void)other, (void)event;
   return 0;
}

static int do_event(int count, char** words)
{
   char event[64], kernel[64];
   char* command[] = {"callgrind_sample", event, kernel, "true", NULL};
   const char* reason = "";
   if (count < 2)
      return 2;
   snprintf(event, sizeof event, "--event=%s", words[0]);
   snprintf(kernel, sizeof kernel, "--kernel=%s", words[1]);
   for (int i = 2; i < count; i++) {
      has_cycles = has_cycles && strcmp(words[i], "cycles") != 0;
      allows_kernel = allows_kernel && strcmp(words[i], "kernel") != 0;
      has_build_ids = has_build_ids && strcmp(words[i], "build-ids") != 0;
      allows_sampling = allows_sampling && strcmp(words[i], "sampling") != 0;
   }
   Options options = options_read(4, command);
   if (!event_open(&options, getpid(), false, &reason)) {
      printf("refused: %s\n", reason);
      return 0;
   }
   printf("%s, type %u, config %llu, %s, %s\n", event_name(), last_sampling.type,
          (unsigned long long)last_sampling.config,
          last_sampling.exclude_kernel ? "without the kernel" : "with the kernel",
          last_tracking.build_id ? "with build ids" : "without build ids");
   printf("frequency %llu; stacks%s, those with * on at exec; tracking: %s, %s\n",
          (unsigned long long)last_sampling.sample_freq, copies,
          last_tracking.config == PERF_COUNT_SW_DUMMY ? "dummy" : "no dummy",
          last_tracking.disabled ? "off" : "always on");
   event_close();
   return 0;
}

/* --- Sizes of copies ---------------------------------------------------------------- */

/* As much as kernels give when they are asked for more: a record has less than 64 KB.  */
#define LARGEST_ROOM 65320u

static int do_copies(int count, char** words)
{
   unsigned noted = 0;
   if (count < 1)
      return 2;
   copies_begin((unsigned)atoi(words[0]));
   printf("%u\n", copies_size(copies_wanted()));
   for (int i = 1; i < count; i++) {
      const char* times = strchr(words[i], 'x');
      const char* used = times != NULL ? times + 1 : words[i];
      int often = times != NULL ? atoi(words[i]) : 1;
      bool is_deep = strcmp(used, "deep") == 0;
      if (strcmp(used, "ask") == 0) {
         puts(copies_are_proved() ? "proved" : "new");
         continue;
      }
      for (int j = 0; j < often; j++) {
         unsigned before = copies_wanted();
         unsigned room = copies_size(before);
         if (room > LARGEST_ROOM)
            room = LARGEST_ROOM;
         copies_note((unsigned)atoi(used), room, is_deep);
         noted++;
         if (copies_wanted() != before)
            printf("%u: %u\n", noted, copies_size(copies_wanted()));
      }
   }
   return 0;
}

/* --- The rate of samples ------------------------------------------------------------ */

static int do_rate(int count, char** words)
{
   if (count < 5)
      return 2;
   double most = atof(words[0]) / 100;
   unsigned frequency = (unsigned)atoi(words[1]);
   TimerCost cost = {atof(words[2]), atof(words[3]), atof(words[4])};
   rate_begin(most, frequency, &cost);
   for (int i = 5; i < count; i++) {
      Activity activity = {0};
      if (sscanf(words[i], "%lf,%lf,%lf", &activity.worked, &activity.arrivals,
                 &activity.ends) < 2)
         return 2;
      printf("%u\n", rate_frequency(frequency, rate_decide(activity)));
   }
   return 0;
}

static int do_steps(int count, char** words)
{
   if (count < 1)
      return 2;
   unsigned frequency = (unsigned)atoi(words[0]);
   for (unsigned step = 0; step < rate_step_count(frequency); step++)
      printf("%u\n", rate_frequency(frequency, step));
   for (int i = 1; i < count; i++)
      printf("step %u\n", rate_step_of_period(frequency, strtoull(words[i], NULL, 10)));
   return 0;
}

static int do_threads(int count, char** words)
{
   for (int i = 0; i < count; i++) {
      const char* comma = strchr(words[i], ',');
      Record record = {.tid = comma != NULL ? (uint32_t)atoi(comma + 1) : 0};
      record.kind = words[i][0] == 'e' ? RecordExit : RecordFork;
      if (words[i][0] == 't') {
         rate_note_thread(record.tid);
      } else if (comma != NULL) {
         rate_note_record(&record);
      } else {
         Activity activity = rate_read_activity();
         printf("%.3f %.0f %.0f\n", activity.worked, activity.arrivals, activity.ends);
      }
   }
   return 0;
}

/* --- Names of the kernel, source files ---------------------------------------------- */

static int do_kallsyms(int count, char** words)
{
   uint64_t addresses[64] = {0};
   char* names[64];
   size_t wanted = 0;
   for (int i = 1; i < count && wanted < 64; i++)
      addresses[wanted++] = strtoull(words[i], NULL, 16);
   kernel_names_find(words[0], addresses, wanted, names);
   for (size_t i = 0; i < wanted; i++) {
      puts(names[i] != NULL ? names[i] : "?");
      free(names[i]);
   }
   return 0;
}

static void compare_sources(Dwarf_Die* parent, SourceFiles* files, unsigned* compared)
{
   Dwarf_Die die;
   if (dwarf_child(parent, &die) != 0)
      return;
   do {
      Dwarf_Attribute attribute;
      Dwarf_Word number;
      if (dwarf_attr(&die, DW_AT_decl_file, &attribute) != NULL &&
          dwarf_formudata(&attribute, &number) == 0) {
         const char* theirs = dwarf_decl_file(&die);
         const char* ours = source_files_path(files, number);
         ++*compared;
         if ((theirs == NULL) != (ours == NULL) || (ours && strcmp(theirs, ours) != 0))
            printf("%s: %s, %s\n", dwarf_diename(&die), theirs ? theirs : "?",
                   ours ? ours : "?");
      }
      compare_sources(&die, files, compared);
   } while (dwarf_siblingof(&die, &die) == 0);
}

static int do_sources(int count, char** words)
{
   int fd = open(words[0], O_RDONLY);
   elf_version(EV_CURRENT);
   Dwarf* dwarf = dwarf_begin(fd, DWARF_C_READ);
   Dwarf_Off offset = 0, next;
   size_t header_size;
   unsigned compared = 0;
   if (count != 1 || dwarf == NULL)
      return 2;
   while (dwarf_nextcu(dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
      Dwarf_Die unit;
      if (dwarf_offdie(dwarf, offset + header_size, &unit) != NULL) {
         SourceFiles* files = source_files_read(&unit);
         compare_sources(&unit, files, &compared);
         source_files_free(files);
      }
      offset = next;
   }
   printf("%u compared\n", compared);
   dwarf_end(dwarf);
   return 0;
}

int main(int count, char** arguments)
{
   static const struct {
      const char* name;
      int (*run)(int count, char** words);
   } commands[] = {{"unwind", do_unwind},   {"runner", do_runner},
                   {"jitdump", do_jit},     {"perfmap", do_perfmap},
                   {"lived", do_lived},     {"inlined", do_inlined},
                   {"registers", do_registers},
                   {"elf", do_elf},         {"record", do_record},
                   {"rows", do_rows},       {"kallsyms", do_kallsyms},
                   {"sources", do_sources}, {"event", do_event},
                   {"copies", do_copies},   {"rate", do_rate}, {"steps", do_steps},
                   {"threads", do_threads}};
   for (unsigned i = 0; count > 2 && i < sizeof commands / sizeof commands[0]; i++) {
      if (strcmp(commands[i].name, arguments[1]) == 0)
         return commands[i].run(count - 2, arguments + 2);
   }
   return 2;
}
