import Glibc

extension Timestamp {
    /// The machine's current time. Whether the clock is synchronized is not asked, because that takes a system call.
    public static var now: Timestamp {
        var reading = timespec()
        clock_gettime(CLOCK_REALTIME, &reading)
        return Timestamp(millisecondsSinceEpoch: Int64(reading.tv_sec) * 1000 + Int64(reading.tv_nsec) / 1_000_000)
    }
}
