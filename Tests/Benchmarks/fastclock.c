// A library for LD_PRELOAD that makes the clocks of a program run CLOCK_SCALE times as fast, and its polls as much shorter.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

static double scale;
static struct timespec start[CLOCK_TAI + 1];
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_poll)(struct pollfd *, nfds_t, int);

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("CLOCK_SCALE");
    scale = text ? atof(text) : 1;
    real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    real_poll = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    for (clockid_t clock = 0; clock <= CLOCK_TAI; clock++) real_clock_gettime(clock, &start[clock]);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!real_clock_gettime) begin();
    int code = real_clock_gettime(clock, time);
    if (code != 0 || clock < 0 || clock > CLOCK_TAI) return code;
    double passed = (double)(time->tv_sec - start[clock].tv_sec) + (double)(time->tv_nsec - start[clock].tv_nsec) / 1e9;
    double scaled = passed * scale + (double)start[clock].tv_nsec / 1e9;
    time->tv_sec = start[clock].tv_sec + (time_t)scaled;
    time->tv_nsec = (long)((scaled - (double)(time_t)scaled) * 1e9);
    return 0;
}

int poll(struct pollfd *files, nfds_t count, int milliseconds) {
    if (!real_poll) begin();
    return real_poll(files, count, milliseconds < 0 ? milliseconds : (int)(milliseconds / scale + 0.999));
}
