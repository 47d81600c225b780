#include "COdographTCPInfo.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

int odograph_tcp_read_counters(int socket, struct odograph_tcp_counters *counters) {
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    if (length < offsetof(struct tcp_info, tcpi_bytes_sent) + sizeof info.tcpi_bytes_sent) return -1;
    int domain = AF_INET;
    socklen_t domain_length = sizeof domain;
    if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &domain_length) != 0) return -1;
    counters->bytes_sent = info.tcpi_bytes_sent;
    counters->bytes_received = info.tcpi_bytes_received;
    counters->segments_sent = info.tcpi_segs_out;
    counters->segments_received = info.tcpi_segs_in;
    counters->state = info.tcpi_state;
    counters->has_timestamps = (info.tcpi_options & TCPI_OPT_TIMESTAMPS) != 0;
    counters->is_ipv6 = domain == AF_INET6;
    return 0;
}
