/* The second series of solvers that misbehave: they try to escape, or to use more than their share of resources. The
 * argument selects the behavior. Each prints "sat" if its attempt was refused or had no effect, and another word if it
 * succeeded.
 * Compile with -pthread. Usage: escapes BEHAVIOR [ARGUMENT…] */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MB = 1 << 20, PAGE = 4096 };

extern char **environ;

static double cpu(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* Uses this many seconds of CPU time. */
static void burn(double seconds) {
    double start = cpu(CLOCK_THREAD_CPUTIME_ID);
    while (cpu(CLOCK_THREAD_CPUTIME_ID) - start < seconds)
        for (volatile int i = 0; i < 1000; i++)
            ;
}

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0)
        _exit(4);
}

static char *pages(size_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(3);
    return memory;
}

/* Starts many sessions, each of which gets its own share of the CPU if the scheduler groups by session. They all begin
 * to burn at once, when the last one exists, and exit by themselves after ten seconds if nothing kills them. */
static void sessions(int count) {
    int gate[2];
    char byte;
    if (pipe(gate) < 0)
        exit(3);
    for (int i = 0; i < count; i++)
        if (fork() == 0) {
            setsid();
            alarm(10);
            close(gate[1]);
            if (read(gate[0], &byte, 1) == 0)
                burn(60);
            _exit(0);
        }
    close(gate[0]), close(gate[1]);
}

static void sleep_until(double time) {
    double left;
    while ((left = time - cpu(CLOCK_MONOTONIC)) > 0)
        usleep(left * 1e6 + 1);
}

/* Whether process 1 is the init process of a sandbox. The machine's own must not be harmed. */
static int is_contained(void) {
    char name[64] = "";
    return readlink("/proc/self/ns/pid", name, sizeof name - 1) < 0 || strcmp(name, "pid:[4026531836]");
}

/* A filter that allows everything. */
static struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, 0x7fff0000);
static struct sock_fprog filter = {1, &allow};

static int attach(int option) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0), one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    return fd >= 0 && setsockopt(fd, SOL_SOCKET, option, &filter, sizeof filter) == 0;
}

/* Takes locks on single bytes, with gaps in between so that the kernel must keep a record for each. There are several
 * files, because for each new lock the kernel searches all locks of the file, and with a single file time would run out
 * before memory. */
static int lock_bytes(int command) {
    int taken = 0;
    for (int file = 0; file < 40; file++) {
        char name[32];
        snprintf(name, sizeof name, "locked-%d", file);
        int fd = open(name, O_RDWR | O_CREAT, 0600);
        unlink(name);
        for (int i = 0; i < 1000; i++, taken++) {
            struct flock lock = {.l_type = F_WRLCK, .l_start = 2 * i, .l_len = 1};
            if (fcntl(fd, command, &lock) < 0)
                return taken;
        }
    }
    return taken;
}

static int lock_byte(int fd, int command, int type, int at) {
    struct flock lock = {.l_type = type, .l_start = at, .l_len = 1};
    return fcntl(fd, command, &lock) == 0;
}

static int can_read(const char *file) {
    char start[8];
    int fd = open(file, O_RDONLY | O_NONBLOCK);
    /* Nothing is mapped at address 0 of a process, so opening its memory counts as reading. */
    int is_read = fd >= 0 && (strstr(file, "/mem") || read(fd, start, sizeof start) > 0);
    close(fd);
    return is_read;
}

/* Whether the control group of another run can be read. */
static int read_groups(const char *path, int depth) {
    const char *files[] = {"cpu.stat", "memory.usage_in_bytes", "cpuacct.usage", "cgroup.procs"};
    const char *name = strrchr(path, '/');
    char below[4096];
    int found = 0;
    for (int i = 0; i < 4 && strstr(name, "agon-"); i++) {
        snprintf(below, sizeof below, "%s/%s", path, files[i]);
        int fd = open(below, O_RDONLY);
        found |= fd >= 0;
        close(fd);
    }
    DIR *directory = depth ? opendir(path) : NULL;
    struct dirent *item;
    while (!found && directory && (item = readdir(directory)))
        if (item->d_type == DT_DIR && item->d_name[0] != '.') {
            snprintf(below, sizeof below, "%s/%s", path, item->d_name);
            found = read_groups(below, depth - 1);
        }
    if (directory)
        closedir(directory);
    return found;
}

/* Connects to itself over TCP; the two ends are ends[0] and ends[1]. */
static int loopback(int ends[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    int one = 1, server = socket(AF_INET, SOCK_STREAM, 0);
    char byte = 0;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ends[0] = socket(AF_INET, SOCK_STREAM, 0), ends[1] = -1;
    return setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
           bind(server, (struct sockaddr *)&address, length) == 0 && listen(server, 1) == 0 &&
           getsockname(server, (struct sockaddr *)&address, &length) == 0 &&
           connect(ends[0], (struct sockaddr *)&address, length) == 0 && (ends[1] = accept(server, NULL, NULL)) >= 0 &&
           setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0 && write(ends[0], "x", 1) == 1 &&
           read(ends[1], &byte, 1) == 1 && byte == 'x';
}

/* Sends a descriptor through a socket and reads from the received one. */
static int pass_descriptor(void) {
    int pair[2], ends[2], passed = -1;
    char byte = 'x', room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || pipe(ends) < 0 || write(ends[1], "y", 1) != 1)
        return 0;
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &ends[0], sizeof(int));
    if (sendmsg(pair[0], &message, 0) != 1 || recvmsg(pair[1], &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
        return 0;
    memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    return read(passed, &byte, 1) == 1 && byte == 'y';
}

static void *count_up(void *number) {
    __atomic_add_fetch((int *)number, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Makes the calls of ordinary programs; returns the name of the first that fails, or NULL. */
static const char *ordinary(void) {
#define TRY(name, works)                                                                                               \
    if (!(works))                                                                                                      \
    return name
    uint64_t number = 1;
    char text[16] = "";
    int ends[2], poll = epoll_create1(EPOLL_CLOEXEC), event = eventfd(0, EFD_CLOEXEC);
    struct epoll_event about = {.events = EPOLLIN};
    TRY("eventfd", event >= 0 && write(event, &number, sizeof number) == sizeof number);
    TRY("epoll", epoll_ctl(poll, EPOLL_CTL_ADD, event, &about) == 0 && epoll_wait(poll, &about, 1, 1000) == 1);
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec soon = {.it_value = {0, 1000000}};
    TRY("timerfd", timerfd_settime(timer, 0, &soon, NULL) == 0 && read(timer, &number, sizeof number) > 0);
    sigset_t set;
    struct signalfd_siginfo arrived;
    sigemptyset(&set), sigaddset(&set, SIGUSR1), sigprocmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, 0);
    TRY("signalfd", kill(getpid(), SIGUSR1) == 0 && read(signals, &arrived, sizeof arrived) == sizeof arrived);
    int word = 1;
    struct timespec moment = {0, 1000000};
    TRY("futex", syscall(SYS_futex, &word, 0, 1, &moment, NULL, 0) < 0 && errno == ETIMEDOUT);
    TRY("pipe", pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], "x", 1) == 1 && read(ends[0], text, 1) == 1);
    TRY("descriptor", pass_descriptor());
    pthread_t threads[4];
    int ran = 0;
    for (int i = 0; i < 4; i++)
        TRY("thread", pthread_create(&threads[i], NULL, count_up, &ran) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    TRY("threads", ran == 4);
    FILE *command = popen("echo hi", "r");
    TRY("popen", command && fgets(text, sizeof text, command) && !strcmp(text, "hi\n") && pclose(command) == 0);
    TRY("getpwuid", getpwuid(getuid()));
    TRY("clock", clock() != (clock_t)-1);
    TRY("getrandom", getrandom(text, sizeof text, 0) == sizeof text);
    int memory = memfd_create("ordinary", MFD_CLOEXEC);
    TRY("memfd_create", memory >= 0 && ftruncate(memory, PAGE) == 0 && write(memory, "x", 1) == 1);
    char *block = mremap(pages(4 * MB), 4 * MB, 8 * MB, MREMAP_MAYMOVE);
    TRY("mremap", block != MAP_FAILED);
    TRY("MADV_DONTNEED", madvise(block, 8 * MB, MADV_DONTNEED) == 0);
    TRY("MADV_HUGEPAGE", madvise(block, 8 * MB, MADV_HUGEPAGE) == 0);
    memset(block, 1, 8 * MB);
    TRY("MADV_FREE", madvise(block, 8 * MB, MADV_FREE) == 0);
    cpu_set_t cores;
    TRY("sched_getaffinity", sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0);
    errno = 0;
    TRY("nice", nice(1) != -1 || errno == 0);
    pid_t child;
    int status = -1;
    char *words[] = {"true", NULL};
    TRY("posix_spawn", posix_spawnp(&child, "true", NULL, NULL, words, environ) == 0);
    TRY("spawned", waitpid(child, &status, 0) == child && status == 0);
    int shared = shm_open("/agon-escapes", O_RDWR | O_CREAT, 0600);
    TRY("shm_open", shared >= 0 && ftruncate(shared, PAGE) == 0 && shm_unlink("/agon-escapes") == 0);
    sem_t *semaphore = sem_open("/agon-escapes", O_CREAT, 0600, 1);
    TRY("sem_open", semaphore != SEM_FAILED && sem_wait(semaphore) == 0 && sem_unlink("/agon-escapes") == 0);
    int segment = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
    char *attached = shmat(segment, NULL, 0);
    TRY("shmget", attached != (char *)-1 && (*attached = 1) && shmctl(segment, IPC_RMID, NULL) == 0);
    int semaphores = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    struct sembuf up = {0, 1, 0};
    TRY("semget", semop(semaphores, &up, 1) == 0 && semctl(semaphores, 0, IPC_RMID) == 0);
    /* Last, because it needs a writable /tmp, whatever TMPDIR is. */
    FILE *file = tmpfile();
    TRY("tmpfile", file && fputs("x", file) >= 0 && fclose(file) == 0);
    return NULL;
}

static void on_signal(int signal) {
    (void)signal;
}

int main(int count, char **words) {
    double start = cpu(CLOCK_MONOTONIC);
    const char *what = count > 1 ? words[1] : "";
    const char *with = count > 2 ? words[2] : "";
#define IS(name) (!strcmp(what, name))
    /* A time limit for all behaviors, contained or not. */
    alarm(20);

    /* BPF programs. */
    if (IS("socket_filter")) {
        say(attach(SO_ATTACH_FILTER) ? "attached\n" : "sat\n");
    } else if (IS("reuseport_filter")) {
        say(attach(SO_ATTACH_REUSEPORT_CBPF) ? "attached\n" : "sat\n");
    } else if (IS("stacked_filters")) {
        /* Each filter makes every later system call slower, and nothing limits the filters of a process tree. */
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        int call = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
        int option = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
        say(call || option ? "stacked\n" : "sat\n");

        /* Files. */
    } else if (IS("unnamed_file_rises")) {
        /* A file that gets its mode before it has a name. */
        struct stat about = {0};
        char name[64];
        umask(0);
        unlink("risen");
        int fd = open(".", O_TMPFILE | O_WRONLY, 06755);
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        linkat(AT_FDCWD, name, AT_FDCWD, "risen", AT_SYMLINK_FOLLOW);
        stat("risen", &about);
        say(about.st_mode & 06000 ? "risen\n" : "sat\n");
        unlink("risen");
    } else if (IS("deep_tree")) {
        /* Deeper than PATH_MAX, with a pipe and a link as traps for the process that removes it. */
        for (int i = 0; i < 3000; i++)
            if (mkdir("deep", 0755) < 0 || chdir("deep") < 0)
                break;
        mkfifo("pipe", 0666);
        if (symlink("/etc/shadow", "link") < 0)
            return 3;
        say("sat\n");
    } else if (IS("lease")) {
        /* While it holds a lease, opening the file for writing blocks for up to 45 s. */
        int fd = open(with, O_RDONLY);
        int reads = fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
        int writes = fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
        fcntl(fd, F_SETLEASE, F_UNLCK);
        say(reads || writes ? "leased\n" : "sat\n");
    } else if (IS("directory_notice")) {
        int fd = open(".", O_RDONLY | O_DIRECTORY);
        signal(SIGIO, SIG_IGN);
        say(fcntl(fd, F_NOTIFY, DN_CREATE | DN_MODIFY) == 0 ? "noticed\n" : "sat\n");
    } else if (IS("inotify")) {
        /* A user may have 128 instances, across all namespaces. */
        int made = 0;
        for (int i = 0; i < 200; i++)
            made += inotify_init1(IN_CLOEXEC) >= 0;
        say(made ? "watching\n" : "sat\n");
    } else if (IS("read_secrets")) {
        const char *files[] = {"/etc/shadow",      "/root/.profile",  "/root/.bashrc", "/proc/kpagecount",
                               "/proc/kpageflags", "/proc/1/environ", "/proc/1/mem",   "/proc/kcore"};
        int found = 0;
        for (int i = 0; i < 8; i++)
            if (can_read(files[i]))
                printf("%s\n", files[i]), found++;
        DIR *directory = opendir("/root");
        struct dirent *item;
        while (directory && (item = readdir(directory)))
            if (strcmp(item->d_name, ".") && strcmp(item->d_name, ".."))
                printf("/root/%s\n", item->d_name), found++;
        puts(found ? "read" : "sat");
    } else if (IS("file_locks")) {
        /* Kernel memory that may not be charged to any process. */
        say(lock_bytes(F_SETLK) > 30000 ? "locked\n" : "sat\n");
    } else if (IS("open_file_locks")) {
        say(lock_bytes(F_OFD_SETLK) > 30000 ? "locked\n" : "sat\n");
    } else if (IS("few_locks")) {
        /* Legitimate: locks as a database takes them. */
        int works = 1, commands[] = {F_SETLK, F_SETLKW, F_OFD_SETLK};
        int fd = open("locked", O_RDWR | O_CREAT, 0600);
        for (int command = 0; command < 3; command++) {
            for (int i = 0; i < 100; i++)
                works &= lock_byte(fd, commands[command], F_WRLCK, 2 * i);
            for (int i = 0; i < 100; i++)
                works &= lock_byte(fd, commands[command], F_UNLCK, 2 * i);
        }
        works &= flock(fd, LOCK_EX) == 0 && flock(fd, LOCK_UN) == 0;
        works &= flock(fd, LOCK_SH | LOCK_NB) == 0 && flock(fd, LOCK_UN) == 0;
        unlink("locked");
        say(works ? "sat\n" : "refused\n");
    } else if (IS("locks_again")) {
        /* Legitimate: takes and releases a lock more often than the maximum number of locks. */
        int works = 1, fd = open("locked", O_RDWR | O_CREAT, 0600);
        for (int i = 0; i < 10000 && works; i++)
            works = lock_byte(fd, F_SETLK, F_WRLCK, 0) && lock_byte(fd, F_SETLK, F_UNLCK, 0);
        say(works ? "sat\n" : "refused\n");
    } else if (IS("host_fifo")) {
        /* A named pipe can be written to even on a read-only file system. */
        char file[4096];
        snprintf(file, sizeof file, "%s/fifo", with);
        signal(SIGPIPE, SIG_IGN);
        int out = open(file, O_WRONLY | O_NONBLOCK);
        int is_written = out >= 0 && write(out, "escaped\n", 8) > 0;
        /* Data read here is lost to its intended reader. */
        int in = open(file, O_RDONLY | O_NONBLOCK);
        char block[16];
        int is_read = in >= 0 && (is_written || read(in, block, sizeof block) >= 0 || errno == EAGAIN);
        say(is_written ? "written\n" : is_read ? "read\n" : "sat\n");
    } else if (IS("mounted_twice")) {
        /* A hidden directory may be visible at another mount point. */
        char file[4096];
        snprintf(file, sizeof file, "%s/secret", with);
        say(open(file, O_RDONLY | O_NONBLOCK) >= 0 ? "read\n" : "sat\n");
    } else if (IS("sync_disks")) {
        /* Slows down the writes of all other processes. */
        int fd = open("/", O_RDONLY | O_DIRECTORY);
        for (int i = 0; i < 50; i++)
            sync();
        syncfs(fd);
        say("sat\n");
    } else if (IS("drop_cache")) {
        /* The next process to read the file has to fetch it from disk. */
        struct stat about = {0};
        int fd = open(with, O_RDONLY);
        fstat(fd, &about);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        void *memory = mmap(NULL, about.st_size ? about.st_size : 1, PROT_READ, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED)
            madvise(memory, about.st_size, 21 /* MADV_PAGEOUT */);
        say("sat\n");
    } else if (IS("other_groups")) {
        say(read_groups("/sys/fs/cgroup", 4) ? "read\n" : "sat\n");

        /* Process 1, which supervises the run, and other processes. */
    } else if (IS("limit_first_process")) {
        /* Without descriptors and CPU time, process 1 could neither measure nor kill anything. */
        struct rlimit files = {0, 0}, time = {1, 1};
        pid_t others[] = {1, getppid()};
        int limited = 0;
        for (int i = 0; i < 2 && is_contained(); i++)
            if (others[i] > 0 && others[i] != getpid()) {
                limited |= syscall(SYS_prlimit64, others[i], RLIMIT_NOFILE, &files, NULL) == 0;
                limited |= syscall(SYS_prlimit64, others[i], RLIMIT_CPU, &time, NULL) == 0;
            }
        /* Gives process 1 an orphan to reap, to see whether it still works. */
        if (fork() == 0) {
            if (fork() == 0)
                usleep(1000);
            _exit(0);
        }
        wait(NULL);
        usleep(200000);
        say(limited ? "limited\n" : is_contained() ? "sat\n" : "uncontained\n");
    } else if (IS("limits_of_others")) {
        /* Legitimate: a process may read and change its own limits, whether or not it may touch those of others. */
        struct rlimit old;
        pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        syscall(SYS_prlimit64, child, RLIMIT_NOFILE, NULL, &old);
        int works = syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &old) == 0;
        works &= syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &old, NULL) == 0;
        works &= getrlimit(RLIMIT_STACK, &old) == 0;
        old.rlim_cur = 4 * MB;
        works &= setrlimit(RLIMIT_STACK, &old) == 0;
        kill(child, SIGKILL);
        wait(NULL);
        say(works ? "sat\n" : "refused\n");
    } else if (IS("signal_first")) {
        /* Floods process 1 with a signal that it waits for. */
        siginfo_t about = {.si_signo = SIGCHLD, .si_code = SI_QUEUE};
        int process = syscall(SYS_pidfd_open, 1, 0), directory = open("/proc/1", O_RDONLY | O_DIRECTORY);
        int sent = 0;
        for (int i = 0; i < 200000; i++) {
            sent |= kill(1, SIGCHLD) == 0;
            sent |= syscall(SYS_tkill, 1, SIGCHLD) == 0;
            sent |= syscall(SYS_rt_sigqueueinfo, 1, SIGCHLD, &about) == 0;
            sent |= syscall(SYS_pidfd_send_signal, process, SIGCHLD, NULL, 0) == 0;
            sent |= syscall(SYS_pidfd_send_signal, directory, SIGCHLD, NULL, 0) == 0;
        }
        say(sent ? "signaled\n" : "sat\n");
    } else if (IS("signal_by_io")) {
        /* A pipe that sends process 1 a signal whenever it becomes readable. */
        int ends[2];
        struct f_owner_ex owner = {F_OWNER_PID, 1};
        char byte;
        if (pipe(ends) < 0)
            return 3;
        signal(SIGCHLD, SIG_IGN);
        int owned = fcntl(ends[0], F_SETOWN, 1) == 0;
        owned |= fcntl(ends[0], F_SETOWN_EX, &owner) == 0;
        owned |= fcntl(ends[0], F_SETSIG, SIGCHLD) == 0;
        fcntl(ends[0], F_SETFL, O_ASYNC);
        for (int i = 0; i < 1000; i++)
            if (write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1)
                break;
        say(owned ? "signaled\n" : "sat\n");
    } else if (IS("other_processes")) {
        DIR *directory = opendir("/proc");
        struct dirent *item;
        int others = can_read("/proc/1/cmdline");
        while (directory && (item = readdir(directory))) {
            int pid = atoi(item->d_name);
            others += pid > 1 && pid != getpid();
        }
        say(others ? "seen\n" : "sat\n");
    } else if (IS("trace_me")) {
        /* Legitimate: only checks whether it is being traced. */
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        signal(SIGUSR1, on_signal);
        raise(SIGUSR1);
        say("sat\n");
    } else if (IS("trace_me_and_stop")) {
        /* Its parent would have to resume it, and would be notified of every signal. */
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        burn(60);
    } else if (IS("trace_child")) {
        /* Legitimate: traces its child as a debugger does. */
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
                _exit(1);
            raise(SIGSTOP);
            _exit(7);
        }
        int works = waitpid(child, &status, 0) == child && WIFSTOPPED(status);
        works = works && ptrace(PTRACE_CONT, child, 0, 0) == 0 && waitpid(child, &status, 0) == child;
        say(works && WIFEXITED(status) && WEXITSTATUS(status) == 7 ? "sat\n" : "refused\n");
    } else if (IS("trace_to_the_end")) {
        /* Two processes that do this to each other can no longer be killed. Here, the child is released immediately. */
        pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        int traced = ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACEEXIT) == 0;
        if (!traced && ptrace(PTRACE_SEIZE, child, 0, 0) == 0)
            traced = ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACEEXIT) == 0;
        ptrace(PTRACE_DETACH, child, 0, 0);
        kill(child, SIGKILL);
        say(traced ? "traced\n" : "sat\n");
    } else if (IS("orphan_storm")) {
        /* Process 1 has to reap them all and still enforce the time limits. */
        while (cpu(CLOCK_MONOTONIC) - start < 1.5) {
            for (int i = 0; i < 20; i++)
                if (fork() == 0) {
                    for (int j = 0; j < 3; j++)
                        if (fork() == 0)
                            _exit(0);
                    _exit(0);
                }
            while (wait(NULL) > 0)
                ;
        }
        say("sat\n");

        /* Time. */
    } else if (IS("many_sessions")) {
        /* The supervisor gets only one of about 150 CPU shares, and still must not accept a late answer. */
        sessions(150);
        sleep_until(start + 1.15);
        say("sat\n");
        burn(60);
    } else if (IS("sessions_cpu")) {
        sessions(150);
        burn(60);
    } else if (IS("late_end")) {
        /* Exits by itself before the supervisor is scheduled. */
        sessions(150);
        sleep_until(start + 1.3);
        say("sat\n");
    } else if (IS("single_bytes")) {
        /* Reading single bytes costs more than writing them. */
        for (int i = 0; i < 90000 && cpu(CLOCK_MONOTONIC) - start < 2; i++) {
            say("x");
            sched_yield();
        }
        say("\nsat\n");
    } else if (IS("raise_nice")) {
        struct sched_param high = {.sched_priority = 1};
        struct {
            uint32_t size, policy;
            uint64_t flags;
            int32_t nice;
            uint32_t priority;
            uint64_t runtime, deadline, period;
        } deadline = {48, 6, 0, 0, 0, 10000000, 20000000, 20000000};
        cpu_set_t cores;
        CPU_ZERO(&cores);
        CPU_SET(0, &cores);
        int raised = setpriority(PRIO_PROCESS, 0, -5) == 0;
        raised |= sched_setscheduler(0, SCHED_FIFO, &high) == 0;
        raised |= sched_setscheduler(0, SCHED_RR, &high) == 0;
        raised |= syscall(SYS_sched_setattr, 0, &deadline, 0) == 0;
        raised |= syscall(SYS_ioprio_set, 1, 0, 1 << 13) == 0;
        /* Slowing down process 1 would have the same effect. */
        raised |= is_contained() && setpriority(PRIO_PROCESS, 1, 19) == 0;
        raised |= is_contained() && sched_setaffinity(1, sizeof cores, &cores) == 0;
        say(raised ? "raised\n" : "sat\n");

        /* Memory, and kernel objects that use memory. */
    } else if (IS("timers")) {
        struct sigevent quiet = {.sigev_notify = SIGEV_NONE};
        timer_t timer;
        int made = 0;
        for (int i = 0; i < 5000; i++)
            made += timer_create(CLOCK_MONOTONIC, &quiet, &timer) == 0;
        say(made > 4000 ? "timed\n" : "sat\n");
    } else if (IS("aio")) {
        /* The number of requests is limited for the whole machine. */
        unsigned long context = 0;
        int works = syscall(SYS_io_setup, 1000, &context) == 0;
        if (works)
            syscall(SYS_io_destroy, context);
        say(works ? "aio\n" : "sat\n");
    } else if (IS("queues")) {
        mqd_t queue = mq_open("/agon-escapes", O_RDWR | O_CREAT, 0600, NULL);
        mq_unlink("/agon-escapes");
        say(queue >= 0 ? "queued\n" : "sat\n");
    } else if (IS("pipes")) {
        int ends[2];
        say(pipe(ends) == 0 && fcntl(ends[0], F_SETPIPE_SZ, MB) >= MB ? "enlarged\n" : "sat\n");
    } else if (IS("memory_policy")) {
        /* A policy for every second page splits a mapping into a thousand. */
        unsigned long node = 1;
        char *memory = pages(1000 * PAGE);
        int bound = 0;
        for (int i = 0; i < 1000; i += 2)
            bound |= syscall(SYS_mbind, memory + i * PAGE, PAGE, 1 /* MPOL_PREFERRED */, &node, 64, 0) == 0;
        bound |= syscall(SYS_set_mempolicy, 1, &node, 64) == 0;
        say(bound ? "bound\n" : "sat\n");
    } else if (IS("named_memory")) {
        say(prctl(0x53564d41 /* PR_SET_VMA */, 0, pages(PAGE), PAGE, "escapes") == 0 ? "named\n" : "sat\n");
    } else if (IS("huge_pages")) {
        /* Huge pages are accounted separately from other memory. */
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB;
        char *memory = mmap(NULL, 2 * MB, PROT_READ | PROT_WRITE, flags, -1, 0);
        int file = memfd_create("huge", MFD_HUGETLB);
        int segment = shmget(IPC_PRIVATE, 2 * MB, IPC_CREAT | SHM_HUGETLB | 0600);
        if (memory != MAP_FAILED)
            *memory = 1;
        if (segment >= 0)
            shmctl(segment, IPC_RMID, NULL);
        say(memory != MAP_FAILED || file >= 0 || segment >= 0 ? "huge\n" : "sat\n");
    } else if (IS("core_helper")) {
        /* With a limit of 0 instead of 1, the kernel starts the machine's core dump helper anyway. */
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        abort();
    } else if (IS("raised_core")) {
        struct rlimit core;
        getrlimit(RLIMIT_CORE, &core);
        say(core.rlim_max > 1 ? "large\n" : "sat\n");

        /* Sockets. */
    } else if (IS("rare_sockets")) {
        int pair[2];
        int opened = socket(AF_INET, SOCK_STREAM, 132 /* SCTP */) >= 0;
        opened |= socket(AF_NETLINK, SOCK_RAW, 2 /* USERSOCK */) >= 0;
        opened |= socketpair(30 /* TIPC */, SOCK_SEQPACKET, 0, pair) == 0;
        opened |= socket(38 /* ALG */, SOCK_SEQPACKET, 0) >= 0;
        say(opened ? "opened\n" : "sat\n");
    } else if (IS("datagram_out")) {
        /* A socket from a socketpair works like a new one, and can send to a path on which another process listens. */
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        int pair[2];
        snprintf(address.sun_path, sizeof address.sun_path, "%s/listener", with);
        int sent = socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 &&
                   sendto(pair[0], "escaped", 7, 0, (struct sockaddr *)&address, sizeof address) == 7;
        int paired = socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
        say(sent ? "sent\n" : paired ? "sat\n" : "refused\n");
    } else if (IS("many_sockets")) {
        /* Each socket has buffers whose memory may not be charged to any process. */
        int kinds[] = {AF_NETLINK, AF_INET, AF_INET6}, opened = 0;
        for (int i = 0; i < 1500; i++)
            opened += socket(kinds[i % 3], i % 3 ? SOCK_STREAM : SOCK_RAW, 0) >= 0;
        say(opened > 1000 ? "opened\n" : "sat\n");
    } else if (IS("sockets_again")) {
        /* Legitimate: closes every socket that it opens. */
        int works = 1;
        for (int i = 0; i < 500; i++) {
            int fd = socket(AF_INET, SOCK_STREAM, 0);
            works &= fd >= 0;
            close(fd);
        }
        say(works ? "sat\n" : "refused\n");
    } else if (IS("socket_options")) {
        /* A connection to itself is legitimate; the options reach kernel code that no solver needs. */
        int ends[2], works = loopback(ends), datagrams = socket(AF_INET, SOCK_DGRAM, 0);
        struct ip_mreq group;
        group.imr_multiaddr.s_addr = inet_addr("224.0.0.251"), group.imr_interface.s_addr = htonl(INADDR_LOOPBACK);
        struct tcp_md5sig key = {.tcpm_keylen = 1, .tcpm_key = "x"};
        struct sockaddr_in *peer = (struct sockaddr_in *)&key.tcpm_addr;
        peer->sin_family = AF_INET, peer->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int set = setsockopt(datagrams, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) == 0;
        set |= setsockopt(ends[0], IPPROTO_TCP, TCP_ULP, "tls", 3) == 0;
        set |= setsockopt(socket(AF_INET, SOCK_STREAM, 0), IPPROTO_TCP, TCP_MD5SIG, &key, sizeof key) == 0;
        say(set ? "set\n" : works ? "sat\n" : "refused\n");

        /* System calls that are too new or too rare to be on a deny list. */
    } else if (IS("new_calls")) {
        int answered = 0;
        for (int call = 470; call <= 600; call++)
            if (syscall(call, 0, 0, 0, 0, 0, 0) >= 0 || errno != ENOSYS)
                printf("%d\n", call), answered++;
        static struct {
            unsigned int length;
            int type;
            char handle[128];
        } handle = {.length = 128};
        uint64_t all[] = {24, ~0UL, 0}, one[] = {24, 0, 2}, results[512], length = sizeof results, range[] = {0, 0};
        char *memory = pages(PAGE);
        struct iovec part = {memory, PAGE};
        struct statx about = {0};
        int self = syscall(SYS_pidfd_open, getpid(), 0), directory = open(".", O_RDONLY | O_DIRECTORY), mount;
        int file = open("/proc/self/exe", O_RDONLY);
        statx(AT_FDCWD, ".", 0, 0x4000 /* STATX_MNT_ID_UNIQUE */, &about);
        one[1] = about.stx_mnt_id;
        syscall(SYS_name_to_handle_at, AT_FDCWD, ".", &handle, &mount, 0);
#define CALL(number, ...)                                                                                              \
    if (syscall(number, __VA_ARGS__) >= 0)                                                                             \
    printf("%s\n", #number), answered++
        CALL(467 /* open_tree_attr */, AT_FDCWD, ".", 0, NULL, 0);
        CALL(457 /* statmount */, one, results, sizeof results, 0);
        CALL(458 /* listmount */, all, results, 512, 0);
        CALL(447 /* memfd_secret */, 0);
        CALL(451 /* cachestat */, file, range, results, 0);
        CALL(444 /* landlock_create_ruleset */, NULL, 0, 1);
        CALL(461 /* lsm_list_modules */, results, &length, 0);
        CALL(440 /* process_madvise */, self, &part, 1, 20 /* MADV_COLD */, 0);
        CALL(438 /* pidfd_getfd */, self, 1, 0);
        CALL(SYS_open_by_handle_at, directory, &handle, O_RDONLY);
        CALL(SYS_fanotify_init, 0x200 /* FAN_REPORT_FID */, O_RDONLY);
        CALL(SYS_kcmp, getpid(), getpid(), 0, 0, 1);
        CALL(212 /* lookup_dcookie */, 0, results, sizeof results);
        puts(answered ? "answered" : "sat");

        /* No misbehavior. */
    } else if (IS("ordinary")) {
        const char *failed = ordinary();
        say(failed ? failed : "sat");
        say("\n");
    } else {
        fprintf(stderr, "unknown behavior '%s'\n", what);
        return 2;
    }
    return 0;
}
