import CAllocations
import OdographCivilTime
import OdographGeodesy
import Glibc
import Measuring
import OdographModel
import OdographTracking

/// The geofence monitor over a drive: containment, crossings and the state of every geofence.
struct MonitorBenchmark {
    private let workload: Workload
    private let fixes: [Fix]

    init(_ workload: Workload) {
        self.workload = workload
        fixes = workload.drive.enumerated().map { index, place in
            let time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000 + Int64(index) * 1000)
            return Fix(
                timestamp: time, received: ClockReading(replayed: time), coordinate: place, accuracyMeters: 5,
                speedMetersPerSecond: 20)
        }
    }

    func report() {
        var monitor = Self.monitor(workload.shapes)
        var events: [GeofenceEvent.Action: Int] = [:]
        for fix in fixes { for event in monitor.process(fix) { events[event.action, default: 0] += 1 } }
        let counts = events.sorted { $0.key.rawValue < $1.key.rawValue }
        print("   " + counts.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", "))
        // Each run uses a new monitor, because a repeated drive would contain a jump at its end.
        var mean: [Double] = []
        for _ in 0..<5 {
            var monitor = Self.monitor(workload.shapes)
            let start = seconds()
            var told = 0
            for fix in fixes { told += monitor.process(fix).count }
            mean.append((seconds() - start) / Double(fixes.count) * 1e9)
        }
        let usual = mean.sorted()[2]
        line("monitor: a fix, with all that is told", usual, "ns")
        reportTail()
        reportAllocations()
        reportStack(usualNanoseconds: usual)
    }

    /// Reports the slowest hundredth of the fixes, by a clock reading around each fix without the cost of the reading.
    ///
    /// The wall clock includes the other load of the machine, and the processor clock is too coarse. All runs do the
    /// same work, so the shortest time of a fix is the one without interruptions.
    private func reportTail() {
        var times = [Int](repeating: .max, count: fixes.count)
        var eventful: [Bool] = Array(repeating: false, count: fixes.count)
        for _ in 0..<9 {
            var monitor = Self.monitor(workload.shapes)
            for index in fixes.indices {
                let start = Self.nanoseconds()
                let told = monitor.process(fixes[index]).count
                times[index] = min(times[index], Self.nanoseconds() - start)
                eventful[index] = told > 0
            }
        }
        var empty = (0..<10_000).map { _ in
            let start = Self.nanoseconds()
            return Self.nanoseconds() - start
        }
        empty.sort()
        let clock = empty[5_000]
        for (name, wanted) in [("all", nil), ("nothing to tell", false), ("something to tell", true)] {
            let sorted = fixes.indices.filter { wanted == nil || eventful[$0] == wanted }.map { times[$0] - clock }
                .sorted()
            guard !sorted.isEmpty else { continue }
            print("   \(name): \(sorted.count) fixes")
            line("      median", Double(sorted[sorted.count / 2]), "ns")
            line("      p99", Double(sorted[sorted.count * 99 / 100]), "ns")
            line("      p99.9", Double(sorted[sorted.count * 999 / 1000]), "ns")
        }
    }

    /// Reports the allocations after the monitor's own memory has reached its size.
    private func reportAllocations() {
        var monitor = Self.monitor(workload.shapes)
        var (quiet, eventful) = (0, 0)
        var (quietBlocks, eventBlocks, firstBlocks) = (0, 0, 0)
        for index in fixes.indices {
            let before = odograph_allocations()
            let told = monitor.process(fixes[index]).count
            let blocks = odograph_allocations() - before
            if index < fixes.count / 100 {
                firstBlocks += blocks
            } else if told > 0 {
                eventful += 1
                eventBlocks += blocks
            } else {
                quiet += 1
                quietBlocks += blocks
            }
        }
        print("   allocations: \(firstBlocks) over the first \(fixes.count / 100) fixes, then \(quietBlocks) over")
        print("   \(quiet) fixes with nothing to tell, \(eventBlocks) over \(eventful) with events")
    }

    /// Reports the cost of many geofences at one place. The cost of a fix may be proportional to the number of
    /// geofences that contain it, and not more.
    private func reportStack(usualNanoseconds usual: Double) {
        guard let first = workload.drive.first, let circle = try? Circle(center: first, radiusMeters: 500) else {
            return
        }
        var stacked = Self.monitor(Array(repeating: .circle(circle), count: 1_000))
        let time = median(of: 5) { for fix in fixes.prefix(1_000) { _ = stacked.process(fix) } } / 1e3 * 1e9
        line("monitor: a fix, 1,000 fences on one place", time, "ns")
        line("   as many fixes of the drive", time / usual, "")
        line("   for each of the fences", time / 1e3, "ns")
        var random = SplitMix64(seed: 3)
        let ring = (0..<10_000).map {
            first.destination(
                headingDegrees: Double($0) * 0.036, distanceMeters: 5_000 * .random(in: 0.9...1, using: &random))
        }
        guard let polygon = try? Polygon(rings: [ring]) else { return }
        let large = median(of: 5) {
            var monitor = Self.monitor([.polygon(polygon)])
            for fix in fixes.prefix(10_000) { _ = monitor.process(fix) }
        }
        line("monitor: a fix, one fence of 10,000 points", large / 1e4 * 1e9, "ns")
        line("   as many fixes of the drive", large / 1e4 * 1e9 / usual, "")
    }

    private static func monitor(_ shapes: [Shape]) -> GeofenceMonitor {
        var monitor = GeofenceMonitor()
        let set = GeofenceSet(
            shapes.enumerated().map { Geofence(identifier: "f\($0.offset)", shape: $0.element) })
        _ = monitor.replace(with: set, zone: .utc, at: Timestamp(millisecondsSinceEpoch: 0))
        return monitor
    }

    private static func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
