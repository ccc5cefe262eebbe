/* SPDX-License-Identifier: GPL-2.0-or-later

   Takes arguments by the table of options; see command_line.h.

   A bad value does not return: VG_(fmsg_bad_option) ends the process.  */

#include "options/command_line.h"

#include "base/path.h"
#include "base/text.h"
#include "cycles/instruction_cycles.h"
#include "options/allocators.h"
#include "options/option_table.h"
#include "options/options.h"
#include "options/patterns.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

/*--------------------------------------------------------------------*/
/* Values                                                              */

/* The text behind "name=" if `argument` is that option, otherwise NULL.  */
static const HChar* value_of(const HChar* argument, const HChar* name)
{
   SizeT length = VG_(strlen)(name);
   if (VG_(strncmp)(argument, name, length) != 0 || argument[length] != '=')
      return NULL;
   return argument + length + 1;
}

static void take_bool(const OptionRow* row, const HChar* argument, const HChar* value)
{
   if (VG_(strcmp)(value, "yes") == 0)
      *(Bool*)row->target = True;
   else if (VG_(strcmp)(value, "no") == 0)
      *(Bool*)row->target = False;
   else
      VG_(fmsg_bad_option)(
         argument, "Invalid boolean value '%s' (should be 'yes' or 'no')\n", value);
}

static void take_choice(const OptionRow* row, const HChar* argument, const HChar* value)
{
   const Choice* choices = option_choices(row);
   HChar expected[128] = "";
   UInt n = 0;
   while (choices[n].word != NULL)
      n++;
   for (UInt i = 0; i < n; i++) {
      if (VG_(strcmp)(value, choices[i].word) == 0) {
         *(UInt*)row->target = choices[i].value;
         return;
      }
      SizeT length = VG_(strlen)(expected);
      VG_(snprintf)(expected + length, (Int)(sizeof expected - length), "%s'%s'",
                    i == 0       ? ""
                    : i + 1 == n ? " or "
                                 : ", ",
                    choices[i].word);
   }
   VG_(fmsg_bad_option)(argument, "Invalid value '%s' (should be %s)\n", value, expected);
}

/* Reads the digits at the start of `text` into *number, and returns what follows them.
   *fits is False if the number needs more than 64 bits; it is then the largest one.  */
static const HChar* read_digits(const HChar* text, ULong* number, Bool* fits)
{
   *number = 0;
   *fits = True;
   for (; VG_(isdigit)(*text); text++) {
      const ULong digit = (ULong)(*text - '0');
      *fits = *fits && *number <= (~0ULL - digit) / 10;
      *number = *fits ? *number * 10 + digit : ~0ULL;
   }
   return text;
}

static void take_number(const OptionRow* row, const HChar* argument, const HChar* value)
{
   const HChar* digits = value[0] == '-' || value[0] == '+' ? value + 1 : value;
   ULong number;
   Bool fits;
   const HChar* end = read_digits(digits, &number, &fits);
   if (end == digits || *end != '\0')
      VG_(fmsg_bad_option)(argument, "Invalid integer value '%s'\n", value);
   else if (value[0] == '-' || number < row->min || number > row->max)
      VG_(fmsg_bad_option)(argument, "'%s' argument must be between %u and %u\n",
                           row->name, row->min, row->max);
   else
      *(UInt*)row->target = (UInt)number;
}

static void take_count(const OptionRow* row, const HChar* argument, const HChar* value)
{
   ULong number;
   Bool fits;
   const HChar* end = read_digits(value, &number, &fits);
   if (end == value || *end != '\0' || !fits)
      VG_(fmsg_bad_option)(
         argument, "Invalid value '%s' (should be a number from 0 to 2^64 - 1)\n", value);
   *(ULong*)row->target = number;
}

static void take_cache_folder(const OptionRow* row, const HChar* argument,
                              const HChar* value)
{
   if (VG_(strcmp)(value, "no") != 0 && VG_(strcmp)(value, "yes") != 0 &&
       VG_(strchr)(value, '/') == NULL)
      VG_(fmsg_bad_option)(
         argument, "It should be 'no', 'yes', or the path of a folder, with a '/'.\n");
   *(const HChar**)row->target = value;
}

static void take_text(const OptionRow* row, const HChar* argument, const HChar* value)
{
   if (value[0] == '\0')
      VG_(fmsg_bad_option)(argument, "a value is missing behind '='\n");
   else if (row->kind == OptionText)
      *(const HChar**)row->target = value;
   else if (row->kind == OptionCacheFolder)
      take_cache_folder(row, argument, value);
   else if (row->kind == OptionFileName) {
      /* A name that cannot be expanded ends the process now, not after the
         measurement.  */
      VG_(free)(path_expand(row->name, value));
      *(const HChar**)row->target = value;
   } else if (row->kind == OptionAllocator)
      allocators_add(argument, value);
   else
      patterns_add(row->target, value, 0);
}

/* Takes --name<n>=<text>; False if `argument` is another option.  */
static Bool take_numbered(const OptionRow* row, const HChar* argument)
{
   SizeT length = VG_(strlen)(row->name);
   if (VG_(strncmp)(argument, row->name, length) != 0 || !VG_(isdigit)(argument[length]))
      return False;
   ULong number;
   Bool fits;
   const HChar* end = read_digits(argument + length, &number, &fits);
   if (*end != '=')
      return False;
   if (number < row->min || number > row->max)
      VG_(fmsg_bad_option)(argument, "'%s<n>=' number must be between %u and %u\n",
                           row->name, row->min, row->max);
   if (end[1] == '\0')
      VG_(fmsg_bad_option)(argument, "a value is missing behind '='\n");
   patterns_add(row->target, end + 1, (UInt)number);
   return True;
}

static void take_cache(const OptionRow* row, const HChar* argument, const HChar* value)
{
   GeometryFault fault = geometry_parse(value, row->target);
   if (fault != GeometryValid)
      VG_(fmsg_bad_option)(argument, "'%s': %s.\n", value, geometry_fault_text(fault));
}

/* True for options that ask for something of the simulated caches: they imply
   --cache-sim=yes.  */
static Bool implies_cache_sim(const OptionRow* row)
{
   return row->kind == OptionCache || row->target == &options.simulate_write_back ||
          row->target == &options.simulate_prefetch || row->target == &options.cacheuse;
}

static void take_value(const OptionRow* row, const HChar* argument, const HChar* value)
{
   switch (row->kind) {
   case OptionBool: take_bool(row, argument, value); break;
   case OptionNumber: take_number(row, argument, value); break;
   case OptionCount: take_count(row, argument, value); break;
   case OptionChoice: take_choice(row, argument, value); break;
   case OptionCache: take_cache(row, argument, value); break;
   default: take_text(row, argument, value); break;
   }
}

/* True if `argument` is one of the options `names`.  A digit may follow the name, as in
   --separate-callers3=f.  */
static Bool is_among(const HChar* argument, const OptionNames* names)
{
   for (UInt i = 0; i < names->n_names; i++) {
      SizeT length = VG_(strlen)(names->names[i]);
      if (VG_(strncmp)(argument, names->names[i], length) != 0)
         continue;
      const HChar* rest = argument + length;
      while (VG_(isdigit)(*rest))
         rest++;
      if (*rest == '\0' || *rest == '=')
         return True;
   }
   return False;
}

static void refuse_without_cycles(const OptionRow* row, const HChar* argument)
{
   Bool asks = (row->target == &options.cycle_estimation && options.cycle_estimation) ||
               row->target == &options.cycle_model;
   if (asks && !cycles_are_known())
      VG_(fmsg_bad_option)(argument, "There are no tables of cycles for this "
                                     "architecture yet: leave the option out.\n");
}

/* Takes `argument` if it is the option of `row`.  */
static Bool take_argument(const OptionRow* row, const HChar* argument)
{
   if (row->kind == OptionHeading)
      return False;
   if (row->kind == OptionNumbered)
      return take_numbered(row, argument);
   const HChar* value = value_of(argument, row->name);
   if (!VG_(check_clom)(cloP, argument, row->name, value != NULL))
      return False;
   take_value(row, argument, value);
   if (implies_cache_sim(row))
      options.cache_sim = True;
   refuse_without_cycles(row, argument);
   return True;
}

static Bool take_from_table(const OptionTable* table, const HChar* argument)
{
   for (UInt i = 0; i < table->n_rows; i++)
      if (take_argument(&table->rows[i], argument))
         return True;
   return False;
}

Bool command_line_process(const HChar* argument)
{
   if (take_from_table(&option_table, argument) ||
       take_from_table(&option_debug_table, argument))
      return True;
   if (is_among(argument, &option_ignored_names)) {
      if (VG_(clo_verbosity) > 0)
         text_say("%s has no effect here%s\n", argument, "");
      return True;
   }
   if (is_among(argument, &option_refused_names))
      VG_(fmsg_bad_option)(
         argument, "This option of callgrind is not available in callgrind-exact yet.\n");
   return False;
}

/*--------------------------------------------------------------------*/
/* Help                                                                */

void command_line_print_usage(void)
{
   for (UInt i = 0; i < option_table.n_rows; i++) {
      const OptionRow* row = &option_table.rows[i];
      if (row->kind == OptionHeading)
         VG_(printf)("\n   %s\n", row->name);
      else if (row->help != NULL)
         VG_(printf)("    %s\n", row->help);
   }
   VG_(printf)("\n");
}

void command_line_print_debug_usage(void)
{
   for (UInt i = 0; i < option_debug_table.n_rows; i++)
      if (option_debug_table.rows[i].help != NULL)
         VG_(printf)("    %s\n", option_debug_table.rows[i].help);
   VG_(printf)(
      "    --ct-verbose=<level>      Stock's, accepted without effect; as well\n"
      "    --ct-vstart=<BB number>, --ct-verbose<level>=<func>, --pop-on-jump\n");
}
