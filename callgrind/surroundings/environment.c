/* SPDX-License-Identifier: GPL-2.0-or-later

   See environment.h.  */

#include "surroundings/environment.h"

#include "base/pattern.h"
#include "base/text.h"
#include "options/options.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* What is added unless the user has set it.  The others that are in common use (Ruby,
   Rust, Go, PHP) ask the system, or look at AT_RANDOM.  */
static const HChar* const hash_seeds[] = {"PYTHONHASHSEED=0", "PERL_HASH_SEED=0"};

/* node takes no seed from a variable.  Its compilers and its collector run on threads of
   their own, which get as far as time allows, unless there is but one.  */
static const HChar* const node_options[] = {"--hash-seed=1", "--random-seed=1",
                                            "--single-threaded"};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Names in paths are made as long as that, so that the folder in which the tool lies does
   not count.  */
#define PATH_UNIT 256

static Bool has_name(const HChar* variable, const HChar* name, SizeT length)
{
   return VG_(strncmp)(variable, name, length) == 0 && variable[length] == '=';
}

static Bool is_set(const XArray* variables, const HChar* with_value)
{
   SizeT length = (SizeT)(VG_(strchr)(with_value, '=') - with_value);
   for (Word i = 0; i < VG_(sizeXA)(variables); i++)
      if (has_name(*(HChar**)VG_(indexXA)(variables, i), with_value, length))
         return True;
   return False;
}

/* What the core and the tool need to go on in programs that are executed.  */
static Bool is_needed(const HChar* variable)
{
   return has_name(variable, "LD_PRELOAD", 10) ||
          VG_(strncmp)(variable, "VALGRIND_", 9) == 0;
}

/* Does one of the patterns in --steady-env, between commas, match its name?  */
static Bool is_shown(const HChar* variable)
{
   if (options.steady_environment == NULL || is_needed(variable))
      return True;
   const HChar* end = VG_(strchr)(variable, '=');
   HChar* name = VG_(strdup)("environment.name", variable);
   HChar* patterns = VG_(strdup)("environment.patterns", options.steady_environment);
   Bool found = False;
   HChar* rest;
   if (end != NULL)
      name[end - variable] = '\0';
   for (HChar* pattern = VG_(strtok_r)(patterns, ",", &rest); pattern != NULL && !found;
        pattern = VG_(strtok_r)(NULL, ",", &rest))
      found = pattern_matches(pattern, name);
   VG_(free)(name);
   VG_(free)(patterns);
   return found;
}

/*--------------------------------------------------------------------*/
/* Where the tool lies                                                 */

/* A copy of `variable` with slashes at `at`, so that what begins at `start` and ends at
   `end` has a multiple of PATH_UNIT bytes.  */
static HChar* with_slashes(const HChar* variable, const HChar* start, const HChar* at,
                           const HChar* end)
{
   const SizeT length = (SizeT)(end - start);
   const SizeT added = VG_ROUNDUP(length, PATH_UNIT) - length;
   const SizeT before = (SizeT)(at - variable);
   const SizeT size = VG_(strlen)(variable) + added + 1;
   HChar* copy = VG_(malloc)("environment.variable", size);
   VG_(memcpy)(copy, variable, before);
   VG_(memset)(copy + before, '/', added);
   VG_(strcpy)(copy + before + added, at);
   return copy;
}

/* The core's own library in LD_PRELOAD: its folder's name becomes as long as that of any
   other.  The core finds it again, to take it away from programs that are not traced,
   because the folder comes first.  */
static HChar* with_long_preload(HChar* variable)
{
   HChar* file = VG_(strstr)(variable, "vgpreload_");
   if (file == NULL || file[-1] != '/')
      return variable;
   const HChar* start = file;
   while (start[-1] != '=' && start[-1] != ':' && start[-1] != ' ')
      start--;
   const HChar* end = file;
   while (*end != '\0' && *end != ':' && *end != ' ')
      end++;
   return with_slashes(variable, start, file, end);
}

static HChar* with_long_paths(HChar* variable)
{
   if (has_name(variable, "LD_PRELOAD", 10))
      return with_long_preload(variable);
   if (!has_name(variable, "VALGRIND_LIB", 12))
      return variable;
   const HChar* end = variable + VG_(strlen)(variable);
   return with_slashes(variable, variable + 13, end, end);
}

/*--------------------------------------------------------------------*/

static Int by_text(const void* left, const void* right)
{
   return VG_(strcmp)(*(HChar* const*)left, *(HChar* const*)right);
}

XArray* environment_make(HChar** given, UInt* n_hidden)
{
   XArray* seen = VG_(newXA)(VG_(malloc), "environment.seen", VG_(free), sizeof(HChar*));
   *n_hidden = 0;
   for (; *given != NULL; given++) {
      if (is_shown(*given)) {
         HChar* variable = with_long_paths(*given);
         VG_(addToXA)(seen, &variable);
      } else {
         (*n_hidden)++;
      }
   }
   for (UInt i = 0; i < LENGTH(hash_seeds); i++)
      if (!is_set(seen, hash_seeds[i]))
         VG_(addToXA)(seen, &hash_seeds[i]);
   /* Shells have orders of their own.  */
   VG_(setCmpFnXA)(seen, by_text);
   VG_(sortXA)(seen);
   return seen;
}

static const HChar* base_name(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash == NULL ? path : slash + 1;
}

static Bool is_node(const HChar* program)
{
   const HChar* name = base_name(program);
   return VG_(strcmp)(name, "node") == 0 || VG_(strcmp)(name, "nodejs") == 0;
}

XArray* environment_arguments(HChar** given, UWord count)
{
   XArray* seen =
      VG_(newXA)(VG_(malloc), "environment.arguments", VG_(free), sizeof(HChar*));
   for (UWord i = 0; i < count; i++) {
      VG_(addToXA)(seen, &given[i]);
      if (i == 0 && is_node(given[0]))
         for (UInt k = 0; k < LENGTH(node_options); k++)
            VG_(addToXA)(seen, &node_options[k]);
   }
   return seen;
}
