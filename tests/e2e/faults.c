// What a test lets go wrong in a process and those that it starts, by LD_PRELOAD:
//
//   WARPCELL_TEST_NO_LOCKS=FOLDER   no file below FOLDER can be locked, as on a network file system without locks
//   WARPCELL_TEST_KILL=CALL:N:FOLDER  the process is killed at its Nth call of `rename`, `symlink`, `mkdir` or
//                                     `unlinkat` below FOLDER
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int has_locks(int file) {
    const char *folder = getenv("WARPCELL_TEST_NO_LOCKS");
    char link[64], path[PATH_MAX + 1];
    if (!folder) return 1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX);
    if (length < 0) return 1;
    path[length] = 0;
    return !is_below(path, folder);
}

int flock(int file, int operation) {
    static int (*real)(int, int);
    if (!real) real = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    if (!has_locks(file)) {
        errno = ENOLCK;
        return -1;
    }
    return real(file, operation);
}

static void count(const char *call, const char *path) {
    static int calls;
    const char *order = getenv("WARPCELL_TEST_KILL");
    size_t length = strlen(call);
    if (!order || strncmp(order, call, length) != 0 || order[length] != ':') return;
    char *folder;
    long at = strtol(order + length + 1, &folder, 10);
    if (*folder == ':' && is_below(path, folder + 1) && ++calls == at) raise(SIGKILL);
}

int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (!real) real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    count("rename", to);
    return real(from, to);
}

int symlink(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (!real) real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "symlink");
    count("symlink", to);
    return real(from, to);
}

int mkdir(const char *path, mode_t mode) {
    static int (*real)(const char *, mode_t);
    if (!real) real = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
    count("mkdir", path);
    return real(path, mode);
}

int unlinkat(int folder, const char *name, int flags) {
    static int (*real)(int, const char *, int);
    char link[64], path[PATH_MAX + 1];
    if (!real) real = (int (*)(int, const char *, int))dlsym(RTLD_NEXT, "unlinkat");
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, path, PATH_MAX);
    if (length > 0) {
        path[length] = 0;
        count("unlinkat", path);
    }
    return real(folder, name, flags);
}
