/* SPDX-License-Identifier: GPL-2.0-or-later

   The table of the tool's options.  A row names an option, says what kind of value it
   takes and where the value goes, and has its lines of --help.  An option is parsed,
   refused and explained from its row alone, so the three cannot disagree.  */

#ifndef CALLGRIND_OPTION_TABLE_H
#define CALLGRIND_OPTION_TABLE_H

#include "core_version.h"

typedef enum {
   OptionBool,        /* --name=yes|no */
   OptionNumber,      /* --name=<n>, within bounds */
   OptionCount,       /* --name=<n>, any that fits into 64 bits */
   OptionChoice,      /* --name=<word>, one of option_choices() */
   OptionFileName,    /* --name=<text>, not empty, with %p and %q{VAR} */
   OptionText,        /* --name=<text>, not empty */
   OptionAllocator,   /* --name=<preset>, or a function and its arguments (allocators.h);
                         may be given many times */
   OptionCacheFolder, /* --name=no, yes, or a path with a slash */
   OptionList,        /* --name=<text>, may be given many times */
   OptionNumbered,    /* --name<n>=<text>, may be given many times */
   OptionCache,       /* --name=<size>,<ways>,<line size> */
   OptionHeading      /* no option: a line of --help between groups */
} OptionKind;

/* A word that an option takes, and what it means.  */
typedef struct {
   const HChar* word;
   UInt value;
} Choice;

typedef struct {
   const HChar* name; /* with its dashes; the text of a heading */
   OptionKind kind;
   void* target;      /* Bool*, UInt*, ULong*, const HChar**, XArray** or CacheGeometry*,
                         by kind; NULL if there is no value */
   UInt min, max;     /* the bounds of a number, included; min: which list of choices */
   const HChar* help; /* lines of --help, without the last newline; NULL: not shown */
} OptionRow;

/* The words that the OptionChoice `row` takes.  A word that is NULL ends the list.  */
const Choice* option_choices(const OptionRow* row);

typedef struct {
   const OptionRow* rows;
   UInt n_rows;
} OptionTable;

typedef struct {
   const HChar* const* names;
   UInt n_names;
} OptionNames;

/* The options of --help, in its order.  */
extern const OptionTable option_table;

/* The options of --help-debug: for those who work on the tool, and for the tool itself,
   which passes some to the programs that a process executes.  */
extern const OptionTable option_debug_table;

/* Stock's options that this version does not have yet.  They are named so that a user
   sees at once that the option is not misspelt.  */
extern const OptionNames option_refused_names;

/* Stock's options that change no profile of ours.  They are accepted without effect.  */
extern const OptionNames option_ignored_names;

#endif
