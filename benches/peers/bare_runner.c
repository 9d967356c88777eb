/* A lower bound for the cost of a contained run: the same system calls as Agon makes, with no more error handling than
 * necessary. Usage: bare_runner COUNT UNIFIED MEMORY CPU PIDS PROGRAM
 * UNIFIED, MEMORY, CPU and PIDS are parent directories of control groups; "-" means none. Needs root. */
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

enum { UNIFIED, MEMORY, CPU, PIDS, GROUPS, DEVICES = 5, STACK = 1 << 16, USER = 0x78000000, SYSTEM = 5, FILTER_LENGTH = 1139 };

static const char *parents[GROUPS], *program;
static char directories[GROUPS][1024];
static const char *devices[DEVICES] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
static const char *system_files[SYSTEM] = {"/etc", "/opt", "/sys/devices/system/cpu", "/sys/devices/system/node", "/usr"};
static const char *links[][2] = {{"/run/bin", "usr/bin"}, {"/run/lib", "usr/lib"}, {"/run/lib64", "usr/lib64"},
    {"/run/sbin", "usr/sbin"}, {"/run/dev/fd", "/proc/self/fd"}, {"/run/dev/stdin", "/proc/self/fd/0"},
    {"/run/dev/stdout", "/proc/self/fd/1"}, {"/run/dev/stderr", "/proc/self/fd/2"}};
static const char *ways[] = {"/run/dev", "/run/dev/shm", "/run/tmp", "/run/var", "/run/var/tmp", "/run/proc",
    "/run/sys", "/run/sys/devices", "/run/sys/devices/system"};
static const char *scratch[][2] = {{"/run/run/shm", "/run/dev/shm"}, {"/run/run/tmp", "/run/tmp"},
    {"/run/run/var-tmp", "/run/var/tmp"}};
static const char *written[][2] = {{"/run/run/users", "/run/etc/passwd"}, {"/run/run/groups", "/run/etc/group"}};
static int sockets[2], questions[2], output[2], errors[2], input, procs[GROUPS];
static char init_stack[STACK], program_stack[STACK];
static struct sock_filter filter[4096];
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

static void put_in(const char *directory, const char *name, const char *text) {
    char file[8192];
    snprintf(file, sizeof file, "%s/%s", directory, name);
    put(file, text);
}

static void get_in(const char *directory, const char *name) {
    char file[8192], text[8192];
    snprintf(file, sizeof file, "%s/%s", directory, name);
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

/* A short slice gives a low wake-up latency; 0 is the default. */
static void schedule(int nice, uint64_t slice) {
    uint64_t attributes[7] = {56, 0, (uint32_t)nice, slice};
    syscall(SYS_sched_setattr, 0, attributes, 0);
}

static void send_descriptor(int fd) {
    char byte = 0, room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    need(sendmsg(questions[1], &message, MSG_NOSIGNAL) == 1, "listener");
}

static int receive_descriptor(void) {
    char byte, room[CMSG_SPACE(sizeof(int))];
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    int fd = -1;
    if (recvmsg(questions[0], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

static int copy(const char *path, uint64_t attributes) {
    int fd = syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    struct mount_attr set = {.attr_set = attributes};
    if (fd >= 0)
        need(syscall(SYS_mount_setattr, fd, "", AT_RECURSIVE | AT_EMPTY_PATH, &set, sizeof set) == 0, path);
    return fd;
}

static void place(int mount, const char *path) {
    char staged[256];
    snprintf(staged, sizeof staged, "/run%s", path);
    need(syscall(SYS_move_mount, mount, "", AT_FDCWD, staged, MOVE_MOUNT_F_EMPTY_PATH) == 0, staged);
    close(mount);
}

static void own(const char *path, int mode) {
    mkdir(path, 0755);
    need(chown(path, USER, USER) == 0 && chmod(path, mode) == 0, path);
}

static int become(void *unused) {
    (void)unused;
    for (int g = 0; g < GROUPS; g++)
        if (procs[g] >= 0)
            need(write(procs[g], "0", 1) == 1, "cgroup.procs");
    setsid();
    dup2(input, 0);
    dup2(output[1], 1);
    dup2(errors[1], 2);
    syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
    struct rlimit none = {1, 1};
    schedule(0, 0);
    setrlimit(RLIMIT_CORE, &none), setrlimit(RLIMIT_MSGQUEUE, &none);
    setrlimit(RLIMIT_NICE, &none), setrlimit(RLIMIT_RTPRIO, &none);
    for (int resource = 0; resource < 3; resource++) {
        static const int which[] = {RLIMIT_STACK, RLIMIT_NOFILE, RLIMIT_SIGPENDING};
        struct rlimit limit;
        getrlimit(which[resource], &limit);
        setrlimit(which[resource], &limit);
    }
    umask(022);
    syscall(SYS_setgroups, 0, NULL);
    need(syscall(SYS_setresgid, USER, USER, USER) == 0 && syscall(SYS_setresuid, USER, USER, USER) == 0, "user");
    unsigned header[2] = {0x20080522, 0}, no_capabilities[6] = {0};
    syscall(SYS_capset, header, no_capabilities);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    struct sock_fprog code = {filter_length, filter};
    int listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &code);
    need(listener >= 0, "seccomp");
    send_descriptor(listener);
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
    int net = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {0};
    strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    need(ioctl(net, SIOCSIFFLAGS, &request) == 0, "loopback");
    close(net);
    need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "private");
    uint64_t restricted = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    int copies[DEVICES], files[SYSTEM];
    for (int d = 0; d < DEVICES; d++)
        copies[d] = copy(devices[d], MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID);
    for (int f = 0; f < SYSTEM; f++)
        files[f] = copy(system_files[f], restricted);
    need(mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") == 0, "base");
    mkdir("/run/run", 0755);
    need(mount("tmpfs", "/run/run", "tmpfs", MS_NOSUID | MS_NODEV, "size=1073741824,mode=755") == 0, "tmpfs");
    own("/run/run/agon", 0755);
    int memory = open("/run/run", O_PATH | O_CLOEXEC);
    for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++)
        mkdir(ways[w], 0755);
    for (int c = 0; c < 3; c++) {
        own(scratch[c][0], 01777);
        need(mount(scratch[c][0], scratch[c][1], NULL, MS_BIND, NULL) == 0, scratch[c][1]);
    }
    for (int f = 0; f < SYSTEM; f++)
        if (files[f] >= 0) {
            char staged[256];
            snprintf(staged, sizeof staged, "/run%s", system_files[f]);
            mkdir(staged, 0755);
            place(files[f], system_files[f]);
        }
    for (int w = 0; w < 2; w++) {
        int fd = open(written[w][0], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
        need(write(fd, "root:x:0:0:root:/root:/bin/sh\n", 30) == 30, written[w][0]);
        close(fd);
        need(mount(written[w][0], written[w][1], NULL, MS_BIND, NULL) == 0, written[w][1]);
    }
    for (unsigned l = 0; l < sizeof links / sizeof *links; l++)
        need(symlink(links[l][1], links[l][0]) == 0, links[l][0]);
    for (int d = 0; d < DEVICES; d++) {
        char staged[256];
        snprintf(staged, sizeof staged, "/run%s", devices[d]);
        close(open(staged, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644));
        place(copies[d], devices[d]);
    }
    need(mount("proc", "/run/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2") == 0, "proc");
    struct mount_attr attributes = {.attr_set = restricted};
    need(syscall(SYS_mount_setattr, AT_FDCWD, "/run", 0, &attributes, sizeof attributes) == 0, "read-only");
    need(chdir("/run") == 0 && syscall(SYS_pivot_root, ".", ".") == 0, "pivot_root");
    need(umount2(".", MNT_DETACH) == 0 && chdir("/") == 0, "umount");
    schedule(-10, 100000);
    need(chdir("/run/agon") == 0, "chdir");
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    int pid = clone(become, program_stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    need(pid > 0, "program");
    int listener = receive_descriptor();
    for (int is_over = 0; !is_over;) {
        struct pollfd watched[3] = {{sockets[1], POLLIN, 0}, {signals, POLLIN, 0}, {listener, POLLIN, 0}};
        poll(watched, 3, -1);
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
        procs[g] = -1;
        if (!strcmp(parents[g], "-"))
            continue;
        snprintf(directories[g], sizeof directories[g], "%s/bare-%d-%d", parents[g], getpid(), number);
        need(mkdir(directories[g], 0755) == 0, directories[g]);
    }
    if (strcmp(parents[MEMORY], "-")) {
        put_in(directories[MEMORY], "memory.limit_in_bytes", "1000000000");
        put_in(directories[MEMORY], "memory.memsw.limit_in_bytes", "1000000000");
    }
    if (strcmp(parents[PIDS], "-"))
        put_in(directories[PIDS], "pids.max", "4096");
    if (strcmp(parents[CPU], "-"))
        put_in(directories[CPU], "cpu.shares", "2048");
    need(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, questions) == 0, "socketpair");
    schedule(-10, 100000);
    need(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0, "socketpair");
    need(pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0, "pipe");
    input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int g = 0; g < GROUPS; g++)
        if (strcmp(parents[g], "-")) {
            char file[8192];
            snprintf(file, sizeof file, "%s/cgroup.procs", directories[g]);
            procs[g] = open(file, O_WRONLY | O_CLOEXEC);
        }
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    int pidfd = -1;
    int namespaces = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET;
    int pid = clone(init, init_stack + STACK, namespaces | CLONE_PIDFD | SIGCHLD, NULL, &pidfd);
    need(pid > 0, "init process");
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(questions[0]), close(questions[1]), close(sockets[1]), close(output[1]), close(errors[1]), close(input);
    for (int g = 0; g < GROUPS; g++)
        if (procs[g] >= 0)
            close(procs[g]);
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
        get_in(directories[0], "cpu.stat");
    }
    struct pollfd gone = {pidfd, POLLIN, 0};
    poll(&gone, 1, -1);
    waitpid(pid, NULL, 0);
    for (int g = 0; g < GROUPS; g++)
        if (strcmp(parents[g], "-"))
            get_in(directories[g], "cgroup.procs");
    get_in(directories[0], "cpu.stat");
    get_in(directories[0], "cpu.pressure"), get_in(directories[0], "memory.pressure");
    get_in(directories[0], "io.pressure");
    get_in(directories[MEMORY], "memory.oom_control"), get_in(directories[MEMORY], "memory.max_usage_in_bytes");
    get_in(directories[MEMORY], "memory.limit_in_bytes");
    get_in(directories[PIDS], "pids.peak"), get_in(directories[PIDS], "pids.events");
    close(pidfd), close(sockets[0]), close(output[0]), close(errors[0]);
    for (int g = 0; g < GROUPS; g++)
        if (strcmp(parents[g], "-"))
            while (rmdir(directories[g]) != 0)
                usleep(200);
}

int main(int count, char **words) {
    need(count == 7, "usage: bare_runner COUNT UNIFIED MEMORY CPU PIDS PROGRAM");
    memcpy(parents, words + 2, sizeof parents);
    program = words[6];
    /* A filter with as many instructions as Agon's. A call executes about ten of them; the rest is never reached. */
    filter[filter_length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    for (int n = 0; n < 10; n++)
        filter[filter_length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 5000 + n, 0, 0);
    filter[filter_length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0, 0, 1);
    filter[filter_length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    while (filter_length < FILTER_LENGTH - 1)
        filter[filter_length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1);
    filter[filter_length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    for (int number = 0; number < atoi(words[1]); number++)
        run(number);
    return 0;
}
