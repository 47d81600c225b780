import OdographCivilTime
import FoundationEssentials
import Glibc
import OdographStore
import OdographWire

/// A year of a delivery van's timeline on the disk, and the processor time, system calls included, for reading a day, a
/// week or a month of it: the first time after the agent's start, and again.
///
///     swift run -c release TimelineQueries
@main
enum TimelineQueries {
    private static let dayMilliseconds: Int64 = 86_400_000
    /// The limit of a query, milliseconds.
    private static let barMilliseconds = 5.0

    static func main() async throws {
        let folder = getenv("ODOGRAPH_BENCHMARK_FOLDER").map { String(cString: $0) } ?? "/var/tmp"
        let path = folder + "/odograph-timeline-queries-\(getpid()).db"
        defer { for suffix in ["", "-wal", "-shm", "-numbers"] { unlink(path + suffix) } }
        let start = Timestamp(millisecondsSinceEpoch: 1_763_683_200_000)
        let count = try await fill(path, from: start)
        print("\(count) events of a year, \(try bytes(of: path) / 1024) kB on the disk")
        for (name, days) in [("a day", 1), ("a week", 7), ("a month", 30)] {
            try await measure(name, days: Int64(days), of: path, from: start)
        }
    }

    /// Writes the year: on six days of seven ten trips of some kilometres with stops between them.
    private static func fill(_ path: String, from start: Timestamp) async throws -> Int {
        let (store, _) = try await AgentStore.open(at: path, options: StoreOptions(synchronous: .normal), now: start)
        var random: UInt64 = 7
        var count = 0
        for day in 0..<365 {
            var records: [NewRecord] = []
            var time = start.advanced(byMilliseconds: Int64(day) * dayMilliseconds)
            let trips = day % 7 == 6 ? 0 : 10
            for (part, identity) in try await store.nextIdentities(2 * trips + 1).enumerated() {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let minutes = part == 2 * trips ? nil : Int64(10 + random >> 33 % 50)
                let nextDay = start.advanced(byMilliseconds: Int64(day + 1) * dayMilliseconds)
                let end = minutes.map { time.advanced(byMilliseconds: $0 * 60_000) } ?? nextDay
                count += 1
                records.append(
                    record(
                        identity, number: count, isTrip: part % 2 == 1, start: time, end: end,
                        waypoints: Int(minutes ?? 0)))
                time = end
            }
            try await store.commit(records, journal: [], now: time)
            try await store.acknowledge(records.map(\.record.key))
        }
        try await store.flushAcknowledgements()
        return count
    }

    /// Returns a record as the agent writes it: a waypoint per minute, as for a drive through a town.
    private static func record(
        _ identity: RecordIdentity, number: Int, isTrip: Bool, start: Timestamp, end: Timestamp, waypoints: Int
    ) -> NewRecord {
        var body = #"{"device_id":"van-7","timeline_event":{"event_id":"\#(number)","revision":4,"type":"#
        body += isTrip ? #""IN_TRANSPORT","waypoints":["# : #""STATIONARY","location":["#
        for index in 0..<(isTrip ? waypoints : 1) {
            body += #"{"latitude":48.\#(200_000 + index * 37),"longitude":16.\#(370_000 + index * 53),"accuracy":4.2,"#
            body += #""timestamp":"\#(start.iso8601)","speed":13.9},"#
        }
        let payload = Array((body + "]}}").utf8)
        let key = TimelineKey(
            eventID: "event-\(number)", start: start, end: end, lastUpdate: end, isFinal: true)
        return NewRecord(
            identity, kind: .timeline, timestamp: end, timeline: key,
            payload: RecordPayload(first: payload[0], rest: payload.dropFirst()))
    }

    private static func measure(_ name: String, days: Int64, of path: String, from start: Timestamp) async throws {
        var first: [Double] = []
        var again: [Double] = []
        var events = 0
        for round in 0..<15 {
            let (store, _) = try await AgentStore.open(at: path, now: start)
            let from = start.advanced(byMilliseconds: Int64(round * 23) * dayMilliseconds)
            let to = from.advanced(byMilliseconds: days * dayMilliseconds)
            for pass in 0..<3 {
                let begin = processorMilliseconds()
                let page = try await store.timelineEvents(from: from, to: to)
                let milliseconds = processorMilliseconds() - begin
                if pass == 0 { first.append(milliseconds) } else { again.append(milliseconds) }
                events = max(events, page.payloads.count)
            }
        }
        let (cold, warm) = (first.sorted()[first.count / 2], again.sorted()[again.count / 2])
        let verdict = cold <= barMilliseconds ? "within" : "OVER"
        print(
            "\(name), up to \(events) events: first \(rounded(cold)) ms (\(rounded(first.max() ?? 0)) the slowest),",
            "then \(rounded(warm)) ms  \(verdict) \(barMilliseconds)")
    }

    /// Returns the processor time of this process, which does not depend on the machine's other load.
    private static func processorMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    private static func bytes(of path: String) throws -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
