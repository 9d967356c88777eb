/* The least that a contained run can cost: the same system calls as ours, by hand, without a single check that is not
 * needed to get through. Usage: bare_runner COUNT UNIFIED MEMORY PIDS PROGRAM
 * UNIFIED, MEMORY and PIDS are parent folders of control groups; "-" means there is none. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/mount.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GROUPS = 3, DEVICES = 5, STACK = 1 << 16 };

static const char *parents[GROUPS], *program;
static char folders[GROUPS][1024];
static const char *devices[DEVICES] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
static int sockets[2], output[2], errors[2], input, doors[GROUPS];
static char init_stack[STACK], program_stack[STACK];
static struct sock_filter filter[128];
static int filter_length;

static void need(int ok, const char *what) {
    if (!ok) {
        perror(what);
        _exit(3);
    }
}

static void put(const char *file, const char *text) {
    int fd = open(file, O_WRONLY | O_CLOEXEC);
    need(fd >= 0 && write(fd, text, strlen(text)) > 0, file);
    close(fd);
}

static void put_in(const char *folder, const char *name, const char *text) {
    char file[8192];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    put(file, text);
}

static void get_in(const char *folder, const char *name) {
    char file[8192], text[8192];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    while (read(fd, text, sizeof text) > 0)
        ;
    close(fd);
}

static void send_now(int kind) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    uint64_t message[7] = {kind, time.tv_sec, time.tv_nsec};
    send(sockets[1], message, sizeof message, MSG_NOSIGNAL);
}

static int become(void *unused) {
    (void)unused;
    for (int g = 0; g < GROUPS; g++)
        if (doors[g] >= 0)
            need(write(doors[g], "0", 1) == 1, "cgroup.procs");
    setsid();
    dup2(input, 0);
    dup2(output[1], 1);
    dup2(errors[1], 2);
    syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    struct sock_fprog code = {filter_length, filter};
    need(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code) == 0, "seccomp");
    for (int s = 1; s <= 64; s++)
        signal(s, SIG_DFL);
    sigset_t empty;
    sigemptyset(&empty);
    sigprocmask(SIG_SETMASK, &empty, NULL);
    send_now(0);
    char *words[] = {(char *)program, NULL}, *environment[] = {NULL};
    execve(program, words, environment);
    need(0, program);
    return 127;
}

static int init(void *unused) {
    (void)unused;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    put("/proc/self/setgroups", "deny");
    char map[64];
    snprintf(map, sizeof map, "1000 %u 1", 0U);
    put("/proc/self/uid_map", map);
    put("/proc/self/gid_map", map);
    int net = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {0};
    strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    need(ioctl(net, SIOCSIFFLAGS, &request) == 0, "loopback");
    close(net);
    need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "private");
    int copies[DEVICES];
    for (int d = 0; d < DEVICES; d++)
        copies[d] = syscall(SYS_open_tree, AT_FDCWD, devices[d], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
    need(syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes) == 0, "read-only");
    need(mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "size=1073741824,mode=755") == 0, "tmpfs");
    mkdir("/run/agon", 0755);
    int memory = open("/run", O_PATH | O_CLOEXEC);
    mkdir("/run/cover-0", 0755);
    need(mount("/run/cover-0", "/dev/shm", NULL, MS_BIND, NULL) == 0, "shm");
    for (int d = 0; d < DEVICES; d++) {
        need(syscall(SYS_move_mount, copies[d], "", AT_FDCWD, devices[d], MOVE_MOUNT_F_EMPTY_PATH) == 0, devices[d]);
        close(copies[d]);
    }
    need(mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0, "proc");
    need(chdir("/run/agon") == 0, "chdir");
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    int pid = clone(become, program_stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    need(pid > 0, "program");
    for (int is_over = 0; !is_over;) {
        struct pollfd watched[2] = {{sockets[1], POLLIN, 0}, {signals, POLLIN, 0}};
        poll(watched, 2, -1);
        char info[128];
        int status, ended;
        if (read(signals, info, sizeof info) > 0)
            while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
                is_over |= ended == pid;
    }
    kill(-1, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    struct statfs room;
    fstatfs(memory, &room);
    send_now(2);
    _exit(0);
}

static void run(int number) {
    for (int g = 0; g < GROUPS; g++) {
        doors[g] = -1;
        if (!strcmp(parents[g], "-"))
            continue;
        snprintf(folders[g], sizeof folders[g], "%s/bare-%d-%d", parents[g], getpid(), number);
        need(mkdir(folders[g], 0755) == 0, folders[g]);
    }
    if (strcmp(parents[1], "-")) {
        put_in(folders[1], "memory.limit_in_bytes", "1000000000");
        put_in(folders[1], "memory.memsw.limit_in_bytes", "1000000000");
    }
    if (strcmp(parents[2], "-"))
        put_in(folders[2], "pids.max", "4096");
    need(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0, "socketpair");
    need(pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0, "pipe");
    input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int g = 0; g < GROUPS; g++)
        if (strcmp(parents[g], "-")) {
            char file[8192];
            snprintf(file, sizeof file, "%s/cgroup.procs", folders[g]);
            doors[g] = open(file, O_WRONLY | O_CLOEXEC);
        }
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    int pidfd = -1;
    int namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET;
    int pid = clone(init, init_stack + STACK, namespaces | CLONE_PIDFD | SIGCHLD, NULL, &pidfd);
    need(pid > 0, "first process");
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(sockets[1]), close(output[1]), close(errors[1]), close(input);
    for (int g = 0; g < GROUPS; g++)
        if (doors[g] >= 0)
            close(doors[g]);
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    for (int is_over = 0; !is_over;) {
        struct pollfd watched[4] = {{pidfd, POLLIN, 0}, {sockets[0], POLLIN, 0}, {output[0], POLLIN, 0}, {errors[0], POLLIN, 0}};
        poll(watched, 4, 250);
        char bytes[65536];
        uint64_t message[7];
        while (read(output[0], bytes, sizeof bytes) > 0)
            ;
        while (read(errors[0], bytes, sizeof bytes) > 0)
            ;
        while (recv(sockets[0], message, sizeof message, MSG_DONTWAIT) == sizeof message)
            is_over |= message[0] == 2;
        get_in(folders[0], "cpu.stat");
    }
    struct pollfd gone = {pidfd, POLLIN, 0};
    poll(&gone, 1, -1);
    waitpid(pid, NULL, 0);
    for (int g = 0; g < GROUPS; g++)
        if (strcmp(parents[g], "-"))
            get_in(folders[g], "cgroup.procs");
    get_in(folders[0], "cpu.stat");
    get_in(folders[0], "cpu.pressure"), get_in(folders[0], "memory.pressure"), get_in(folders[0], "io.pressure");
    get_in(folders[1], "memory.oom_control"), get_in(folders[1], "memory.max_usage_in_bytes");
    get_in(folders[1], "memory.limit_in_bytes");
    get_in(folders[2], "pids.peak"), get_in(folders[2], "pids.events");
    close(pidfd), close(sockets[0]), close(output[0]), close(errors[0]);
    for (int g = 0; g < GROUPS; g++)
        if (strcmp(parents[g], "-"))
            while (rmdir(folders[g]) != 0)
                usleep(200);
}

int main(int count, char **words) {
    need(count == 6, "usage: bare_runner COUNT UNIFIED MEMORY PIDS PROGRAM");
    memcpy(parents, words + 2, sizeof parents);
    program = words[5];
    /* As long as our filter, and all of it is gone through before a call is allowed. */
    filter[filter_length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    for (int n = 0; n < 24; n++) {
        filter[filter_length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 5000 + n, 0, 1);
        filter[filter_length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1);
    }
    filter[filter_length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    for (int number = 0; number < atoi(words[1]); number++)
        run(number);
    return 0;
}
