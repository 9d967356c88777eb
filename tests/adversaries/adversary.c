/* Solvers that misbehave: the argument selects the behavior. Each does its worst and, if it can, reports on stdout
 * whether it succeeded; "sat" means that it did not, or that there was nothing to attack.
 * Compile with -pthread. Usage: adversary BEHAVIOR [ARGUMENT…] */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MB = 1 << 20 };

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

static void *burn_thread(void *seconds) {
    burn(*(double *)seconds);
    return NULL;
}

static char *take(size_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(3);
    memset(memory, 1, bytes);
    return memory;
}

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0)
        _exit(4);
}

static void fill(const char *file, long megabytes) {
    static char block[MB];
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    long written = 0;
    while (written < megabytes && write(fd, block, MB) == MB)
        written++;
    close(fd);
}

static void on_term(int signal) {
    (void)signal;
    say("sat\n");
    _exit(0);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    const char *with = count > 2 ? words[2] : "";
#define IS(name) (!strcmp(what, name))

    /* Time. */
    if (IS("exact")) {
        burn(0.3);
        say("sat\n");
    } else if (IS("burn")) {
        burn(60);
    } else if (IS("ignore_term")) {
        signal(SIGTERM, SIG_IGN);
        burn(60);
    } else if (IS("threads")) {
        double seconds = 60;
        pthread_t threads[8];
        for (int i = 0; i < 8; i++)
            pthread_create(&threads[i], NULL, burn_thread, &seconds);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
    } else if (IS("two_cores")) {
        fork();
        burn(60);
    } else if (IS("sleep")) {
        sleep(60);
    } else if (IS("stop_itself")) {
        raise(SIGSTOP);
        burn(60);
    } else if (IS("orphan_burns")) {
        if (fork() == 0) {
            setsid();
            if (fork() == 0)
                burn(60);
            _exit(0);
        }
        wait(NULL);
        sleep(60);
    } else if (IS("short_orphans")) {
        /* One second of CPU time in processes whose parents have exited. */
        for (int i = 0; i < 50; i++) {
            if (fork() == 0) {
                if (fork() == 0) {
                    burn(0.02);
                    _exit(0);
                }
                _exit(0);
            }
            wait(NULL);
            usleep(25000);
        }
        say("sat\n");
    } else if (IS("zombies")) {
        for (int i = 0; i < 50; i++)
            if (fork() == 0) {
                burn(0.02);
                _exit(0);
            }
        usleep(2500000);
        say("sat\n");
    } else if (IS("unwaited")) {
        /* With SIGCHLD ignored, the children's times are not added to the parent's. */
        signal(SIGCHLD, SIG_IGN);
        for (int i = 0; i < 10; i++) {
            if (fork() == 0) {
                burn(0.1);
                _exit(0);
            }
        }
        while (wait(NULL) > 0)
            ;
        say("sat\n");
    } else if (IS("vanishing_threads")) {
        double seconds = 0.01;
        for (int i = 0; i < 100; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, burn_thread, &seconds);
            pthread_join(thread, NULL);
        }
        say("sat\n");

        /* Processes that try to outlive the run, or to harm others. */
    } else if (IS("fork_bomb")) {
        for (;;)
            if (fork() < 0)
                usleep(1000);
    } else if (IS("daemon")) {
        if (fork() == 0) {
            setsid();
            if (fork() == 0) {
                close(0), close(1), close(2);
                sleep(600);
            }
            _exit(0);
        }
        wait(NULL);
        say("sat\n");
    } else if (IS("escape_session")) {
        if (fork() == 0) {
            setsid();
            setpgid(0, 0);
            burn(60);
            _exit(0);
        }
        sleep(60);
    } else if (IS("kill_all")) {
        kill(-1, SIGKILL);
        say("sat\n");
    } else if (IS("kill_parent")) {
        kill(getppid(), SIGKILL);
        for (int pid = 1; pid < 400000; pid++)
            if (pid != getpid())
                kill(pid, SIGKILL);
        say("sat\n");
    } else if (IS("stop_parent")) {
        kill(getppid(), SIGSTOP);
        for (int pid = 1; pid < 400000; pid++)
            if (pid != getpid())
                kill(pid, SIGSTOP);
        burn(60);
    } else if (IS("trace_parent")) {
        say(ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0 ? "traced\n" : "sat\n");
    } else if (IS("fork_on_term")) {
        /* Forks and exits forever, so that the pid keeps changing. */
        for (;;) {
            if (fork() == 0)
                continue;
            _exit(0);
        }

        /* Memory. */
    } else if (IS("hog")) {
        for (;;)
            take(10 * MB);
    } else if (IS("spike")) {
        take(600L * MB);
        say("sat\n");
    } else if (IS("many_hogs")) {
        for (int i = 0; i < 8; i++)
            if (fork() == 0) {
                take(50 * MB);
                sleep(60);
                _exit(0);
            }
        sleep(60);
    } else if (IS("share")) {
        char *memory = mmap(NULL, 120 * MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        memset(memory, 1, 120 * MB);
        for (int i = 0; i < 4; i++)
            if (fork() == 0) {
                for (int at = 0; at < 120 * MB; at += 4096)
                    memory[at]++;
                _exit(0);
            }
        while (wait(NULL) > 0)
            ;
        say("sat\n");
    } else if (IS("reserve")) {
        void *memory = mmap(NULL, 64L << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        say(memory == MAP_FAILED ? "refused\n" : "sat\n");
    } else if (IS("use")) {
        take(atol(with) * MB);
        usleep(400000);
        say("sat\n");
    } else if (IS("shared_segment")) {
        /* Shared memory that outlives its processes unless it is removed explicitly. */
        int id = shmget(0x4147, 50 * MB, IPC_CREAT | 0600);
        char *memory = shmat(id, NULL, 0);
        if (memory != (char *)-1)
            memset(memory, 1, 50 * MB);
        say("sat\n");
    } else if (IS("read_much")) {
        /* Page cache must not count as exhausted memory. */
        fill("cache", 80);
        char block[65536];
        for (int round = 0; round < 3; round++) {
            int fd = open("cache", O_RDONLY);
            while (read(fd, block, sizeof block) > 0)
                ;
            close(fd);
        }
        say("sat\n");

        /* Output. */
    } else if (IS("flood")) {
        char block[65536];
        memset(block, 'x', sizeof block);
        for (long i = 0; i < 16384 && write(1, block, sizeof block) > 0; i++)
            ;
    } else if (IS("flood_errors")) {
        char block[65536];
        memset(block, 'x', sizeof block);
        say("sat\n");
        for (long i = 0; i < 16384 && write(2, block, sizeof block) > 0; i++)
            ;
    } else if (IS("flood_files")) {
        fill("big-1", 1024);
        fill("big-2", 1024);
        say("sat\n");
    } else if (IS("many_files")) {
        char name[64];
        for (int i = 0; i < 100000; i++) {
            snprintf(name, sizeof name, "left-%d", i);
            int fd = open(name, O_WRONLY | O_CREAT, 0600);
            if (fd < 0)
                break;
            close(fd);
        }
        say("sat\n");
    } else if (IS("sat_then_hang")) {
        say("sat\n");
        sleep(60);
    } else if (IS("sat_after_term")) {
        signal(SIGTERM, on_term);
        for (;;)
            pause();
    } else if (IS("half_line")) {
        say("uns");
        sleep(60);
    } else if (IS("close_output")) {
        say("sat\n");
        close(1), close(2);
        burn(60);
    } else if (IS("no_reader")) {
        signal(SIGPIPE, SIG_IGN);
        say("sat\n");
        char block[65536] = {0};
        for (;;)
            if (write(1, block, sizeof block) < 0)
                usleep(1000);

        /* Escapes. */
    } else if (IS("write_outside")) {
        const char *places[] = {"/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/local", "/run", with};
        char file[4096];
        for (int i = 0; i < 7; i++) {
            snprintf(file, sizeof file, "%s/agon-adversary", places[i]);
            fill(file, 0);
        }
        say("sat\n");
    } else if (IS("remount")) {
        mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL);
        mount("none", "/mnt", "tmpfs", 0, NULL);
        unshare(CLONE_NEWUSER | CLONE_NEWNS);
        mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL);
        umount2("/run", MNT_DETACH);
        char file[4096];
        snprintf(file, sizeof file, "%s/agon-adversary", with);
        fill(file, 0);
        say("sat\n");
    } else if (IS("new_namespace")) {
        int flags = CLONE_NEWUSER | SIGCHLD;
        say(unshare(CLONE_NEWUSER) == 0 || syscall(SYS_clone, flags, 0, 0, 0, 0) >= 0 ? "escaped\n" : "sat\n");
    } else if (IS("devices")) {
        /* Every device that can be opened for writing, except the harmless ones. */
        DIR *directory = opendir("/dev");
        struct dirent *item;
        const char *fine[] = {"null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "fd", "shm"};
        int found = 0;
        while (directory && (item = readdir(directory))) {
            int is_fine = item->d_name[0] == '.';
            for (int i = 0; i < 10; i++)
                is_fine |= !strcmp(item->d_name, fine[i]);
            char file[512];
            snprintf(file, sizeof file, "/dev/%s", item->d_name);
            int fd = is_fine ? -1 : open(file, O_RDWR | O_NONBLOCK | O_NOCTTY);
            if (fd >= 0)
                printf("%s\n", file), found++;
        }
        puts(found ? "opened" : "sat");
    } else if (IS("kernel_settings")) {
        int fd = open("/proc/sys/kernel/core_pattern", O_WRONLY);
        int other = open("/proc/sysrq-trigger", O_WRONLY);
        say(fd >= 0 || other >= 0 ? "opened\n" : "sat\n");
    } else if (IS("write_input")) {
        struct stat about;
        fstat(0, &about);
        int fd = S_ISREG(about.st_mode) ? open("/proc/self/fd/0", O_WRONLY | O_TRUNC) : -1;
        say(fd >= 0 || fchmod(0, 0600) == 0 ? "changed\n" : "sat\n");
    } else if (IS("rights_of_devices")) {
        say(chmod("/dev/full", 0666) == 0 || chmod("/dev/null", 0666) == 0 ? "changed\n" : "sat\n");
    } else if (IS("rise")) {
        /* A set-user-ID program. */
        struct stat about = {0};
        close(open("risen", O_CREAT | O_WRONLY, 04755));
        chmod("risen", 04755);
        syscall(SYS_fchmodat, AT_FDCWD, "risen", 06755);
        stat("risen", &about);
        say(about.st_mode & 06000 ? "risen\n" : "sat\n");
    } else if (IS("other_sockets")) {
        /* Socket families that a network namespace does not isolate. */
        int unix_one = socket(AF_UNIX, SOCK_STREAM, 0), machine = socket(40, SOCK_STREAM, 0);
        say(unix_one >= 0 || machine >= 0 ? "opened\n" : "sat\n");
    } else if (IS("connect")) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(with))};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        say(connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? "connected\n" : "sat\n");
    } else if (IS("abstract_socket")) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strncpy(address.sun_path + 1, with, sizeof address.sun_path - 2);
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        socklen_t length = sizeof(sa_family_t) + 1 + strlen(with);
        say(connect(fd, (struct sockaddr *)&address, length) == 0 ? "connected\n" : "sat\n");
    } else if (IS("leave_group")) {
        const char *files[] = {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs",
                               "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/cpuacct/cgroup.procs",
                               "/sys/fs/cgroup/pids/cgroup.procs"};
        for (int i = 0; i < 5; i++) {
            int fd = open(files[i], O_WRONLY);
            if (fd >= 0 && write(fd, "0", 1) == 1)
                say("left\n");
        }
        burn(60);
    } else if (IS("spoof")) {
        /* Writes a forged report to every descriptor that was inherited by mistake. */
        for (int fd = 3; fd < 1024; fd++)
            if (write(fd, "real 0.0\nstatus ok\n", 19) > 0)
                say("spoofed\n");
        char name[64];
        for (int fd = 0; fd < 64; fd++) {
            snprintf(name, sizeof name, "/proc/1/fd/%d", fd);
            int other = open(name, O_WRONLY);
            if (other >= 0)
                say("spoofed\n");
        }
        say("sat\n");
    } else if (IS("privileges")) {
        int better = setpriority(PRIO_PROCESS, 0, -20) == 0;
        struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
        int core = setrlimit(RLIMIT_CORE, &more) == 0;
        int root = setuid(0) == 0 || setgid(0) == 0;
        int clock = clock_settime(CLOCK_REALTIME, &(struct timespec){1, 0}) == 0;
        int name = sethostname("x", 1) == 0;
        say(better || core || root || clock || name ? "privileged\n" : "sat\n");
    } else if (IS("other_cores")) {
        cpu_set_t all;
        memset(&all, 0xff, sizeof all);
        say(sched_setaffinity(0, sizeof all, &all) == 0 ? "spread\n" : "sat\n");
    } else if (IS("keyring")) {
        say(syscall(SYS_add_key, "user", "agon", "x", 1, -4) >= 0 ? "stored\n" : "sat\n");

        /* Forged endings. */
    } else if (IS("fake_timeout")) {
        raise(SIGXCPU);
    } else if (IS("fake_memory")) {
        raise(SIGKILL);
    } else if (IS("crash")) {
        say("sat\n");
        *(volatile int *)8 = 1;
    } else if (IS("abort")) {
        abort();
    } else {
        fprintf(stderr, "unknown behavior '%s'\n", what);
        return 2;
    }
    return 0;
}
