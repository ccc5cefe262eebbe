/* SPDX-License-Identifier: GPL-2.0-or-later

   waits KIND: for one second by the clock, waits again and again for something that only
   another process decides, and prints how often.  That process first sees this one
   asleep, and sleeps for 100 ms itself.  So each wait takes as long at least, however
   busy the machine is, and natively there are at most ten.

   waits kinds: prints all kinds.  waits short: waits a few times for as short as can be,
   and prints the time after each.  waits each: waits once for each kind, and prints the
   time that it took.  */

#define _GNU_SOURCE
#include "other_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BufferSize = 4096 };

static char buffer[BufferSize];

/*--------------------------------------------------------------------*/
/* Children                                                            */

static void for_child(void)
{
   later(NULL);
   reap();
}

static void for_child_by_id(void)
{
   siginfo_t told;
   later(NULL);
   need(waitid(P_PID, (id_t)other, &told, WEXITED | WNOWAIT) == 0);
   reap();
}

/*--------------------------------------------------------------------*/
/* Files: the ends are those of a pipe, or of a pair of sockets         */

static int ends[2];

static void write_byte(void) { need(write(ends[1], "x", 1) == 1); }
static void read_much(void) { need(read(ends[0], buffer, BufferSize) > 0); }
static void make_pipe(void) { need(pipe(ends) == 0); }

static void make_sockets(void) { need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }

static void done_with_ends(void)
{
   reap();
   close(ends[0]);
   close(ends[1]);
}

static void for_pipe(void)
{
   make_pipe();
   later(write_byte);
   read_much();
   done_with_ends();
}

static void for_full_pipe(void)
{
   make_pipe();
   fcntl(ends[1], F_SETPIPE_SZ, BufferSize);
   need(write(ends[1], buffer, BufferSize) == BufferSize);
   later(read_much);
   write_byte();
   done_with_ends();
}

static void for_socket(void)
{
   make_sockets();
   later(write_byte);
   need(recv(ends[0], buffer, 1, 0) == 1);
   done_with_ends();
}

static void for_message(void)
{
   struct iovec part = {buffer, BufferSize};
   struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
   make_sockets();
   later(write_byte);
   need(recvmsg(ends[0], &message, 0) == 1);
   done_with_ends();
}

static void set_limit(int option)
{
   const struct timeval limit = {0, Milliseconds * 1000};
   make_sockets();
   need(setsockopt(ends[0], SOL_SOCKET, option, &limit, sizeof limit) == 0);
}

static void for_limit_of_receiving(void)
{
   set_limit(SO_RCVTIMEO);
   need(recv(ends[0], buffer, 1, 0) < 0 && errno == EAGAIN);
   close(ends[0]);
   close(ends[1]);
}

static void for_limit_of_sending(void)
{
   set_limit(SO_SNDTIMEO);
   while (send(ends[0], buffer, BufferSize, MSG_DONTWAIT) > 0)
      ;
   need(send(ends[0], buffer, BufferSize, 0) < 0 && errno == EAGAIN);
   close(ends[0]);
   close(ends[1]);
}

/* `start` and the process's number, for what others must not have; it takes the same
   steps whatever the number is.  */
static void name_after_process(char* name, const char* start)
{
   enum { Digits = 10 };
   const size_t length = strlen(start);
   int rest = waiter;
   memcpy(name, start, length);
   for (int i = Digits - 1; i >= 0; i--, rest /= 10)
      name[length + (size_t)i] = (char)('0' + rest % 10);
   name[length + Digits] = '\0';
}

static struct sockaddr_un address;

static void connect_to_it(void)
{
   need(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr*)&address,
                sizeof address) == 0);
}

static void for_connection(void)
{
   const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
   address.sun_family = AF_UNIX;
   name_after_process(address.sun_path + 1, "waits.");
   need(bind(listening, (struct sockaddr*)&address, sizeof address) == 0);
   need(listen(listening, 1) == 0);
   later(connect_to_it);
   const int accepted = accept(listening, NULL, NULL);
   need(accepted >= 0);
   close(accepted);
   close(listening);
   reap();
}

static void write_line(void) { need(write(ends[1], "\n", 1) == 1); }

static void for_terminal(void)
{
   ends[1] = posix_openpt(O_RDWR | O_NOCTTY);
   need(ends[1] >= 0 && grantpt(ends[1]) == 0 && unlockpt(ends[1]) == 0);
   ends[0] = open(ptsname(ends[1]), O_RDWR | O_NOCTTY);
   need(ends[0] >= 0);
   later(write_line);
   read_much();
   done_with_ends();
}

static void write_count(void)
{
   const uint64_t one = 1;
   need(write(ends[1], &one, sizeof one) == sizeof one);
}

static void for_event_counter(void)
{
   uint64_t count;
   ends[0] = eventfd(0, 0);
   ends[1] = dup(ends[0]);
   later(write_count);
   need(read(ends[0], &count, sizeof count) == sizeof count);
   done_with_ends();
}

static const char* const fifo = "waits.fifo";

static void open_fifo(void) { need(open(fifo, O_WRONLY) >= 0); }

static void for_opening(void)
{
   unlink(fifo);
   need(mkfifo(fifo, 0600) == 0);
   later(open_fifo);
   close(open(fifo, O_RDONLY));
   unlink(fifo);
   reap();
}

/*--------------------------------------------------------------------*/
/* One of several files, without a limit and long before it            */

static void by_poll(int limit)
{
   make_pipe();
   struct pollfd file = {ends[0], POLLIN, 0};
   later(write_byte);
   need(poll(&file, 1, limit) == 1);
   done_with_ends();
}

static void for_poll(void) { by_poll(-1); }
static void for_poll_with_limit(void) { by_poll(1000000); }

static void for_select(void)
{
   fd_set files;
   make_pipe();
   FD_ZERO(&files);
   FD_SET(ends[0], &files);
   later(write_byte);
   need(select(ends[0] + 1, &files, NULL, NULL, NULL) == 1);
   done_with_ends();
}

static void for_epoll(void)
{
   struct epoll_event event = {.events = EPOLLIN};
   const int set = epoll_create1(0);
   make_pipe();
   need(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
   later(write_byte);
   need(epoll_wait(set, &event, 1, -1) == 1);
   close(set);
   done_with_ends();
}

/*--------------------------------------------------------------------*/
/* Signals                                                             */

static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
   (void)signal;
   signals = 1;
}

static void send_signal(void) { kill(waiter, SIGUSR1); }

static void send_signals(void)
{
   const struct timespec span = {0, Milliseconds * 1000000L};
   while (1) { /* one may come before it is waited for */
      send_signal();
      nanosleep(&span, NULL);
   }
}

static sigset_t block_signal(int how)
{
   sigset_t set;
   sigemptyset(&set);
   sigaddset(&set, SIGUSR1);
   sigprocmask(how, &set, NULL);
   signals = 0;
   return set;
}

static void for_signal_wait(void)
{
   int signal;
   const sigset_t set = block_signal(SIG_BLOCK);
   later(send_signal);
   need(sigwait(&set, &signal) == 0);
   reap();
}

static void for_signal_suspend(void)
{
   sigset_t none;
   sigemptyset(&none);
   block_signal(SIG_BLOCK);
   later(send_signal);
   while (!signals)
      sigsuspend(&none);
   reap();
}

static void until_signal(void (*wait)(void))
{
   block_signal(SIG_UNBLOCK);
   later(send_signals);
   while (!signals)
      wait();
   kill(other, SIGKILL);
   reap();
}

static void pause_once(void) { pause(); }
static void sleep_long(void) { sleep(1000); }
static void for_pause(void) { until_signal(pause_once); }
static void for_interrupted_sleep(void) { until_signal(sleep_long); }

static void send_signal_and_write(void)
{
   send_signal();
   pass_time();
   write_byte();
}

/* The handler runs, and the system goes on waiting.  */
static void for_pipe_again(void)
{
   block_signal(SIG_UNBLOCK);
   make_pipe();
   later(send_signal_and_write);
   read_much();
   done_with_ends();
}

/*--------------------------------------------------------------------*/
/* Locks, and queues of messages                                       */

static uint32_t* word; /* shared memory */
static sem_t* semaphore;
static int lock_file;

static void share_memory(void)
{
   word =
      mmap(NULL, BufferSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   need(word != MAP_FAILED);
   semaphore = (sem_t*)(word + 16);
}

static void wake_futex(void)
{
   __atomic_store_n(word, 1, __ATOMIC_RELEASE);
   syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void for_futex(void)
{
   share_memory();
   later(wake_futex);
   while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
      syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
   reap();
   munmap(word, BufferSize);
}

static void post(void) { sem_post(semaphore); }

static void for_semaphore(void)
{
   share_memory();
   need(sem_init(semaphore, 1, 0) == 0);
   later(post);
   while (sem_wait(semaphore) != 0)
      ;
   reap();
   munmap(word, BufferSize);
}

/* Takes a lock, says so later, and ends, and with that leaves it.  */
static void by_lock(void (*lock)(void))
{
   char byte;
   make_pipe();
   other = fork();
   if (other == 0) {
      lock_file = open("waits.lock", O_RDWR | O_CREAT, 0600);
      lock();
      pass_time();
      write_byte();
      pass_time();
      _exit(0);
   }
   lock_file = open("waits.lock", O_RDWR | O_CREAT, 0600);
   need(read(ends[0], &byte, 1) == 1);
   lock();
   close(lock_file);
   done_with_ends();
}

static void lock_whole(void) { need(flock(lock_file, LOCK_EX) == 0); }

static void lock_range(void)
{
   struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
   need(fcntl(lock_file, F_SETLKW, &range) == 0);
}

static void lock_open_file(void)
{
   struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
   need(fcntl(lock_file, F_OFD_SETLKW, &range) == 0);
}

static void for_lock(void) { by_lock(lock_whole); }
static void for_lock_of_range(void) { by_lock(lock_range); }
static void for_lock_of_open_file(void) { by_lock(lock_open_file); }

static struct {
   long type;
   char text[8];
} letter = {1, "x"};
static int queue;

static void send_letter(void)
{
   need(msgsnd(queue, &letter, sizeof letter.text, 0) == 0);
}

static void for_old_queue(void)
{
   queue = msgget(IPC_PRIVATE, 0600);
   need(queue >= 0);
   later(send_letter);
   need(msgrcv(queue, &letter, sizeof letter.text, 0, 0) >= 0);
   reap();
   msgctl(queue, IPC_RMID, NULL);
}

static void give(void)
{
   struct sembuf one = {0, 1, 0};
   need(semop(queue, &one, 1) == 0);
}

static void for_old_semaphore(void)
{
   struct sembuf take = {0, -1, 0};
   queue = semget(IPC_PRIVATE, 1, 0600);
   need(queue >= 0);
   later(give);
   need(semop(queue, &take, 1) == 0);
   reap();
   semctl(queue, 0, IPC_RMID);
}

static void send_message(void) { need(mq_send(queue, "x", 1, 0) == 0); }

static void for_queue(void)
{
   char name[64], text[64];
   struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof text};
   name_after_process(name, "/waits.");
   queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
   need(queue >= 0);
   later(send_message);
   need(mq_receive(queue, text, sizeof text, NULL) == 1);
   reap();
   mq_close(queue);
   mq_unlink(name);
}

/*--------------------------------------------------------------------*/
/* Threads                                                             */

static void* read_for_other(void* argument)
{
   (void)argument;
   read_much();
   return NULL;
}

/* One thread waits for another one, which waits for a process.  */
static void for_thread(void)
{
   pthread_t thread;
   make_pipe();
   later(write_byte);
   need(pthread_create(&thread, NULL, read_for_other, NULL) == 0);
   pthread_join(thread, NULL);
   done_with_ends();
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_read = PTHREAD_COND_INITIALIZER;
static int n_read;

static void* read_and_tell(void* argument)
{
   read_for_other(argument);
   pthread_mutex_lock(&lock);
   n_read = 1;
   pthread_cond_signal(&has_read);
   pthread_mutex_unlock(&lock);
   return NULL;
}

static void for_condition(void)
{
   pthread_t thread;
   make_pipe();
   n_read = 0;
   later(write_byte);
   need(pthread_create(&thread, NULL, read_and_tell, NULL) == 0);
   pthread_mutex_lock(&lock);
   while (!n_read)
      pthread_cond_wait(&has_read, &lock);
   pthread_mutex_unlock(&lock);
   pthread_join(thread, NULL);
   done_with_ends();
}

/*--------------------------------------------------------------------*/

static const struct {
   const char* name;
   void (*wait)(void);
} kinds[] = {
   {"child", for_child},
   {"child_by_id", for_child_by_id},
   {"pipe", for_pipe},
   {"full_pipe", for_full_pipe},
   {"pipe_again", for_pipe_again},
   {"socket", for_socket},
   {"message", for_message},
   {"limit_of_receiving", for_limit_of_receiving},
   {"limit_of_sending", for_limit_of_sending},
   {"connection", for_connection},
   {"terminal", for_terminal},
   {"event_counter", for_event_counter},
   {"opening", for_opening},
   {"poll", for_poll},
   {"poll_with_limit", for_poll_with_limit},
   {"select", for_select},
   {"epoll", for_epoll},
   {"signal_wait", for_signal_wait},
   {"signal_suspend", for_signal_suspend},
   {"pause", for_pause},
   {"interrupted_sleep", for_interrupted_sleep},
   {"futex", for_futex},
   {"semaphore", for_semaphore},
   {"lock", for_lock},
   {"lock_of_range", for_lock_of_range},
   {"lock_of_open_file", for_lock_of_open_file},
   {"old_queue", for_old_queue},
   {"old_semaphore", for_old_semaphore},
   {"queue", for_queue},
   {"thread", for_thread},
   {"condition", for_condition},
};

enum { Kinds = sizeof kinds / sizeof *kinds, ShortWaits = 5 };

/* A program that ends at once, and a byte that another process sends back.  */
static void wait_for_short(void)
{
   for (int i = 0; i < ShortWaits; i++) {
      const int64_t began = now();
      other = fork();
      if (other == 0) {
         execl("/bin/true", "true", NULL);
         _exit(1);
      }
      reap();
      make_pipe();
      write_byte();
      read_much();
      close(ends[0]);
      close(ends[1]);
      printf("%" PRId64 "\n", now() - began);
   }
}

static void wait_for_each(void)
{
   for (int i = 0; i < Kinds; i++) {
      const int64_t began = now();
      kinds[i].wait();
      printf("%s %" PRId64 "\n", kinds[i].name, now() - began);
   }
}

int main(int count, char** arguments)
{
   const char* name = count > 1 ? arguments[1] : "kinds";
   const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
   sigaction(SIGUSR1, &action, NULL);
   waiter = getpid();
   if (strcmp(name, "short") == 0)
      wait_for_short();
   if (strcmp(name, "each") == 0)
      wait_for_each();
   for (int i = 0; i < Kinds; i++) {
      if (strcmp(name, "kinds") == 0)
         puts(kinds[i].name);
      if (strcmp(name, kinds[i].name) != 0)
         continue;
      int rounds = 0;
      for (const int64_t until = now() + 1000000000L; now() < until; rounds++)
         kinds[i].wait();
      printf("%d\n", rounds);
   }
   return 0;
}
