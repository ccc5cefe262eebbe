/* SPDX-License-Identifier: GPL-2.0-or-later

   Opening events; see event.h.  Threads and processes inherit an event from the thread
   that starts them, if it was opened for one processor.  Events of one processor can
   share a ring: that of the first always-on event there.  */

#include "perf/event.h"

#include "base/memory.h"
#include "base/process_folder.h"
#include "perf/copies.h"
#include "perf/rate.h"
#include "perf/ring.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_SIZE (4ul << 20)
#define RING_SIZE_WITH_WAITS (16ul << 20)
#define LONGEST_DRAIN_INTERVAL 100 /* milliseconds */
/* While copies are of a new size, which may turn out to be too short: until that is seen,
   callers are lost.  */
#define SMALL_DRAIN_INTERVAL 25

/* Threads may leave the processor as often as they like.  So the kernel says when a ring
   is filled so far.  */
#define FILLED_RING (RING_SIZE_WITH_WAITS / 16)

static Ring** rings;
static unsigned ring_count;
/* Events that sample, of the clock or of leaving the processor.  */
typedef struct {
   int fd;
   unsigned copy; /* the index of its size */
   bool is_wait;
   unsigned step; /* of the rate */
} SamplingEvent;

static SamplingEvent* sampling;
static unsigned sampling_count;
static unsigned current_copy;
static bool is_on; /* the clock samples */
static unsigned current_step;
static int* tracking; /* those of the events that are always on */
static unsigned tracking_count;
static bool is_cycles;
static bool with_kernel;
static bool with_build_ids;
static bool with_waits;
static int filled = -1; /* an epoll(7) of the rings, with `with_waits` */
static unsigned frequency;
static int drain_interval;

static int open_one(struct perf_event_attr* attributes, pid_t thread, int processor)
{
   return (int)syscall(SYS_perf_event_open, attributes, thread, processor, -1,
                       PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr common_attributes(void)
{
   struct perf_event_attr attributes = {0};
   attributes.size = sizeof attributes;
   attributes.sample_type = RECORD_COMMON_TYPE;
   attributes.sample_id_all = 1;
   attributes.inherit = 1;
   attributes.use_clockid = 1;
   attributes.clockid = CLOCK_MONOTONIC;
   /* The rings are drained at intervals; the kernel need not wake us for each record.  */
   attributes.watermark = 1;
   attributes.wakeup_watermark = with_waits ? FILLED_RING : RING_SIZE;
   return attributes;
}

static void add_tracking(struct perf_event_attr* attributes)
{
   attributes->mmap = 1;
   attributes->mmap2 = 1;
   attributes->comm = 1;
   attributes->comm_exec = 1;
   attributes->task = 1;
   attributes->build_id = with_build_ids;
}

static struct perf_event_attr tracking_attributes(const Options* options)
{
   struct perf_event_attr attributes = common_attributes();
   attributes.type = PERF_TYPE_SOFTWARE;
   attributes.config = PERF_COUNT_SW_DUMMY;
   attributes.exclude_kernel = 1;
   if (options->tracks_always)
      add_tracking(&attributes);
   return attributes;
}

static struct perf_event_attr stack_attributes(const Options* options, unsigned copy,
                                               bool on_exec)
{
   struct perf_event_attr attributes = common_attributes();
   attributes.sample_type = RECORD_SAMPLE_TYPE;
   attributes.disabled = 1;
   attributes.enable_on_exec = on_exec && copy == current_copy;
   attributes.exclude_hv = 1;
   attributes.exclude_callchain_user = 1;
   attributes.sample_regs_user = record_register_mask;
   attributes.sample_stack_user = copies_size(copy);
   if (!options->tracks_always)
      add_tracking(&attributes);
   return attributes;
}

static struct perf_event_attr sampling_attributes(const Options* options, unsigned copy,
                                                  bool on_exec)
{
   struct perf_event_attr attributes = stack_attributes(options, copy, on_exec);
   attributes.type = is_cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
   attributes.config = is_cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
   attributes.freq = 1;
   attributes.sample_freq = options->frequency;
   attributes.exclude_kernel = !with_kernel;
   return attributes;
}

/* As copies are few then, they are of the largest size: so one event of each step
   suffices.  Each costs something where a thread begins.  */
static struct perf_event_attr slow_attributes(const Options* options, unsigned step)
{
   struct perf_event_attr attributes =
      sampling_attributes(options, copies_count() - 1, false);
   attributes.sample_freq = rate_frequency(options->frequency, step);
   return attributes;
}

/* The kernel is where a thread leaves the processor; so no such event leaves it out.  */
static struct perf_event_attr waiting_attributes(const Options* options, unsigned copy,
                                                 bool on_exec)
{
   struct perf_event_attr attributes = stack_attributes(options, copy, on_exec);
   attributes.type = PERF_TYPE_SOFTWARE;
   attributes.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
   attributes.sample_period = RECORD_WAIT_PERIOD;
   attributes.context_switch = 1;
   attributes.exclude_callchain_kernel = !with_kernel;
   return attributes;
}

/* Whether an event can be opened for a thread on any processor.  If not, errno says
   why.  */
static bool can_open(struct perf_event_attr attributes, pid_t thread)
{
   long processors = sysconf(_SC_NPROCESSORS_CONF);
   for (int processor = 0; processor < processors; processor++) {
      int fd = open_one(&attributes, thread, processor);
      if (fd >= 0) {
         close(fd);
         return true;
      }
      if (errno != ENODEV && errno != EINVAL)
         return false;
   }
   return false;
}

/* The largest copy stands for all.  */
static bool can_sample(const Options* options, pid_t pid)
{
   unsigned largest = copies_count() - 1;
   return can_open(sampling_attributes(options, largest, false), pid) &&
          (!with_waits || can_open(waiting_attributes(options, largest, false), pid));
}

/* Finds the best that this machine offers and this user may have.  */
static bool choose(const Options* options, pid_t pid)
{
   with_build_ids = true;
   if (!can_open(tracking_attributes(options), pid))
      with_build_ids = false; /* kernels before 5.12 */
   for (int kernel = options->kernel != KernelNo; kernel >= 0; kernel--) {
      with_kernel = kernel;
      if (options->kernel == KernelYes && !kernel)
         return false;
      int has_cycles = options->event == EventAuto || options->event == EventCycles;
      for (int cycles = has_cycles; cycles >= 0; cycles--) {
         is_cycles = cycles;
         if (options->event == EventCycles && !cycles)
            break;
         if (can_sample(options, pid))
            return true;
      }
      if (errno != EACCES && errno != EPERM)
         return false;
   }
   return false;
}

static const char* why_not(const Options* options, int error)
{
   static char line[512];
   int level = -1, wanted_level = options->kernel == KernelYes || with_waits ? 1 : 2;
   FILE* file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
   bool known = file != NULL && fscanf(file, "%d", &level) == 1;
   if (file != NULL)
      fclose(file);
   if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
      snprintf(line, sizeof line, "this machine has no event '%s'; try --event=cpu-clock",
               options->event == EventCycles ? "cycles" : "cpu-clock");
   } else if (error == EMFILE) {
      snprintf(line, sizeof line, "too many open files: raise the limit, ulimit -n");
   } else if ((error == EACCES || error == EPERM) && known && level > wanted_level) {
      snprintf(line, sizeof line,
               "no right to sample%s: set kernel.perf_event_paranoid to %d (it is %d), "
               "`sysctl kernel.perf_event_paranoid=%d`, or give CAP_PERFMON",
               with_waits ? " what threads wait for" : "", wanted_level, level,
               wanted_level);
   } else if (error == EACCES || error == EPERM) {
      snprintf(line, sizeof line,
               "no right to sample (%s): in a container, allow perf_event_open "
               "(seccomp) and give CAP_PERFMON",
               strerror(error));
   } else {
      snprintf(line, sizeof line, "the kernel refuses to sample: %s", strerror(error));
   }
   return line;
}

static void remember_tracking(int fd)
{
   tracking = memory_reallocate(tracking, tracking_count + 1, sizeof(int));
   tracking[tracking_count++] = fd;
}

/* Opens an event that samples, whose records go into the ring of `ring_fd`.  False, with
   errno, if that fails.  */
static bool open_sampling(struct perf_event_attr* attributes, pid_t thread, int processor,
                          SamplingEvent event, int ring_fd)
{
   event.fd = open_one(attributes, thread, processor);
   if (event.fd < 0)
      return false;
   sampling = memory_reallocate(sampling, sampling_count + 1, sizeof *sampling);
   sampling[sampling_count++] = event;
   return ioctl(event.fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) == 0;
}

static bool open_ring(int fd)
{
   size_t size = with_waits ? RING_SIZE_WITH_WAITS : RING_SIZE;
   Ring* ring = ring_open(fd, size, 4ul * copies_size(copies_count() - 1), with_waits);
   struct epoll_event wanted = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
   if (ring == NULL)
      return false;
   rings = memory_reallocate(rings, ring_count + 1, sizeof *rings);
   rings[ring_count++] = ring;
   if (!with_waits)
      return true;
   if (filled < 0)
      filled = epoll_create1(EPOLL_CLOEXEC);
   return epoll_ctl(filled, EPOLL_CTL_ADD, fd, &wanted) == 0;
}

static bool open_slow(const Options* options, pid_t thread, int processor, int ring_fd)
{
   unsigned steps = event_can_slow(options) ? rate_step_count(options->frequency) : 1;
   for (unsigned step = 1; step < steps; step++) {
      SamplingEvent event = {.copy = copies_count() - 1, .step = step};
      struct perf_event_attr attributes = slow_attributes(options, step);
      if (!open_sampling(&attributes, thread, processor, event, ring_fd))
         return false;
   }
   return true;
}

/* Opens the events of a thread on a processor.  `ring_fd` is the event that has the ring
   there; -1: there is none yet, so one is made.  Returns the event with the ring, or -1
   with errno.  */
static int open_all(const Options* options, pid_t thread, int processor, bool on_exec,
                    int ring_fd)
{
   struct perf_event_attr attributes = tracking_attributes(options);
   int track = open_one(&attributes, thread, processor);
   if (track < 0)
      return -1;
   remember_tracking(track);
   if (ring_fd < 0) {
      if (!open_ring(track))
         return -1;
      ring_fd = track;
   } else if (ioctl(track, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) != 0) {
      return -1;
   }
   for (unsigned copy = 0; copy < copies_count(); copy++) {
      SamplingEvent event = {.copy = copy};
      attributes = sampling_attributes(options, copy, on_exec && options->starts_on);
      if (!open_sampling(&attributes, thread, processor, event, ring_fd))
         return -1;
      event.is_wait = true;
      attributes = waiting_attributes(options, copy, on_exec);
      if (with_waits && !open_sampling(&attributes, thread, processor, event, ring_fd))
         return -1;
   }
   return open_slow(options, thread, processor, ring_fd) ? ring_fd : -1;
}

static bool open_thread(const Options* options, pid_t thread, bool on_exec, int* ring_fds,
                        long processors)
{
   rate_note_thread((uint32_t)thread);
   for (int processor = 0; processor < processors; processor++) {
      int fd = open_all(options, thread, processor, on_exec, ring_fds[processor]);
      if (fd >= 0)
         ring_fds[processor] = fd;
      else if (errno != ENODEV && errno != EINVAL) /* a processor that is switched off */
         return false;
   }
   return ring_count != 0;
}

/* Opens the events of all threads of a process, until a round finds no new ones.  A
   thread that starts meanwhile inherits them, or is found in the next round.  */
static bool open_threads(const Options* options, pid_t pid, int* ring_fds,
                         long processors)
{
   char path[64];
   pid_t* seen = NULL;
   unsigned count = 0, before;
   snprintf(path, sizeof path, "%s/task", process_folder((uint32_t)pid).text);
   do {
      DIR* folder = opendir(path);
      if (folder == NULL)
         break;
      before = count;
      for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
         pid_t thread = atoi(entry->d_name);
         unsigned i = 0;
         while (i < count && seen[i] != thread)
            i++;
         if (thread <= 0 || i < count)
            continue;
         if (!open_thread(options, thread, false, ring_fds, processors) &&
             errno != ESRCH) {
            int error = errno;
            closedir(folder);
            free(seen);
            errno = error;
            return false;
         }
         seen = memory_reallocate(seen, count + 1, sizeof *seen);
         seen[count++] = thread;
      }
      closedir(folder);
   } while (count != before);
   free(seen);
   errno = ESRCH;
   return ring_count != 0;
}

/* The longest interval in which no ring becomes more than half full: each drain costs a
   wake-up.  In milliseconds.  */
static int interval(void)
{
   bool is_safe =
      current_step != 0 || current_copy + 1 == copies_count() || copies_are_proved();
   unsigned size = event_copy_size();
   double rate = event_frequency();
   double most = is_safe ? LONGEST_DRAIN_INTERVAL : SMALL_DRAIN_INTERVAL;
   for (unsigned i = 0; i < ring_count; i++) {
      double samples = (double)ring_size(rings[i]) / (size + 512.0);
      double milliseconds = 1000.0 * samples / 2 / rate;
      most = milliseconds < most ? milliseconds : most;
   }
   return most < 1 ? 1 : (int)most;
}

bool event_open(const Options* options, pid_t pid, bool attached, const char** reason)
{
   struct rlimit files;
   copies_begin(options->stack_size);
   current_copy = copies_wanted();
   with_waits = options->event == EventWall;
   frequency = options->frequency;
   is_on = false;
   current_step = 0;
   if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
      files.rlim_cur = files.rlim_max;
      setrlimit(RLIMIT_NOFILE, &files);
   }
   if (!choose(options, pid)) {
      *reason = why_not(options, errno);
      return false;
   }
   long processors = sysconf(_SC_NPROCESSORS_CONF);
   int* ring_fds = memory_allocate((unsigned long)processors * sizeof(int));
   for (long i = 0; i < processors; i++)
      ring_fds[i] = -1;
   bool done = attached ? open_threads(options, pid, ring_fds, processors)
                        : open_thread(options, pid, true, ring_fds, processors);
   free(ring_fds);
   if (!done) {
      *reason = why_not(options, errno);
      event_close();
      return false;
   }
   is_on = !attached && options->starts_on;
   drain_interval = interval();
   return true;
}

const char* event_name(void) { return is_cycles ? "cycles" : "cpu-clock"; }
bool event_has_kernel(void) { return with_kernel; }
bool event_has_waits(void) { return with_waits; }
int event_drain_interval(void) { return drain_interval; }
unsigned event_copy_size(void)
{
   return copies_size(current_step != 0 ? copies_count() - 1 : current_copy);
}

bool event_can_slow(const Options* options)
{
   return options->slowdown != 0 && !is_cycles && !with_waits &&
          rate_step_count(options->frequency) > 1;
}

unsigned event_frequency(void) { return rate_frequency(frequency, current_step); }
int event_descriptor(void) { return filled; }

/* Switches the events of the current size on, those of others off.  Of leaving the
   processor it had better be told twice than not at all; so that comes first.  */
static void apply(void)
{
   for (int on = 1; on >= 0; on--) {
      for (unsigned i = 0; i < sampling_count; i++) {
         const SamplingEvent* event = &sampling[i];
         bool is_its_copy = event->step != 0 || event->copy == current_copy;
         bool is_its_time = event->is_wait || (is_on && event->step == current_step);
         bool is_wanted = is_its_copy && is_its_time;
         if (is_wanted == on)
            ioctl(event->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
      }
   }
}

void event_switch(bool on)
{
   is_on = on;
   apply();
}

void event_go_on_at(unsigned step)
{
   if (step == current_step)
      return;
   current_step = step;
   drain_interval = interval();
   apply();
}

/* Makes the next event of epoll(7) one of what comes from now on.  A thread's ring that
   has ended would be readable for ever.  */
static void forget_filled(void)
{
   struct epoll_event events[16];
   int count = epoll_wait(filled, events, 16, 0);
   for (int i = 0; i < count; i++) {
      if (events[i].events & (EPOLLHUP | EPOLLERR))
         epoll_ctl(filled, EPOLL_CTL_DEL, events[i].data.fd, NULL);
   }
}

void event_drain(void (*take)(Record* record))
{
   if (filled >= 0)
      forget_filled();
   for (unsigned i = 0; i < ring_count; i++)
      ring_drain(rings[i], take);
   if (copies_wanted() != current_copy) {
      current_copy = copies_wanted();
      apply();
   }
   drain_interval = interval();
}

void event_close(void)
{
   for (unsigned i = 0; i < sampling_count; i++)
      close(sampling[i].fd);
   for (unsigned i = 0; i < ring_count; i++)
      ring_close(rings[i]);
   for (unsigned i = 0; i < tracking_count; i++)
      close(tracking[i]);
   if (filled >= 0)
      close(filled);
   filled = -1;
   sampling_count = ring_count = tracking_count = 0;
}
