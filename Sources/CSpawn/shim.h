#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// unistd.h declares this only with _GNU_SOURCE, which Swift's module of the C library does not have.
int pipe2(int ends[2], int flags);

/// Starts a program in a process group of its own, with no other descriptor than its standard input, which is `input`,
/// and an output to /dev/null. The kernel kills it when the thread that has started it ends, also if this process is
/// killed. That is what posix_spawn cannot do.
/// Returns 0, or errno.
static inline int odograph_spawn_bound(
    pid_t *identifier, const char *path, char *const arguments[], char *const environment[], int input)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        // Only calls that are allowed between fork and exec in a program with threads.
        struct sigaction usual = {0};
        usual.sa_handler = SIG_DFL;
        for (int number = 1; number <= 64; number++) sigaction(number, &usual, NULL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // The parent has ended before prctl.
        if (getppid() != parent) _exit(127);
        int output = open("/dev/null", O_WRONLY);
        if (dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2) {
            if (report[1] > 3) syscall(SYS_close_range, 3u, (unsigned)report[1] - 1, 0u);
            syscall(SYS_close_range, (unsigned)report[1] + 1, ~0u, 0u);
            execve(path, arguments, environment);
        }
        int reason = errno;
        if (write(report[1], &reason, sizeof reason) < 0) _exit(126);
        _exit(127);
    }
    int reason = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        ssize_t count;
        do count = read(report[0], &reason, sizeof reason);
        while (count < 0 && errno == EINTR);
        if (count == sizeof reason) {
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        } else {
            reason = 0;
            // The group exists before anybody kills it.
            setpgid(child, child);
            *identifier = child;
        }
    }
    close(report[0]);
    return reason;
}
