// libmosquitto 2.0.11 ends the process over some packets that no broker should send: the code for an MQTT 5 property that
// it does not know writes to a log that is not there, and an assert() finds that out. The library is built with its
// assertions, so what it asserts is caught here: the executable's __assert_fail goes before the C library's, and where the
// assertion is libmosquitto's own, made while it reads, it goes back to who asked it to read. Between the two there are
// frames of libmosquitto and nothing else, and it holds no lock: what is lost is the few bytes of one packet.
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
