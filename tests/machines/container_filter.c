/* SPDX-License-Identifier: GPL-2.0-or-later

   Runs a command with a filter of system calls.

      container_filter docker COMMAND...    as Docker's default for a container without
                                            capabilities: what is refused gives EPERM
      container_filter no-perf COMMAND...   as a kernel that was built without perf events

   Docker lists what is allowed; this lists what is left of x86-64's system calls, and
   refuses all that came after them.  Of those that depend on an argument, new namespaces
   (clone), other sockets (AF_VSOCK) and other personalities are refused.  clone3, whose
   arguments a filter cannot see, is said to be unknown, so that clone is tried.  */

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of kernel 5.16, the newest that Docker's list knows of.  */
#define NEWEST __NR_futex_waitv
#define NEW_NAMESPACES 0x7E020000
#define AF_VSOCK_NUMBER 40

static const int refused[] = {__NR_syslog,
                              __NR_uselib,
                              __NR_ustat,
                              __NR_sysfs,
                              __NR_vhangup,
                              __NR_pivot_root,
                              __NR__sysctl,
                              __NR_acct,
                              __NR_settimeofday,
                              __NR_mount,
                              __NR_umount2,
                              __NR_swapon,
                              __NR_swapoff,
                              __NR_reboot,
                              __NR_sethostname,
                              __NR_setdomainname,
                              __NR_iopl,
                              __NR_ioperm,
                              __NR_create_module,
                              __NR_init_module,
                              __NR_delete_module,
                              __NR_query_module,
                              __NR_quotactl,
                              __NR_nfsservctl,
                              __NR_lookup_dcookie,
                              __NR_clock_settime,
                              __NR_mbind,
                              __NR_set_mempolicy,
                              __NR_get_mempolicy,
                              __NR_kexec_load,
                              __NR_add_key,
                              __NR_request_key,
                              __NR_keyctl,
                              __NR_migrate_pages,
                              __NR_unshare,
                              __NR_move_pages,
                              __NR_perf_event_open,
                              __NR_fanotify_init,
                              __NR_setns,
                              __NR_kcmp,
                              __NR_open_by_handle_at,
                              __NR_finit_module,
                              __NR_kexec_file_load,
                              __NR_bpf,
                              __NR_userfaultfd,
                              __NR_io_uring_setup,
                              __NR_io_uring_enter,
                              __NR_io_uring_register,
                              __NR_open_tree,
                              __NR_move_mount,
                              __NR_fsopen,
                              __NR_fsconfig,
                              __NR_fsmount,
                              __NR_fspick,
                              __NR_pidfd_getfd,
                              __NR_process_madvise,
                              __NR_mount_setattr,
                              __NR_quotactl_fd};

#define N_REFUSED (sizeof refused / sizeof refused[0])
#define LOAD(field)                                                                      \
   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define FAIL(number) RETURN(SECCOMP_RET_ERRNO | (number))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
/* The next `n` instructions are for this system call.  */
#define FOR(number, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (n))
#define UNLESS_EQUAL(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)

static const struct sock_filter first[] = {
   LOAD(arch),
   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
   FAIL(EPERM),
   LOAD(nr),
};
static const struct sock_filter by_argument[] = {
   FOR(__NR_clone3, 1),
   FAIL(ENOSYS),
   FOR(__NR_clone, 4),
   LOAD(args[0]),
   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1),
   FAIL(EPERM),
   ALLOW,
   FOR(__NR_socket, 4),
   LOAD(args[0]),
   UNLESS_EQUAL(AF_VSOCK_NUMBER),
   FAIL(EPERM),
   ALLOW,
   FOR(__NR_personality, 12),
   LOAD(args[0]),
   UNLESS_EQUAL(0),
   ALLOW,
   UNLESS_EQUAL(8),
   ALLOW,
   UNLESS_EQUAL(0x20000),
   ALLOW,
   UNLESS_EQUAL(0x20008),
   ALLOW,
   UNLESS_EQUAL(0xffffffff),
   ALLOW,
   FAIL(EPERM),
   BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1),
   FAIL(EPERM),
};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static struct sock_filter filter[LENGTH(first) + LENGTH(by_argument) + 2 * N_REFUSED + 1];
static unsigned short length;

static void add(const struct sock_filter* instructions, size_t n)
{
   memcpy(filter + length, instructions, n * sizeof filter[0]);
   length += (unsigned short)n;
}

static void add_refusal(int number, unsigned error)
{
   const struct sock_filter both[] = {FOR((unsigned)number, 1), FAIL(error)};
   add(both, 2);
}

int main(int count, char** arguments)
{
   if (count < 3)
      return 2;
   add(first, LENGTH(first));
   if (strcmp(arguments[1], "docker") == 0) {
      add(by_argument, LENGTH(by_argument));
      for (size_t i = 0; i < N_REFUSED; i++)
         add_refusal(refused[i], EPERM);
   } else {
      add_refusal(__NR_perf_event_open, ENOSYS);
   }
   add((const struct sock_filter[]){ALLOW}, 1);
   struct sock_fprog program = {length, filter};
   if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
      perror("container_filter: no filter can be set");
      return 2;
   }
   execv(arguments[2], arguments + 2);
   perror(arguments[2]);
   return 127;
}
