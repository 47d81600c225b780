import OdographCivilTime
import FoundationEssentials
import OdographGeodesy
import OdographModel
import OdographTracking

/// The cost of the core: fixes per second on one core, and bytes of saved state.
struct Speed {
    private let fixes: [Fix]

    init(folder: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let name = names.last { $0.hasPrefix("unimodal") }
        fixes = try name.map { try Capture(path: folder + $0).fixes } ?? []
    }

    func report() throws {
        try report("core, fixes a second", fixes, times: 50)
        // A fix a minute, as of a tracker that saves power: the windows by time contain few fixes, and those by count
        // contain hours.
        var seldom = fixes
        for index in seldom.indices {
            seldom[index].timestamp = seldom[0].timestamp.advanced(bySeconds: 60 * Double(index))
        }
        try report("core at a fix a minute, fixes a second", seldom, times: 20)
    }

    private func report(_ name: String, _ fixes: [Fix], times: Int) throws {
        guard let first = fixes.first, let last = fixes.last else { return }
        // The same drive many times, continuous in time.
        let length = last.timestamp.seconds(since: first.timestamp) + 1
        var runs: [Double] = []
        var tracker = Tracker()
        var largest = 0
        for run in 0..<times {
            let shifted = fixes.map { fix -> Fix in
                var copy = fix
                copy.timestamp = fix.timestamp.advanced(bySeconds: length * Double(run))
                copy.received = ClockReading(replayed: copy.timestamp)
                return copy
            }
            let clock = ContinuousClock()
            let elapsed: Duration = clock.measure { for fix in shifted { _ = tracker.handle(.fix(fix)) } }
            let seconds: Double = elapsed / Duration.seconds(1)
            runs.append(Double(shifted.count) / seconds)
            largest = max(largest, try JSONEncoder().encode(tracker).count)
        }
        row("\(name) (median of \(runs.count) runs)", text(runs.median, 0), bar: "200000")
        row("  saved state, largest at the end of a run (bytes)", "\(largest)", bar: "20000 typical")
    }
}
