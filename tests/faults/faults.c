// Makes system calls fail: LD_PRELOAD of this library, and the fault in the environment.
//
//   FAULT=CALLS:HOW[:N[:on]]   CALLS is a list of the names below, with commas between them
//   FAULT_COUNT=FILE           8 bytes: how many of these calls there were, of all processes together
//
// HOW is an error (ENOSPC, …): the N-th call fails with it, with `on` all later ones, too. `eintr`: half of the calls are interrupted.
// `short`: reads and writes move part of what they were asked to. `clock` jumps between now and the time that is N seconds away, with
// each look at it.
//
//   write   what takes room on a disk: write, ftruncate, fallocate, mkdir, link, rename, and open where it makes a file
//   read    read of any file    open    open of files that are there    stat   all of that family
//   map     mmap of files       start   fork, clone, posix_spawn and new threads
//   pipe    read and write of pipes and sockets                          wait   poll, waitpid, flock
//
// Standard error never fails, nor what is in /proc, /sys and /dev.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, READ = 2, OPEN = 4, STAT = 8, MAP = 16, START = 32, PIPE = 64, WAIT = 128 };
enum how { NOT, FAIL, EINTR_FIRST, SHORT, CLOCK };

static enum how how;
static int calls, error, on;
static int64_t number;
static _Atomic int64_t own, *count = &own;

static const struct {
  const char *name;
  int value;
} WORDS[] = {{"write", WRITE}, {"read", READ},   {"open", OPEN}, {"stat", STAT},
             {"map", MAP},     {"start", START}, {"pipe", PIPE}, {"wait", WAIT}};
static const struct {
  const char *name;
  int value;
} ERRORS[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"ESTALE", ESTALE}, {"ENOMEM", ENOMEM},
              {"EAGAIN", EAGAIN}, {"EMFILE", EMFILE}, {"EROFS", EROFS},   {"EACCES", EACCES},
              {"EDQUOT", EDQUOT}, {"ENOENT", ENOENT}, {"EINTR", EINTR}};

__attribute__((constructor)) static void start(void) {
  const char *given = getenv("FAULT");
  if (!given) return;
  char text[256];
  strncpy(text, given, sizeof text - 1);
  text[sizeof text - 1] = 0;
  char *rest = text, *list = strsep(&rest, ":"), *word = strsep(&rest, ":"), *n = strsep(&rest, ":");
  for (char *one; (one = strsep(&list, ","));)
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; ++i)
      if (!strcmp(one, WORDS[i].name)) calls |= WORDS[i].value;
  if (n) number = strtoll(n, 0, 10);
  on = rest && !strcmp(rest, "on");
  const char *file = getenv("FAULT_COUNT");
  int fd = file ? (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0) : -1;
  if (fd >= 0) {
    void *shared = mmap(0, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared != MAP_FAILED) count = shared;
    syscall(SYS_close, fd);
  }
  enum how chosen = NOT;
  if (word && !strcmp(word, "eintr"))
    chosen = EINTR_FIRST;
  else if (word && !strcmp(word, "short"))
    chosen = SHORT;
  else if (word && !strcmp(word, "clock"))
    chosen = CLOCK;
  else
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; ++i)
      if (word && !strcmp(word, ERRORS[i].name)) error = ERRORS[i].value, chosen = FAIL;
  if (!chosen) {
    static const char what[] = "faults: FAULT is wrong\n";
    syscall(SYS_write, 2, what, sizeof what - 1);
    _exit(99);
  }
  how = chosen;
}

// Whether a call fails; errno is set then.
static int fails(int call) {
  if (!(calls & call) || (how != FAIL && how != EINTR_FIRST)) return 0;
  int64_t this = atomic_fetch_add(count, 1) + 1;
  // Not each second one: a loop with two calls would meet the same one for ever.
  uint64_t x = (uint64_t)this * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  int interrupted = (int)(x >> 62 & 1);
  if (how == FAIL ? this == number || (on && this > number) : interrupted) {
    errno = how == FAIL ? error : EINTR;
    return 1;
  }
  return 0;
}

// The same of a call that no signal interrupts.
static int refused(int call) { return how == FAIL && fails(call); }

// The kind of a descriptor's file: READ or WRITE (as given), PIPE, or 0 for what never fails.
static int kind(int fd, int call) {
  if (!(calls & (call | PIPE)) || fd == 2) return 0;
  int before = errno;
  struct stat s;
  int is = 0;
  if (syscall(SYS_fstat, fd, &s) == 0) {
    if (S_ISREG(s.st_mode)) {
      // Files of /proc and /sys are regular, and empty; so is a new file, which fails when it grows.
      char link[32] = "/proc/self/fd/", path[16];
      char digits[12], *at = digits + sizeof digits - 1;
      *at = 0;
      unsigned value = (unsigned)fd;
      do *--at = (char)('0' + value % 10);
      while (value /= 10);
      strcat(link, at);
      long got = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path);
      int special =
          got > 5 && (!strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5) || !strncmp(path, "/dev/", 5));
      is = special ? 0 : call;
    } else if (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode))
      is = PIPE;
  }
  errno = before;
  return calls & is;
}

// Rust asks for nothing at all to learn whether there is statx.
static int special(const char *path) {
  return !path || !strncmp(path, "/proc", 5) || !strncmp(path, "/sys", 4) || !strncmp(path, "/dev", 4);
}

static size_t part(size_t size, int kind) {
  if (how != SHORT || !kind || size < 2) return size;
  uint64_t x = (uint64_t)atomic_fetch_add(count, 1) * 0x9e3779b97f4a7c15u;
  return 1 + (size_t)((x >> 33) % size);
}

#define REAL(name)               \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// Reads and writes.
ssize_t write(int fd, const void *from, size_t size) {
  REAL(write);
  int k = kind(fd, WRITE);
  return fails(k) ? -1 : real(fd, from, part(size, k));
}
ssize_t read(int fd, void *to, size_t size) {
  REAL(read);
  int k = kind(fd, READ);
  return fails(k) ? -1 : real(fd, to, part(size, k));
}
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
  REAL(pwrite64);
  int k = kind(fd, WRITE);
  return fails(k) ? -1 : real(fd, from, part(size, k), at);
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
  REAL(pwrite);
  int k = kind(fd, WRITE);
  return fails(k) ? -1 : real(fd, from, part(size, k), at);
}
ssize_t pread64(int fd, void *to, size_t size, off64_t at) {
  REAL(pread64);
  int k = kind(fd, READ);
  return fails(k) ? -1 : real(fd, to, part(size, k), at);
}
ssize_t pread(int fd, void *to, size_t size, off_t at) {
  REAL(pread);
  int k = kind(fd, READ);
  return fails(k) ? -1 : real(fd, to, part(size, k), at);
}
ssize_t writev(int fd, const struct iovec *v, int n) {
  REAL(writev);
  int k = kind(fd, WRITE);
  if (fails(k)) return -1;
  return how == SHORT && k && n > 0 && v[0].iov_len ? write(fd, v[0].iov_base, v[0].iov_len) : real(fd, v, n);
}
ssize_t readv(int fd, const struct iovec *v, int n) {
  REAL(readv);
  int k = kind(fd, READ);
  if (fails(k)) return -1;
  return how == SHORT && k && n > 0 && v[0].iov_len ? read(fd, v[0].iov_base, v[0].iov_len) : real(fd, v, n);
}
ssize_t send(int fd, const void *from, size_t size, int flags) {
  REAL(send);
  return fails(kind(fd, WRITE)) ? -1 : real(fd, from, size, flags);
}
ssize_t recv(int fd, void *to, size_t size, int flags) {
  REAL(recv);
  return fails(kind(fd, READ)) ? -1 : real(fd, to, size, flags);
}
ssize_t copy_file_range(int from, off64_t *a, int to, off64_t *b, size_t size, unsigned flags) {
  REAL(copy_file_range);
  int k = kind(to, WRITE);
  return fails(k) ? -1 : real(from, a, to, b, part(size, k), flags);
}

// What else takes room.
int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64);
  return fails(kind(fd, WRITE)) ? -1 : real(fd, size);
}
int ftruncate(int fd, off_t size) {
  REAL(ftruncate);
  return fails(kind(fd, WRITE)) ? -1 : real(fd, size);
}
int posix_fallocate64(int fd, off64_t at, off64_t size) {
  REAL(posix_fallocate64);
  int e = errno;
  if (fails(kind(fd, WRITE))) {
    int got = errno;
    errno = e;
    return got;
  }
  return real(fd, at, size);
}
int posix_fallocate(int fd, off_t at, off_t size) {
  REAL(posix_fallocate);
  int e = errno;
  if (fails(kind(fd, WRITE))) {
    int got = errno;
    errno = e;
    return got;
  }
  return real(fd, at, size);
}
int fallocate64(int fd, int mode, off64_t at, off64_t size) {
  REAL(fallocate64);
  return fails(kind(fd, WRITE)) ? -1 : real(fd, mode, at, size);
}
int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  return refused(WRITE) ? -1 : real(path, mode);
}
int link(const char *a, const char *b) {
  REAL(link);
  return refused(WRITE) ? -1 : real(a, b);
}
int linkat(int a, const char *from, int b, const char *to, int flags) {
  REAL(linkat);
  return refused(WRITE) ? -1 : real(a, from, b, to, flags);
}
int symlink(const char *a, const char *b) {
  REAL(symlink);
  return refused(WRITE) ? -1 : real(a, b);
}
int rename(const char *a, const char *b) {
  REAL(rename);
  return refused(WRITE) ? -1 : real(a, b);
}

static int makes(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }
static int opening(const char *path, int flags) { return special(path) ? 0 : makes(flags) ? WRITE : OPEN; }
#define MODE(flags)              \
  mode_t mode = 0;               \
  if (makes(flags)) {            \
    va_list more;                \
    va_start(more, flags);       \
    mode = va_arg(more, mode_t); \
    va_end(more);                \
  }
int open64(const char *path, int flags, ...) {
  REAL(open64);
  MODE(flags) return refused(opening(path, flags)) ? -1 : real(path, flags, mode);
}
int open(const char *path, int flags, ...) {
  REAL(open);
  MODE(flags) return refused(opening(path, flags)) ? -1 : real(path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
  REAL(openat64);
  MODE(flags) return refused(opening(path, flags)) ? -1 : real(at, path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
  REAL(openat);
  MODE(flags) return refused(opening(path, flags)) ? -1 : real(at, path, flags, mode);
}

int stat64(const char *path, struct stat64 *s) {
  REAL(stat64);
  return refused(special(path) ? 0 : STAT) ? -1 : real(path, s);
}
int lstat64(const char *path, struct stat64 *s) {
  REAL(lstat64);
  return refused(special(path) ? 0 : STAT) ? -1 : real(path, s);
}
int stat(const char *path, struct stat *s) {
  REAL(stat);
  return refused(special(path) ? 0 : STAT) ? -1 : real(path, s);
}
int fstat64(int fd, struct stat64 *s) {
  REAL(fstat64);
  return refused(STAT) ? -1 : real(fd, s);
}
int fstat(int fd, struct stat *s) {
  REAL(fstat);
  return refused(STAT) ? -1 : real(fd, s);
}
// Rust asks for the time of birth by it.
int statx(int at, const char *restrict path, int flags, unsigned mask, struct statx *restrict s) {
  REAL(statx);
  return refused(special(path) ? 0 : STAT) ? -1 : real(at, path, flags, mask, s);
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t from) {
  REAL(mmap64);
  return fails(fd >= 0 ? MAP : 0) ? MAP_FAILED : real(at, size, prot, flags, fd, from);
}

// Processes and threads.
// A guardian starts its command so, with four arguments.
int clone(int (*run)(void *), void *stack, int flags, void *with, ...) {
  REAL(clone);
  return fails(START) ? -1 : real(run, stack, flags, with);
}
pid_t fork(void) {
  REAL(fork);
  return fails(START) ? -1 : real();
}
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *b,
                char *const *c, char *const *d) {
  REAL(posix_spawn);
  return fails(START) ? errno : real(pid, path, a, b, c, d);
}
int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *b,
                 char *const *c, char *const *d) {
  REAL(posix_spawnp);
  return fails(START) ? errno : real(pid, path, a, b, c, d);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *with) {
  REAL(pthread_create);
  return fails(START) ? errno : real(thread, attr, run, with);
}
int poll(struct pollfd *fds, nfds_t n, int ms) {
  REAL(poll);
  return fails(WAIT) ? -1 : real(fds, n, ms);
}
pid_t waitpid(pid_t pid, int *status, int flags) {
  REAL(waitpid);
  return fails(WAIT) ? -1 : real(pid, status, flags);
}
int waitid(idtype_t type, id_t id, siginfo_t *info, int flags) {
  REAL(waitid);
  return fails(WAIT) ? -1 : real(type, id, info, flags);
}
int flock(int fd, int what) {
  REAL(flock);
  return fails(WAIT) ? -1 : real(fd, what);
}

// Clocks. The one that never goes back stays right.
static int64_t jump(void) { return how == CLOCK && atomic_fetch_add(count, 1) % 2 == 0 ? number : 0; }
int clock_gettime(clockid_t clock, struct timespec *t) {
  int result = (int)syscall(SYS_clock_gettime, clock, t);
  if (clock == CLOCK_REALTIME) t->tv_sec += jump();
  return result;
}
int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return result;
}
time_t time(time_t *t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
