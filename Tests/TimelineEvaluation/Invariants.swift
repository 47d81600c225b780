import FoundationEssentials
import OdographCivilTime
import OdographHarness
import OdographModel
import OdographTracking

/// The rules of final timelines, counted on every recording as it is and as other receivers would have given it: seldom
/// fixes without speeds, as of taxis, and long gaps.
struct Invariants {
    private let captures: [(name: String, capture: Capture)]
    private let isVerbose: Bool

    init(folder: String, isVerbose: Bool) throws {
        self.isVerbose = isVerbose
        let files = FileManager.default
        captures = try [folder, folder + "cases/", folder + "goal/"].flatMap { folder in
            try files.contentsOfDirectory(atPath: folder).sorted().filter { $0.hasSuffix(".gpsd.jsonl") }
                .map { ($0, try Capture(path: folder + $0)) }
        }
    }

    /// The broken rules of all recordings under one change.
    struct Result {
        fileprivate(set) var counts: [TimelineViolation.Rule: Int] = [:]
        fileprivate(set) var faults = TimelineFaults()
        /// The time by the name of the event's kind, seconds.
        fileprivate var seconds: [String: Double] = [:]

        /// Returns the share of the time that a kind of event has.
        func share(of kind: String) -> Double { (seconds[kind] ?? 0) / seconds.values.reduce(0, +) }
    }

    func report() {
        for change in Perturbation.all + Perturbation.taxis {
            let result = result(of: change)
            row(
                "rules broken, \(change.name)",
                TimelineViolation.Rule.allCases.compactMap { rule in result.counts[rule].map { "\(rule) \($0)" } }
                    .joined(separator: ", ").nonEmpty ?? "0", bar: "0")
            row("  \(TimelineFaults.names)", result.faults.text, bar: "0")
            row(
                "  share of time unknown, off the grid (%)",
                ["unknown", "off"].map { text(100 * result.share(of: $0), 3) }.joined(separator: ", "), bar: "")
        }
    }

    /// Counts what breaks the rules on all recordings after a change, with each of its seeds up to a limit.
    func result(of change: Perturbation, seeds: UInt64 = .max) -> Result {
        var result = Result()
        for (name, capture) in captures {
            for seed in 1...min(change.seeds, seeds) {
                let fixes = change.applied(to: capture, seed: seed).fixes
                let outcome = Outcome(Capture(fixes: fixes))
                for violation in TimelineInvariants.violations(in: outcome.events, odometerMeters: outcome.meters) {
                    result.counts[violation.rule, default: 0] += 1
                    if isVerbose { print("    \(name), \(change.name), seed \(seed): \(violation.line)") }
                }
                let before = result.faults.total
                result.faults.addEvents(of: outcome, fixes: fixes)
                if isVerbose, result.faults.total > before, let zero = fixes.first?.timestamp {
                    print("    \(name), \(change.name), seed \(seed): \(outcome.meters) ± \(outcome.errorMeters) m")
                    print("     ", outcome.events.map { $0.brief(since: zero) }.joined(separator: " | "))
                }
                for event in outcome.events { result.seconds[event.kind.name, default: 0] += event.durationSeconds }
            }
        }
        return result
    }
}

extension TimelineViolation {
    /// The violation in a line.
    fileprivate var line: String {
        "\(rule) "
            + [event, next].compactMap { $0 }.map { event in
                var text = "\(event.start.iso8601) \(Int(event.durationSeconds)) s \(event.kind.name)"
                if case .transport(let transport) = event.kind {
                    text += " \(transport.mode.rawValue) \(Int(transport.distanceMeters)) m"
                }
                return text
            }.joined(separator: " | ")
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
