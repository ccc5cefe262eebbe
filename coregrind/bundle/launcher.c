/* SPDX-License-Identifier: GPL-2.0-or-later

   The launcher of the bundle: a `valgrind` command that needs no installed Valgrind.  It
   finds which tool is asked for and for which machine the program is, and has the tool,
   a static program with the core in it, go on in its process.

   Owns: where the bundle is found: around the launcher's own file, or where
   CALLGRIND_EXACT_HOME says; never by another Valgrind's VALGRIND_LIB.  Relies on what
   the core asks of a launcher: VALGRIND_LAUNCHER, by which it starts traced children, and
   the command line as it was given, which the core reads itself.

   BUNDLE_PLATFORM, the Makefile's, is the platform as Valgrind names it.  */

#include "launcher_version.h"
#include "tool_folder.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOME_VARIABLE "CALLGRIND_EXACT_HOME"
#define TOOLS "libexec/valgrind"
#define TOOL_OPTION "--tool="

#if defined __x86_64__
#define OUR_MACHINE EM_X86_64
#elif defined __aarch64__
#define OUR_MACHINE EM_AARCH64
#endif

/* A script's interpreter may be a script; Linux goes as far.  */
#define MOST_INTERPRETERS 5

typedef struct {
   const char* tool;    /* NULL: none is named */
   const char* program; /* NULL: there is none */
} Asked;

static _Noreturn void refuse(const char* name, const char* why)
{
   fprintf(stderr, "valgrind (callgrind-exact): %s: %s\n", name, why);
   exit(1);
}

/* Options end at the first word that is none, or behind `--`.  */
static Asked asked_for(char** words)
{
   Asked asked = {NULL, NULL};
   for (; *words != NULL; words++) {
      if (strcmp(*words, "--") == 0) {
         asked.program = words[1];
         break;
      }
      if (**words != '-') {
         asked.program = *words;
         break;
      }
      if (strncmp(*words, TOOL_OPTION, strlen(TOOL_OPTION)) == 0)
         asked.tool = *words + strlen(TOOL_OPTION);
   }
   return asked;
}

/* --- For which machine the program is ----------------------------------------------- */

/* The program's file, looked up in PATH as a shell does; 0 if there is none, of which the
   core tells.  */
static int find_program(char path[PATH_MAX], const char* name)
{
   const char* folders = getenv("PATH");
   if (strchr(name, '/') != NULL || folders == NULL)
      return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
   for (;;) {
      size_t length = strcspn(folders, ":");
      int size = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, folders,
                          length > 0 ? "/" : "", name);
      struct stat status;
      if (size < PATH_MAX && access(path, X_OK) == 0 && stat(path, &status) == 0 &&
          S_ISREG(status.st_mode))
         return 1;
      if (folders[length] == '\0')
         return 0;
      folders += length + 1;
   }
}

/* The first bytes of a file, with a 0 behind them; 0 if they cannot be read.  */
static size_t read_beginning(char bytes[PATH_MAX], const char* path)
{
   int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
   ssize_t size = fd < 0 ? -1 : read(fd, bytes, PATH_MAX - 1);
   if (fd >= 0)
      close(fd);
   bytes[size < 0 ? 0 : size] = '\0';
   return size < 0 ? 0 : (size_t)size;
}

/* Sets `path` to the interpreter of a script that begins with `bytes`.  */
static void interpreter_of(char path[PATH_MAX], char* bytes)
{
   char* name = bytes + 2 + strspn(bytes + 2, " \t");
   name[strcspn(name, " \t\r\n")] = '\0';
   snprintf(path, PATH_MAX, "%s", name);
}

/* Ends the launcher if the program is for another machine.  What cannot be read or is
   nothing that runs, the core tells of.  */
static void check_machine(const char* program)
{
   char path[PATH_MAX], bytes[PATH_MAX];
   const Elf64_Ehdr* header = (const Elf64_Ehdr*)(const void*)bytes;
   if (!find_program(path, program))
      return;
   for (int n = 0; n < MOST_INTERPRETERS; n++) {
      size_t size = read_beginning(bytes, path);
      if (size > 2 && bytes[0] == '#' && bytes[1] == '!') {
         interpreter_of(path, bytes);
         continue;
      }
      /* e_machine is at the same place in files of both classes.  */
      if (size < sizeof *header || memcmp(bytes, ELFMAG, SELFMAG) != 0)
         return;
      if (header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == OUR_MACHINE)
         return;
      refuse(path,
             header->e_machine == EM_386
                ? "a 32-bit program; only those for " BUNDLE_PLATFORM " can be measured"
                : "not a program for " BUNDLE_PLATFORM ", which alone can be measured");
   }
}

/* --- The bundle --------------------------------------------------------------------- */

/* Sets `folder` to that of the bundle's tools, and `launcher` to the launcher in it.  */
static void find_bundle(char folder[PATH_MAX], char launcher[PATH_MAX])
{
   char whole[PATH_MAX];
   const char* home = getenv(HOME_VARIABLE);
   if (home != NULL && home[0] != '\0') {
      if (realpath(home, whole) == NULL)
         launcher_refuse(HOME_VARIABLE);
      join_path(folder, whole, "/", TOOLS);
      join_path(launcher, whole, "/", "bin/valgrind");
      if (access(folder, F_OK) != 0 || access(launcher, X_OK) != 0)
         launcher_refuse(HOME_VARIABLE " is not the folder of a bundle");
      return;
   }
   if (!tool_folder_beside(folder, "../" TOOLS) || !launcher_file(launcher)) {
      errno = ENOENT;
      launcher_refuse("../" TOOLS " beside the command; keep the bundle together, or "
                      "name its folder in " HOME_VARIABLE);
   }
}

static const char* chosen_tool(const Asked* asked)
{
   if (asked->tool != NULL)
      return asked->tool;
   if (asked->program != NULL)
      refuse("no tool is named", "write --tool=callgrind; memcheck, which it would be "
                                 "then, is not in this bundle");
   /* It knows --help and --version.  */
   return "callgrind";
}

int main(int count, char** arguments)
{
   char folder[PATH_MAX], launcher[PATH_MAX], name[PATH_MAX], file[PATH_MAX];
   if (count < 1)
      refuse("no name of its own", "it was started without arguments");
   Asked asked = asked_for(arguments + 1);
   const char* tool = chosen_tool(&asked);
   find_bundle(folder, launcher);
   if (asked.program != NULL)
      check_machine(asked.program);
   join_path(name, tool, "-", BUNDLE_PLATFORM);
   join_path(file, folder, "/", name);
   hand_tool_folder_over(folder);
   if (strchr(tool, '/') != NULL || access(file, F_OK) != 0)
      refuse(tool, "no such tool in this bundle; it has callgrind and none");
   if (setenv("VALGRIND_LAUNCHER", launcher, 1) != 0)
      launcher_refuse("VALGRIND_LAUNCHER");
   launcher_add_to_version(arguments + 1);
   execv(file, arguments);
   launcher_refuse(file);
}
