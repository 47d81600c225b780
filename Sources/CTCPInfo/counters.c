#include "COdographTCPInfo.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int odograph_tcp_read_counters(int socket, struct odograph_tcp_counters *counters) {
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    if (length < offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans) return -1;
    int domain = AF_INET;
    socklen_t domain_length = sizeof domain;
    if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &domain_length) != 0) return -1;
    // The kernel also counts what it could not hand over, because the interface was down: the same bytes again with each
    // attempt, in segments of 36 bytes. What has left is what was acknowledged, what waits for that, and what was repeated.
    int queued = 0;
    if (ioctl(socket, SIOCOUTQ, &queued) != 0) queued = 0;
    uint64_t unacknowledged = queued > (int)info.tcpi_notsent_bytes ? queued - info.tcpi_notsent_bytes : 0;
    uint64_t left = info.tcpi_bytes_acked + unacknowledged + info.tcpi_bytes_retrans;
    uint32_t left_segments = info.tcpi_delivered + info.tcpi_unacked + info.tcpi_total_retrans;
    uint32_t failed = info.tcpi_data_segs_out > left_segments ? info.tcpi_data_segs_out - left_segments : 0;
    counters->bytes_sent = info.tcpi_bytes_sent < left ? info.tcpi_bytes_sent : left;
    counters->bytes_acknowledged = info.tcpi_bytes_acked;
    counters->bytes_received = info.tcpi_bytes_received;
    counters->segments_sent = info.tcpi_segs_out - failed;
    counters->segments_received = info.tcpi_segs_in;
    counters->state = info.tcpi_state;
    counters->has_timestamps = (info.tcpi_options & TCPI_OPT_TIMESTAMPS) != 0;
    counters->is_ipv6 = domain == AF_INET6;
    return 0;
}
