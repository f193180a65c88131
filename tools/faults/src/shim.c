/*
 * Injects faults into the system calls of a process that loads this library with LD_PRELOAD.
 *
 * Only calls on files below FAULTS_ROOT, on standard input and on standard output count. Each kind of call is numbered
 * from 1 on. FAULTS has the form KIND:NUMBER:ACTION. NUMBER is one call (3), that call and all later ones (3+), or every
 * call whose number is a multiple (%2). ACTION is one of:
 *
 *   e5        fails with this error number
 *   short     reads or writes at least one byte, and fewer than requested; empties a file after it was mapped
 *   kill      SIGKILL, before the call
 *   cut       halves the file FAULTS_FILE, before the call
 *   grow      appends FAULTS_FROM to FAULTS_FILE, before the call
 *   replace   renames FAULTS_FROM to FAULTS_FILE, before the call
 *   wait      creates FAULTS_GATE.reached, and waits until FAULTS_GATE exists
 *
 * FAULTS_ONLY restricts counting to paths that end in this text. FAULTS_TRACE names a file that gets a line for each
 * counted call. FAULTS_CLOCK=1 makes the clocks jump.
 *
 * Nothing here calls a function that it replaces: the library uses raw system calls.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, SYNC, RENAME, TRUNCATE, MAP, UNLINK, LOCK, SEEK, STAT, LIST, FOLDER, THREAD, KINDS };
static const char *const names[KINDS] = {"open", "read", "write", "sync", "rename", "truncate", "map", "unlink",
                                         "lock", "seek", "stat", "list", "folder", "thread"};

#define FILES 4096
#define NO_FAULT 0
#define SHORT -1

static atomic_long counts[KINDS + 1];
/* What is known of open files: 0 is not counted, 1 is counted. */
static atomic_char counted[FILES];

static const char *root, *only, *file, *from, *gate;
static size_t root_length;
static int trace = -1;
static int clocks;
/* The fault: its kind (KINDS is any), its number, and whether later calls or multiples count, too. */
static int fault_kind = -1;
static long fault_number;
static int later, multiples, fault_errno;
static char action[16];

#define REAL(result, name, ...)                                                                                        \
    static result (*real_##name)(__VA_ARGS__);                                                                         \
    static void find_##name(void) {                                                                                    \
        if (!real_##name) real_##name = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);                              \
    }

REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
REAL(struct dirent64 *, readdir64, DIR *)
REAL(DIR *, opendir, const char *)

__attribute__((constructor)) static void begin(void) {
    root = getenv("FAULTS_ROOT");
    if (!root) return;
    root_length = strlen(root);
    only = getenv("FAULTS_ONLY");
    file = getenv("FAULTS_FILE");
    from = getenv("FAULTS_FROM");
    gate = getenv("FAULTS_GATE");
    clocks = getenv("FAULTS_CLOCK") != NULL;
    const char *path = getenv("FAULTS_TRACE");
    if (path) trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const char *fault = getenv("FAULTS");
    char kind[16], number[24];
    if (fault && sscanf(fault, "%15[^:]:%23[^:]:%15s", kind, number, action) == 3) {
        fault_kind = strcmp(kind, "any") == 0 ? KINDS : -1;
        for (int i = 0; i < KINDS; i++)
            if (strcmp(kind, names[i]) == 0) fault_kind = i;
        multiples = number[0] == '%';
        later = strchr(number, '+') != NULL;
        fault_number = atol(number + multiples);
        if (fault_kind < 0 || fault_number < 1) {
            static const char text[] = "shim: FAULTS has an unknown form\n";
            syscall(SYS_write, 2, text, sizeof text - 1);
            syscall(SYS_exit_group, 99);
        }
        if (action[0] == 'e') fault_errno = atoi(action + 1);
    }
    if (!only) counted[0] = counted[1] = 1;
}

static void append(const char *to, const char *source) {
    int in = (int)syscall(SYS_openat, AT_FDCWD, source, O_RDONLY, 0);
    int out = (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_APPEND, 0);
    char buffer[4096];
    long bytes;
    while ((bytes = syscall(SYS_read, in, buffer, sizeof buffer)) > 0) syscall(SYS_write, out, buffer, bytes);
    syscall(SYS_close, in);
    syscall(SYS_close, out);
}

static void pass_gate(void) {
    char reached[PATH_MAX];
    snprintf(reached, sizeof reached, "%s.reached", gate);
    syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, reached, O_WRONLY | O_CREAT, 0666));
    struct timespec pause = {0, 1000000};
    for (int i = 0; i < 60000 && syscall(SYS_faccessat, AT_FDCWD, gate, F_OK) != 0; i++)
        syscall(SYS_nanosleep, &pause, NULL);
}

static int is_meant(long number) {
    if (multiples) return number % fault_number == 0;
    return number == fault_number || (later && number > fault_number);
}

/* Counts a call. Returns NO_FAULT, SHORT, or the error number with which it fails. */
static int count(enum kind kind, const char *what) {
    long number = atomic_fetch_add(&counts[kind], 1) + 1;
    long any = atomic_fetch_add(&counts[KINDS], 1) + 1;
    int hit = (fault_kind == (int)kind && is_meant(number)) || (fault_kind == KINDS && is_meant(any));
    if (trace >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%s %ld %s%s\n", names[kind], number, what, hit ? " FAULT" : "");
        syscall(SYS_write, trace, line, length);
    }
    if (!hit) return NO_FAULT;
    if (fault_errno) return fault_errno;
    if (strcmp(action, "short") == 0) return SHORT;
    if (strcmp(action, "kill") == 0) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    if (strcmp(action, "wait") == 0) pass_gate();
    if (strcmp(action, "grow") == 0) append(file, from);
    if (strcmp(action, "replace") == 0) syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, file);
    if (strcmp(action, "cut") == 0) {
        struct stat state;
        if (syscall(SYS_newfstatat, AT_FDCWD, file, &state, 0) == 0) syscall(SYS_truncate, file, state.st_size / 2);
    }
    return NO_FAULT;
}

static int is_counted_path(const char *path) {
    if (!root || !path) return 0;
    if (path[0] == '/' && strncmp(path, root, root_length) != 0) return 0;
    if (!only) return 1;
    size_t length = strlen(path), end = strlen(only);
    return length >= end && strcmp(path + length - end, only) == 0;
}

static int is_counted(int fd) { return root && fd >= 0 && fd < FILES && counted[fd]; }

/* Fails with `fault`, or calls the system. */
#define FAIL_OR(fault, call)                                                                                           \
    do {                                                                                                               \
        int failed = (fault);                                                                                          \
        if (failed > 0) {                                                                                              \
            errno = failed;                                                                                            \
            return -1;                                                                                                 \
        }                                                                                                              \
        return call;                                                                                                   \
    } while (0)

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    int is_ours = is_counted_path(path);
    if (is_ours) {
        int fault = count(OPEN, path);
        if (fault > 0) {
            errno = fault;
            return -1;
        }
    }
    int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0 && fd < FILES) counted[fd] = (char)is_ours;
    return fd;
}

#define OPENING(name, parameters, folder)                                                                              \
    int name parameters {                                                                                              \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                      \
        va_end(rest);                                                                                                  \
        return open_at(folder, path, flags, mode);                                                                     \
    }
OPENING(open, (const char *path, int flags, ...), AT_FDCWD)
OPENING(open64, (const char *path, int flags, ...), AT_FDCWD)
OPENING(openat, (int folder, const char *path, int flags, ...), folder)
OPENING(openat64, (int folder, const char *path, int flags, ...), folder)

int close(int fd) {
    if (fd > 1 && fd < FILES) counted[fd] = 0;
    return (int)syscall(SYS_close, fd);
}

/* A number of bytes that is at least one and less than `length`. */
static size_t shortened(size_t length) {
    static atomic_ulong state = 1;
    unsigned long next = atomic_fetch_add(&state, 1) * 2654435761UL >> 7;
    if (length <= 1) return length;
    /* Often a few bytes, to split what belongs together. */
    size_t most = next % 3 ? (length < 4096 ? length : 4096) : length;
    return 1 + next / 3 % (most - 1);
}

#define TRANSFER(name, kind, parameters, fd, length, call)                                                             \
    ssize_t name parameters {                                                                                          \
        int fault = is_counted(fd) ? count(kind, #name) : NO_FAULT;                                                    \
        if (fault == SHORT) length = shortened(length);                                                                \
        FAIL_OR(fault, call);                                                                                          \
    }
TRANSFER(read, READ, (int fd, void *to, size_t length), fd, length, syscall(SYS_read, fd, to, length))
TRANSFER(write, WRITE, (int fd, const void *bytes, size_t length), fd, length, syscall(SYS_write, fd, bytes, length))
TRANSFER(pread, READ, (int fd, void *to, size_t length, off_t at), fd, length,
         syscall(SYS_pread64, fd, to, length, at))
TRANSFER(pread64, READ, (int fd, void *to, size_t length, off64_t at), fd, length,
         syscall(SYS_pread64, fd, to, length, at))
TRANSFER(pwrite64, WRITE, (int fd, const void *bytes, size_t length, off64_t at), fd, length,
         syscall(SYS_pwrite64, fd, bytes, length, at))

#define TRANSFER_PARTS(name, kind, number)                                                                             \
    ssize_t name(int fd, const struct iovec *parts, int length) {                                                      \
        int fault = is_counted(fd) ? count(kind, #name) : NO_FAULT;                                                    \
        if (fault == SHORT && length > 1) length = 1;                                                                  \
        FAIL_OR(fault, syscall(number, fd, parts, length));                                                            \
    }
TRANSFER_PARTS(readv, READ, SYS_readv)
TRANSFER_PARTS(writev, WRITE, SYS_writev)

/* Programs fall back to reads and writes, which are counted. */
ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t length, unsigned flags) {
    if (is_counted(in) || is_counted(out)) {
        errno = ENOSYS;
        return -1;
    }
    return syscall(SYS_copy_file_range, in, in_at, out, out_at, length, flags);
}

#define ON_FILE(name, kind, parameters, fd, call)                                                                      \
    int name parameters { FAIL_OR(is_counted(fd) ? count(kind, #name) : NO_FAULT, (int)call); }
ON_FILE(fsync, SYNC, (int fd), fd, syscall(SYS_fsync, fd))
ON_FILE(fdatasync, SYNC, (int fd), fd, syscall(SYS_fdatasync, fd))
ON_FILE(ftruncate, TRUNCATE, (int fd, off_t length), fd, syscall(SYS_ftruncate, fd, length))
ON_FILE(ftruncate64, TRUNCATE, (int fd, off64_t length), fd, syscall(SYS_ftruncate, fd, length))
ON_FILE(flock, LOCK, (int fd, int how), fd, syscall(SYS_flock, fd, how))

off_t lseek(int fd, off_t at, int whence) {
    FAIL_OR(is_counted(fd) ? count(SEEK, "lseek") : NO_FAULT, syscall(SYS_lseek, fd, at, whence));
}
off64_t lseek64(int fd, off64_t at, int whence) {
    FAIL_OR(is_counted(fd) ? count(SEEK, "lseek") : NO_FAULT, syscall(SYS_lseek, fd, at, whence));
}

/* The declaration of `statx` says that a path is never null. The standard library of Rust passes none, to see whether the
 * call exists, so the function has another name here. */
int any_statx(int folder, const char *path, int flags, unsigned mask, struct statx *state) __asm__("statx");
int any_statx(int folder, const char *path, int flags, unsigned mask, struct statx *state) {
    int is_ours = path && (path[0] ? is_counted_path(path) : is_counted(folder));
    FAIL_OR(is_ours ? count(STAT, path[0] ? path : "statx") : NO_FAULT,
            (int)syscall(SYS_statx, folder, path, flags, mask, state));
}

#define ON_PATH(name, kind, parameters, path, call)                                                                    \
    int name parameters { FAIL_OR(is_counted_path(path) ? count(kind, path) : NO_FAULT, (int)call); }
ON_PATH(rename, RENAME, (const char *old, const char *new), new,
        syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0))
ON_PATH(unlink, UNLINK, (const char *path), path, syscall(SYS_unlinkat, AT_FDCWD, path, 0))
ON_PATH(mkdir, FOLDER, (const char *path, mode_t mode), path, syscall(SYS_mkdirat, AT_FDCWD, path, mode))

static void *map(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    int fault = is_counted(fd) ? count(MAP, "mmap") : NO_FAULT;
    if (fault > 0) {
        errno = fault;
        return MAP_FAILED;
    }
    void *mapped = (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
    if (fault == SHORT) {
        /* The file may be open for reading only. */
        char path[32];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        syscall(SYS_truncate, path, 0);
    }
    return mapped;
}
void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    return map(at, length, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset) {
    return map(at, length, protection, flags, fd, offset);
}

DIR *opendir(const char *path) {
    find_opendir();
    int fault = is_counted_path(path) ? count(LIST, path) : NO_FAULT;
    if (fault > 0) {
        errno = fault;
        return NULL;
    }
    return real_opendir(path);
}

struct dirent64 *readdir64(DIR *folder) {
    find_readdir64();
    int fault = root ? count(LIST, "readdir") : NO_FAULT;
    if (fault > 0) {
        errno = fault;
        return NULL;
    }
    return real_readdir64(folder);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
    find_pthread_create();
    int fault = root && !only ? count(THREAD, "pthread_create") : NO_FAULT;
    return fault > 0 ? fault : real_pthread_create(thread, how, run, with);
}

/* The time of day jumps ten years back and forth. The other clock cannot go back: it jumps an hour ahead. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    static atomic_long calls;
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clocks && result == 0) {
        long call = atomic_fetch_add(&calls, 1);
        if (clock == CLOCK_REALTIME) now->tv_sec += (call % 2 ? 1 : -1) * 315360000L;
        if (clock == CLOCK_MONOTONIC) now->tv_sec += call * 3600;
    }
    return result;
}
