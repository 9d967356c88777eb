/* A lower bound for the cost of a session: writes a line and reads the answer. Usage: ping_pong SOLVER COUNT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int to[2], from[2];
    if (argc < 3 || pipe(to) || pipe(from)) return 1;
    if (fork() == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[0]), close(to[1]), close(from[0]), close(from[1]);
        execl(argv[1], argv[1], (char *)0);
        return 1;
    }
    close(to[0]);
    close(from[1]);
    static const char *lines[4] = {"(push 1)\n", "(assert true)\n", "(check-sat)\n", "(pop 1)\n"};
    char answer[256];
    for (long i = 0, n = atol(argv[2]); i < n; i++) {
        const char *line = lines[i % 4];
        if (write(to[1], line, strlen(line)) < 0) return 1;
        if (read(from[0], answer, sizeof answer) <= 0) return 1;
    }
    close(to[1]);
    wait(0);
    return 0;
}
