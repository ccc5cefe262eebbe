/* SPDX-License-Identifier: GPL-2.0-or-later

   A program that confines itself, as its arguments say, one after the other, and ends
   with status 7:

      chroot FOLDER       the folder is its root
      pivot FOLDER        the folder, as a file system of its own, is its root, and all
                          that it saw before is gone
      cover FOLDER        has file systems of its own, with an empty one on the folder
      filter CALL ACTION  that system call ends with EPERM (errno), ends the process
                          (kill), its thread (thread), or sends a signal (trap)
      pseudo CALL ACTION  does what `filter` does but for setting the filter
      seccomp CALL ACTION as `filter`, by a newer system call
      only                all that the distribution's callgrind does not call at its end
                          ends the process
      noopen ACTION       no file can be opened any more, by whichever call
      strict              may read, write, end and return from handlers from here on
      leave               ends its only thread, by the one call that strict leaves to it
      say                 writes a line
      limit WHAT N        of filesize, memory, files, time: the soft limit
      hard WHAT N         the hard limit as well
      tell WHAT           writes what it is told of the limit
      fill                takes memory until there is no more, and writes how much
      spin                uses the processor for ever
      umask N
      user N              becomes this user
      close               closes the files from number 3 to 1023
      readonly FOLDER     the folder is on a file system that nobody may write to
      landlock FOLDER     may write files below that folder alone (Landlock)
      gone FOLDER         enters a new folder there, and removes it
      fork                goes on in a child, which it waits for, and whose status it has
      exec PROGRAM ...    executes the program
      dump                asks for a dump of what was counted so far
      start               has the tool count from here on
      sine                calls a library of which it has called nothing before
      fall                ends by a fault, not with status 7  */

#define _GNU_SOURCE

#include "callgrind.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What callgrind and the core call between the last system call and the end.  */
static const int usual[] = {
   SYS_read,         SYS_write,          SYS_close,        SYS_mmap,
   SYS_munmap,       SYS_mremap,         SYS_mprotect,     SYS_madvise,
   SYS_getpid,       SYS_gettid,         SYS_futex,        SYS_sched_yield,
   SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait,
   SYS_exit,         SYS_exit_group,
#ifdef SYS_open
   SYS_open,         SYS_unlink,
#else
   SYS_openat,       SYS_unlinkat,
#endif
};
#define N_USUAL (sizeof usual / sizeof usual[0])

static const struct {
   const char* name;
   int number;
} calls[] = {
#ifdef SYS_renameat
   {"rename", SYS_renameat},
#else
   {"rename", SYS_renameat2},
#endif
   {"unlink", SYS_unlinkat},     {"random", SYS_getrandom},
   {"openat", SYS_openat},       {"readlink", SYS_readlinkat},
   {"times", SYS_utimensat},     {"seek", SYS_lseek},
   {"pread", SYS_pread64},       {"renameat2", SYS_renameat2},
   {"truncate", SYS_ftruncate},  {"fchmod", SYS_fchmod},
   {"fchown", SYS_fchown},       {"fsync", SYS_fsync},
   {"getdents", SYS_getdents64}, {"clone", SYS_clone},
   {"writev", SYS_writev},       {"fcntl", SYS_fcntl},
   {"pwrite", SYS_pwrite64},     {"unlinkat", SYS_unlinkat},
   {"prlimit", SYS_prlimit64},   {"getpgid", SYS_getpgid},
   {"tgkill", SYS_tgkill},       {"mmap", SYS_mmap},
   {"fstatat", SYS_newfstatat},  {"statx", SYS_statx},
#ifdef SYS_open
   {"open", SYS_open},           {"oldrename", SYS_rename},
   {"oldunlink", SYS_unlink},    {"fstat", SYS_fstat},
   {"stat", SYS_stat},
#endif
};

static volatile unsigned long sink;

static void fail(const char* what)
{
   perror(what);
   exit(9);
}

static void check(int result, const char* what)
{
   if (result < 0)
      fail(what);
}

__attribute__((noinline)) static void work(void)
{
   for (int i = 0; i < 1000; i++)
      sink += (unsigned long)i;
}

__attribute__((noinline)) static void call_library(void)
{
   volatile double angle = 1;
   angle = sin(angle);
}

static int fall_when_compared(const void* one, const void* other)
{
   (void)one;
   *(volatile int*)8 = 0;
   return *(const char*)other;
}

/* Within the C library, of which the core has to unwind a frame.  */
static void fall(void)
{
   char both[] = "ba";
   qsort(both, 2, 1, fall_when_compared);
}

/* --- Filters ---------------------------------------------------------------------- */

static unsigned action_of(const char* name)
{
   return strcmp(name, "errno") == 0    ? SECCOMP_RET_ERRNO | EPERM
          : strcmp(name, "thread") == 0 ? SECCOMP_RET_KILL_THREAD
          : strcmp(name, "trap") == 0   ? SECCOMP_RET_TRAP
                                        : SECCOMP_RET_KILL_PROCESS;
}

typedef enum { ByPrctl, BySeccomp, NotAtAll } Way;

static void set_filter(struct sock_filter* filter, size_t n, Way way)
{
   struct sock_fprog program = {(unsigned short)n, filter};
   check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl");
   check(way == BySeccomp
            ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
            : prctl(way == ByPrctl ? PR_SET_SECCOMP : PR_SET_NO_NEW_PRIVS,
                    way == ByPrctl ? SECCOMP_MODE_FILTER : 1,
                    way == ByPrctl ? (unsigned long)&program : 0, 0, 0),
         "seccomp");
}

/* For the calls in `numbers` one action, for all others another.  */
static void filter_calls(const int* numbers, size_t n, unsigned those, unsigned others,
                         Way way)
{
   struct sock_filter filter[2 * N_USUAL + 2];
   size_t end = 0;
   filter[end++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                offsetof(struct seccomp_data, nr));
   for (size_t i = 0; i < n; i++) {
      filter[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                   (unsigned)numbers[i], 0, 1);
      filter[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, those);
   }
   filter[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others);
   set_filter(filter, end, way);
}

static void filter_opening(const char* action)
{
   static const int opening[] = {
#ifdef SYS_open
      SYS_open,
      SYS_creat,
#endif
      SYS_openat,
      437 /* openat2 */,
   };
   filter_calls(opening, sizeof opening / sizeof *opening, action_of(action),
                SECCOMP_RET_ALLOW, ByPrctl);
}

static void filter_call(const char* name, const char* action, Way way)
{
   for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
      if (strcmp(calls[i].name, name) == 0)
         filter_calls(&calls[i].number, 1, action_of(action), SECCOMP_RET_ALLOW, way);
}

/* --- Other file systems ------------------------------------------------------------- */

static void have_own_file_systems(void)
{
   check(unshare(CLONE_NEWNS), "unshare");
   check(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount private");
}

static void pivot(const char* folder)
{
   have_own_file_systems();
   check(mount("none", folder, "tmpfs", 0, NULL), "mount");
   check(chdir(folder), "chdir");
   check(mkdir("old", 0700), "mkdir");
   check((int)syscall(SYS_pivot_root, ".", "old"), "pivot_root");
   check(chdir("/"), "chdir");
   check(umount2("/old", MNT_DETACH), "umount");
}

static void cover(const char* folder)
{
   have_own_file_systems();
   check(mount("none", folder, "tmpfs", 0, NULL), "mount");
}

static void forbid_writing(const char* folder)
{
   check(mount(folder, folder, NULL, MS_BIND, NULL), "mount");
   check(mount("none", folder, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), "mount");
}

/* By the numbers of Linux, which older headers do not have.  */
static void allow_writing_below(const char* folder)
{
   unsigned long handled = 0x1ffe; /* all of the first version but to execute */
   struct __attribute__((packed)) {
      unsigned long allowed;
      int parent;
   } rule = {handled, open(folder, O_PATH)};
   const int rules = (int)syscall(444, &handled, sizeof handled, 0);
   check(rules, "landlock");
   check((int)syscall(445, rules, 1, &rule, 0), "landlock");
   check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "landlock");
   check((int)syscall(446, rules, 0), "landlock");
}

/* --- The rest ------------------------------------------------------------------- */

static int limit_of(const char* what)
{
   return strcmp(what, "filesize") == 0 ? RLIMIT_FSIZE
          : strcmp(what, "memory") == 0 ? RLIMIT_AS
          : strcmp(what, "time") == 0   ? RLIMIT_CPU
                                        : RLIMIT_NOFILE;
}

static void say_limit(const char* what)
{
   struct rlimit now, again;
   check(getrlimit(limit_of(what), &now), "getrlimit");
   check(prlimit(getpid(), limit_of(what), NULL, &again), "prlimit");
   printf("%lu %lu %lu %lu\n", now.rlim_cur, now.rlim_max, again.rlim_cur,
          again.rlim_max);
   fflush(stdout);
}

static void fill(void)
{
   unsigned n = 0;
   while (n < 4096 && malloc(1 << 20) != NULL)
      n++;
   printf("%u\n", n);
   fflush(stdout);
}

static void limit(const char* what, rlim_t value, int is_hard)
{
   const int which = limit_of(what);
   struct rlimit now;
   check(getrlimit(which, &now), "getrlimit");
   now.rlim_cur = value;
   if (is_hard)
      now.rlim_max = value;
   if (setrlimit(which, &now) < 0) {
      perror("setrlimit");
      return;
   }
}

static void go_on_in_child(void)
{
   int status;
   if (fork() == 0)
      return;
   wait(&status);
   exit(WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status));
}

static void enter_and_remove(const char* folder)
{
   check(chdir(folder), "chdir");
   check(mkdir("gone", 0700), "mkdir");
   check(chdir("gone"), "chdir");
   check(rmdir("../gone"), "rmdir");
}

/* Does what `words` begin with; returns what is behind it.  */
static char** confine(char** words)
{
   const char* what = words[0];
   char** next = words + 2;
   if (strcmp(what, "chroot") == 0) {
      check(chroot(words[1]), what);
      check(chdir("/"), what);
   } else if (strcmp(what, "pivot") == 0)
      pivot(words[1]);
   else if (strcmp(what, "cover") == 0)
      cover(words[1]);
   else if (strcmp(what, "noopen") == 0)
      filter_opening(words[1]);
   else if (strcmp(what, "readonly") == 0)
      forbid_writing(words[1]);
   else if (strcmp(what, "landlock") == 0)
      allow_writing_below(words[1]);
   else if (strcmp(what, "gone") == 0)
      enter_and_remove(words[1]);
   else if (strcmp(what, "tell") == 0)
      say_limit(words[1]);
   else if (strcmp(what, "umask") == 0)
      umask((mode_t)strtol(words[1], NULL, 8));
   else if (strcmp(what, "user") == 0)
      check(setuid((uid_t)atoi(words[1])), what);
   else if (strcmp(what, "exec") == 0) {
      execv(words[1], words + 1);
      fail(what);
   } else if (strcmp(what, "filter") == 0 || strcmp(what, "seccomp") == 0 ||
              strcmp(what, "pseudo") == 0) {
      filter_call(words[1], words[2],
                  what[0] == 'f'   ? ByPrctl
                  : what[0] == 's' ? BySeccomp
                                   : NotAtAll);
      next++;
   } else if (strcmp(what, "limit") == 0 || strcmp(what, "hard") == 0) {
      limit(words[1], (rlim_t)atol(words[2]), what[0] == 'h');
      next++;
   } else {
      next--;
      if (strcmp(what, "only") == 0)
         filter_calls(usual, N_USUAL, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS,
                      ByPrctl);
      else if (strcmp(what, "close") == 0)
         for (int fd = 3; fd < 1024; fd++)
            close(fd);
      else if (strcmp(what, "fork") == 0)
         go_on_in_child();
      else if (strcmp(what, "start") == 0)
         CALLGRIND_START_INSTRUMENTATION;
      else if (strcmp(what, "fill") == 0)
         fill();
      else if (strcmp(what, "spin") == 0)
         for (;;)
            work();
      else if (strcmp(what, "strict") == 0)
         check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), "seccomp");
      else if (strcmp(what, "leave") == 0)
         syscall(SYS_exit, 7);
      else if (strcmp(what, "say") == 0)
         check((int)write(1, "said\n", 5), what);
      else if (strcmp(what, "sine") == 0)
         call_library();
      else if (strcmp(what, "fall") == 0)
         fall();
      else
         CALLGRIND_DUMP_STATS;
   }
   return next;
}

int main(int n, char** words)
{
   (void)n;
   for (words++; *words != NULL; words = confine(words))
      work();
   work();
   return 7;
}
