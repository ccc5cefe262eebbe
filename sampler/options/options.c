/* SPDX-License-Identifier: GPL-2.0-or-later

   The command line; see options.h.  Options end at the program, or at `--`.  */

#include "options/options.h"

#include "base/memory.h"
#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_STACK 65528 /* of the kernel: a record has 16 bits for its size */
#define SMALLEST_STACK 256
#define LARGEST_FREQUENCY 100000
#define DEFAULT_SLOWDOWN 3

static const char usage[] =
   "usage: callgrind_sample [options] PROGRAM [ARGS]\n"
   "       callgrind_sample [options] -p PID\n"
   "\n"
   "Samples a program, all its processes and threads, by the clock, and writes\n"
   "calling-context trees.  callgrind_export reads them.\n"
   "\n"
   "  -o, --output=FILE       where to write (callgrind.sample.PID)\n"
   "  -p, --pid=PID           attach to a process that runs; ^C ends the sampling\n"
   "      --frequency=N       samples per second of CPU time (997)\n"
   "      --slowdown=PERCENT  sample less often where this would slow the program by\n"
   "                          more; 0: never (3; 0 with --frequency)\n"
   "      --event=EVENT       cycles: the machine's counter; cpu-clock: a timer of the\n"
   "                          kernel; auto: cycles where there are some (auto);\n"
   "                          wall: cpu-clock, and what threads wait for\n"
   "      --stack-size=BYTES  how much of the stack is looked at (as much as is needed)\n"
   "      --kernel=auto|yes|no\n"
   "                          sample in the kernel, too; auto: where it allows (auto)\n"
   "      --start=on|off      off: nothing is sampled until the control says so (on)\n"
   "      --control=none|runner|fifo:CTL,ACK|fd:N,M\n"
   "                          who switches sampling on and off (none)\n"
   "      --obj-skip=PATTERN  fold an object away, as callgrind does; may be repeated\n"
   "  -v, --verbose           tell how it goes\n"
   "  -h, --help              this text\n"
   "      --version           the version\n"
   "\n"
   "The program's input, output and exit status are its own.  One line on stderr says\n"
   "at the end what was sampled.\n";

typedef struct {
   const char* name; /* without the dashes */
   char letter;      /* 0: none */
   bool wants_value;
} OptionName;

enum {
   OptionOutput,
   OptionPid,
   OptionFrequency,
   OptionSlowdown,
   OptionEvent,
   OptionStackSize,
   OptionKernel,
   OptionStart,
   OptionControl,
   OptionObjSkip,
   OptionVerbose,
   OptionHelp,
   OptionVersion,
   OptionTestWithout,
   OptionTestWith,
   OptionCount
};

static const OptionName names[OptionCount] = {
   [OptionOutput] = {"output", 'o', true},
   [OptionPid] = {"pid", 'p', true},
   [OptionFrequency] = {"frequency", 0, true},
   [OptionSlowdown] = {"slowdown", 0, true},
   [OptionEvent] = {"event", 0, true},
   [OptionStackSize] = {"stack-size", 0, true},
   [OptionKernel] = {"kernel", 0, true},
   [OptionStart] = {"start", 0, true},
   [OptionControl] = {"control", 0, true},
   [OptionObjSkip] = {"obj-skip", 0, true},
   [OptionVerbose] = {"verbose", 'v', false},
   [OptionHelp] = {"help", 'h', false},
   [OptionVersion] = {"version", 0, false},
   /* Only the tests of the sampler use these, so --help does not list them.  */
   [OptionTestWithout] = {"test-without", 0, true},
   [OptionTestWith] = {"test-with", 0, true},
};

static unsigned number(const char* option, const char* value, unsigned least,
                       unsigned most)
{
   char* end;
   errno = 0;
   unsigned long result = strtoul(value, &end, 10);
   if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || result < least ||
       result > most)
      message_refuse("--%s=%s: a number from %u to %u is wanted", option, value, least,
                     most);
   return (unsigned)result;
}

/* Which of `words`, a list separated by '|', `value` is.  */
static unsigned one_of(const char* option, const char* value, const char* words)
{
   unsigned index = 0;
   size_t length = strlen(value);
   for (const char* word = words;; index++) {
      size_t size = strcspn(word, "|");
      if (size == length && memcmp(word, value, size) == 0)
         return index;
      if (word[size] == '\0')
         message_refuse("--%s=%s: one of %s is wanted", option, value, words);
      word += size + 1;
   }
}

static _Noreturn void refuse_control(const char* value)
{
   message_refuse("--control=%s: one of none, runner, fifo:CTL,ACK, fd:N,M is wanted",
                  value);
}

static void read_fifos(Options* options, const char* value)
{
   char* fifos = memory_copy_text(value);
   char* comma = strchr(fifos, ',');
   options->control = ControlFifo;
   options->command_fifo = fifos;
   options->answer_fifo = NULL;
   if (comma != NULL) {
      *comma = '\0';
      options->answer_fifo = comma[1] != '\0' ? comma + 1 : NULL;
   }
}

/* Reads "N" before `end` or the end; -1 if there is none.  */
static int read_descriptor(const char** text, char end)
{
   long number = 0;
   const char* digit = *text;
   for (; *digit >= '0' && *digit <= '9' && number <= INT_MAX; digit++)
      number = 10 * number + (*digit - '0');
   if (digit == *text || number > INT_MAX || (*digit != end && *digit != '\0'))
      return -1;
   *text = *digit == end && end != '\0' ? digit + 1 : digit;
   return (int)number;
}

/* Now, as later the number may be that of a file of ours.  */
static void check_descriptor(int descriptor, int wrong_mode, const char* what)
{
   int flags = fcntl(descriptor, F_GETFL);
   if (flags < 0)
      message_refuse("--control=fd: descriptor %d is not open", descriptor);
   if ((flags & O_ACCMODE) == wrong_mode)
      message_refuse("--control=fd: descriptor %d is not open for %s", descriptor, what);
}

static void read_descriptors(Options* options, const char* value)
{
   const char* rest = value + strlen("fd:");
   options->control = ControlDescriptor;
   options->command_descriptor = read_descriptor(&rest, ',');
   options->answer_descriptor = *rest != '\0' ? read_descriptor(&rest, '\0') : -1;
   if (options->command_descriptor < 0 || *rest != '\0')
      refuse_control(value);
   check_descriptor(options->command_descriptor, O_WRONLY, "reading");
   if (options->answer_descriptor >= 0)
      check_descriptor(options->answer_descriptor, O_RDONLY, "writing");
}

static void read_control(Options* options, const char* value)
{
   if (strcmp(value, "none") == 0)
      options->control = ControlNone;
   else if (strcmp(value, "runner") == 0)
      options->control = ControlRunner;
   else if (strncmp(value, "fifo:", 5) == 0 && value[5] != '\0' && value[5] != ',')
      read_fifos(options, value + 5);
   else if (strncmp(value, "fd:", 3) == 0)
      read_descriptors(options, value);
   else
      refuse_control(value);
}

static void take(Options* options, unsigned option, const char* value)
{
   const char* name = names[option].name;
   switch (option) {
   case OptionOutput: options->output = value; break;
   case OptionPid: options->attach = (pid_t)number(name, value, 1, 4194304); break;
   case OptionFrequency:
      options->frequency = number(name, value, 1, LARGEST_FREQUENCY);
      break;
   case OptionSlowdown: options->slowdown = number(name, value, 0, 100); break;
   case OptionEvent:
      options->event = (EventChoice)one_of(name, value, "auto|cycles|cpu-clock|wall");
      break;
   case OptionStackSize:
      options->stack_size = number(name, value, SMALLEST_STACK, LARGEST_STACK) & ~7u;
      break;
   case OptionKernel:
      options->kernel = (KernelChoice)one_of(name, value, "auto|yes|no");
      break;
   case OptionStart: options->starts_on = one_of(name, value, "on|off") == 0; break;
   case OptionControl: read_control(options, value); break;
   case OptionObjSkip:
      if (*value == '\0')
         break;
      options->skipped =
         memory_reallocate(options->skipped, options->skipped_count + 1, sizeof(char*));
      options->skipped[options->skipped_count++] = value;
      break;
   case OptionVerbose: options->verbose = true; break;
   case OptionTestWithout:
      switch (one_of(name, value, "tracking|backfill|room")) {
      case 0: options->tracks_always = false; break;
      case 1: options->backfills = false; break;
      default: options->has_room = false; break;
      }
      break;
   case OptionTestWith:
      one_of(name, value, "dear-timer");
      options->has_dear_timer = true;
      break;
   case OptionHelp:
      fputs(usage, stdout);
      exit(fflush(stdout) == 0 ? 0 : MESSAGE_STATUS_REFUSED);
   case OptionVersion:
      puts("callgrind_sample " SAMPLER_VERSION);
      exit(fflush(stdout) == 0 ? 0 : MESSAGE_STATUS_REFUSED);
   default: break;
   }
}

/* The option that `word` names.  *value becomes its value if that is in the same word,
   else NULL.  */
static unsigned find(const char* word, const char** value)
{
   *value = NULL;
   for (unsigned i = 0; i < OptionCount; i++) {
      const OptionName* option = &names[i];
      size_t length = strlen(option->name);
      if (word[1] == '-') {
         if (strncmp(word + 2, option->name, length) != 0)
            continue;
         if (word[2 + length] == '\0')
            return i;
         if (word[2 + length] == '=' && option->wants_value) {
            *value = word + 2 + length + 1;
            return i;
         }
      } else if (option->letter != 0 && word[1] == option->letter) {
         if (word[2] == '\0')
            return i;
         if (option->wants_value) {
            *value = word + 2;
            return i;
         }
      }
   }
   message_refuse("%s: there is no such option; see callgrind_sample --help", word);
}

static void check(const Options* options)
{
   if (options->attach != 0 && options->program != NULL)
      message_refuse("-p and a program exclude each other");
   if (options->attach == 0 && options->program == NULL)
      message_refuse("no program is named; see callgrind_sample --help");
   if (!options->starts_on && options->control == ControlNone)
      message_refuse("--start=off: nothing would ever be sampled; add --control=");
}

Options options_read(int count, char** arguments)
{
   Options options = {
      .frequency = 997,
      .starts_on = true,
      .tracks_always = true,
      .backfills = true,
      .has_room = true,
   };
   bool start_given = false, frequency_given = false, slowdown_given = false;
   int i = 1;
   for (; i < count; i++) {
      const char* word = arguments[i];
      const char* value;
      if (strcmp(word, "--") == 0) {
         i++;
         break;
      }
      if (word[0] != '-' || word[1] == '\0')
         break;
      unsigned option = find(word, &value);
      if (names[option].wants_value && value == NULL) {
         if (i + 1 >= count)
            message_refuse("%s: its value is missing", word);
         value = arguments[++i];
      }
      take(&options, option, value);
      start_given = start_given || option == OptionStart;
      frequency_given = frequency_given || option == OptionFrequency;
      slowdown_given = slowdown_given || option == OptionSlowdown;
   }
   if (i < count)
      options.program = arguments + i;
   if (!slowdown_given)
      options.slowdown = frequency_given ? 0 : DEFAULT_SLOWDOWN;
   /* A runner's client says when to begin; until then only its own start-up executes.  */
   if (options.control == ControlRunner && !start_given)
      options.starts_on = false;
   check(&options);
   return options;
}
