// libmosquitto 2.0.11 aborts the process over some packets that no valid broker sends: its code for an unknown MQTT 5
// property writes to a log that is NULL, which an assert() detects. The library is built with assertions enabled. So this
// file replaces the C library's __assert_fail: if libmosquitto's own assertion fails while it reads a packet, control
// returns to the caller of the read. Only frames of libmosquitto are skipped, and it holds no lock: the only leak is the
// few bytes of one packet.
#define _GNU_SOURCE
#include "CMosquittoGuard.h"

#include <dlfcn.h>
#include <mosquitto.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf *way_back;

int odograph_mosquitto_loop_read(struct mosquitto *client) {
    jmp_buf here;
    if (setjmp(here) != 0) {
        way_back = NULL;
        return MOSQ_ERR_MALFORMED_PACKET;
    }
    way_back = &here;
    int code = mosquitto_loop_read(client, 1);
    way_back = NULL;
    return code;
}

static int is_of_library(const void *address) {
    Dl_info information;
    return dladdr(address, &information) != 0 && information.dli_fname != NULL &&
           strstr(information.dli_fname, "libmosquitto") != NULL;
}

__attribute__((visibility("default"), noreturn)) void __assert_fail(const char *assertion, const char *file,
                                                                    unsigned int line, const char *function) {
    if (way_back != NULL && is_of_library(__builtin_return_address(0))) longjmp(*way_back, 1);
    fprintf(stderr, "%s:%u: %s: assertion `%s' failed\n", file, line, function, assertion);
    abort();
}
