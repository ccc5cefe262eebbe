/* SPDX-License-Identifier: GPL-2.0-or-later

   Names without what each build makes anew, so that code keeps its place from build to
   build (code_layout.h).  For functions they are those of callgrind_report --match=plain
   (callgrind/report/analysis/build_names.py), but for names of JavaScript: JIT code does
   not go by its name.

   Owns no memory and knows nothing of the tool.  */

#ifndef CALLGRIND_PLAIN_NAME_H
#define CALLGRIND_PLAIN_NAME_H

/* Writes the function `name` to `plain`, which has room for as many characters, without
   hashes and without the numbers of copies.  */
void plain_name_of_function(const char* name, char* plain);

/* Writes the base name of the object `path` to `plain`, which has room for as many
   characters, without the hash of its build and, of a library, without its version:
   libm.so.6, libm-2.31.so and libm.so are libm.so.  */
void plain_name_of_object(const char* path, char* plain);

#endif
