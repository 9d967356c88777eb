/* A fake solver that answers every command immediately: queries with sat, everything else with success. */
#include <string.h>
#include <unistd.h>

int main(void) {
    char line[65536];
    for (;;) {
        ssize_t n = read(0, line, sizeof line - 1);
        if (n <= 0) return 0;
        line[n] = 0;
        if (strstr(line, "(exit)")) return 0;
        const char *answer = strstr(line, "check-sat") ? "sat\n" : "success\n";
        if (write(1, answer, strlen(answer)) < 0) return 1;
    }
}
