// libmosquitto 2.0.11 aborts the process over some packets that no valid broker sends: its code for an unknown MQTT 5
// property writes to a log that is NULL, which an assert() detects. The library is built with assertions enabled. So this
// file replaces the C library's __assert_fail: if libmosquitto's own assertion fails while it reads a packet, control
// returns to the caller of the read. Only frames of libmosquitto are skipped, and it holds no lock: the only leak is the
// few bytes of one packet.
//
// libmosquitto also resolves the broker's name itself, and its non-blocking connect tries only the first address. So this
// file replaces the C library's getaddrinfo: while libmosquitto connects, its name has the one address that the caller
// has chosen. All other calls go to the C library.
#define _GNU_SOURCE
#include "CMosquittoGuard.h"

#include <dlfcn.h>
#include <errno.h>
#include <mosquitto.h>
#include <netdb.h>
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

static _Thread_local const char *chosen_address;

int odograph_mosquitto_connect(struct mosquitto *client, const char *host, int port, int keep_alive,
                               const char *address) {
    chosen_address = address;
    int code = mosquitto_connect_bind_async(client, host, port, keep_alive, NULL);
    int error = errno;
    chosen_address = NULL;
    errno = error;
    return code;
}

typedef int (*resolver)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

__attribute__((visibility("default"))) int getaddrinfo(const char *restrict node, const char *restrict service,
                                                       const struct addrinfo *restrict hints,
                                                       struct addrinfo **restrict result) {
    resolver next = (resolver)dlsym(RTLD_NEXT, "getaddrinfo");
    if (next == NULL) return EAI_SYSTEM;
    if (chosen_address == NULL || node == NULL) return next(node, service, hints, result);
    struct addrinfo numeric;
    memset(&numeric, 0, sizeof numeric);
    if (hints != NULL) numeric = *hints;
    numeric.ai_flags = AI_NUMERICHOST;
    return next(chosen_address, service, &numeric, result);
}
