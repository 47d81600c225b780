// The counters of the kernel for one TCP connection (TCP_INFO). The structure is in linux/tcp.h, which cannot be imported
// beside netinet/tcp.h: both declare tcp_info.

#ifndef ODOGRAPH_TCP_INFO_H
#define ODOGRAPH_TCP_INFO_H

#include <stdint.h>

struct odograph_tcp_counters {
    // The bytes of payload that have left this machine, with those that were sent again.
    uint64_t bytes_sent;
    // The bytes of payload that the other side has acknowledged.
    uint64_t bytes_acknowledged;
    // The bytes of payload that were received, each once.
    uint64_t bytes_received;
    // The segments, also those without payload, from the first SYN on.
    uint32_t segments_sent;
    uint32_t segments_received;
    // The state of the connection, as in netinet/tcp.h.
    uint8_t state;
    // Whether each segment has a time stamp.
    uint8_t has_timestamps;
    uint8_t is_ipv6;
};

// Reads the counters of a socket. Returns 0, or -1 if it is no TCP socket or the kernel (before Linux 4.19) does not count.
int odograph_tcp_read_counters(int socket, struct odograph_tcp_counters *counters);

#endif
