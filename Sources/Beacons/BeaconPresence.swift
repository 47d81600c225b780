import OdographModel

/// Decides which beacons are aboard, from the advertisements that are received.
///
/// The signal model behind the rule is from measurements (Strzoda, Grochla, Połys, MSWiM 2022; Bin Humaid, Moustafa,
/// ICCCM 2021): −65.5 dBm at 1 m, −78.4 at 5 m, −84.1 at 10 m, −90.8 at 16 m; the level varies by 3.5 to 5.9 dB between
/// two advertisements, because three channels fade on their own; people take up to 16.5 dB for minutes; 13 to 40 % of
/// the advertisements are lost, in the tests 0 to 60 %; and beacons of other vehicles are heard at lights, at a lower
/// level.
///
/// A beacon enters when ``enterCount`` advertisements within ``enterSeconds`` have a median of at least the configured
/// level. The median ignores a single strong one. It leaves when none was received for the configured time. For that
/// an advertisement up to ``exitMarginDecibels`` below the level counts too, so that a loss of cargo does not end a
/// presence. Time in which the receiver does not work does not count. No distance is estimated.
public struct BeaconPresence: Sendable {
    /// The number of advertisements for an enter.
    public static let enterCount = 3
    /// The time within which they must be received, seconds.
    public static let enterSeconds = 8.0
    /// The difference between the level for an enter and the one that keeps a presence, dB.
    public static let exitMarginDecibels = 10
    /// The most advertisements that one decision uses. Further ones are ignored until older ones are too old.
    private static let maximumSamples = 16
    /// The shortest time between two samples of one beacon, milliseconds. So one burst does not decide.
    private static let minimumSpacingMilliseconds: Int64 = 250

    private struct Sample { var uptimeMilliseconds: Int64, signalDBm: Int }

    private enum State {
        case absent([Sample])
        case present(lastUptimeMilliseconds: Int64, signalDBm: Int?)
    }

    private let rule: BeaconRule
    private var states: [String: State] = [:]
    /// Whether the receiver works.
    private var isListening = false

    /// Creates the state at the start of a run.
    /// - Parameter present: The beacons that were aboard before. They leave if they are not received.
    public init(rule: BeaconRule, present: [String]) {
        self.rule = rule
        for identifier in present where rule.known[identifier] != nil {
            states[identifier] = .present(lastUptimeMilliseconds: 0, signalDBm: nil)
        }
    }

    /// The beacons that are aboard, ascending.
    public var present: [String] {
        states.compactMap { if case .present = $0.value { $0.key } else { nil } }.sorted()
    }

    /// Notes that the receiver works from now on.
    public mutating func resume(at uptimeMilliseconds: Int64) {
        guard !isListening else { return }
        isListening = true
        for (identifier, state) in states {
            guard case .present(_, let signal) = state else { continue }
            states[identifier] = .present(lastUptimeMilliseconds: uptimeMilliseconds, signalDBm: signal)
        }
    }

    /// Notes that the receiver does not work.
    public mutating func interrupt() { isListening = false }

    /// Takes an advertisement of a named beacon.
    /// - Returns: The event, if it decides one.
    public mutating func observe(
        _ identifier: String, signalDBm: Int, at uptimeMilliseconds: Int64
    ) -> BeaconEvent? {
        guard isListening, (-127...20).contains(signalDBm) else { return nil }
        switch states[identifier] ?? .absent([]) {
        case .present(let last, let signal):
            if signalDBm >= rule.minimumSignalDBm - Self.exitMarginDecibels {
                states[identifier] = .present(
                    lastUptimeMilliseconds: max(uptimeMilliseconds, last), signalDBm: signalDBm)
            } else {
                states[identifier] = .present(lastUptimeMilliseconds: last, signalDBm: signal ?? signalDBm)
            }
            return nil
        case .absent(var samples):
            samples.removeAll {
                uptimeMilliseconds - $0.uptimeMilliseconds > Int64(Self.enterSeconds * 1000)
                    || $0.uptimeMilliseconds > uptimeMilliseconds
            }
            if let last = samples.last,
                uptimeMilliseconds - last.uptimeMilliseconds < Self.minimumSpacingMilliseconds
                    || samples.count >= Self.maximumSamples
            {
                states[identifier] = .absent(samples)
                return nil
            }
            samples.append(Sample(uptimeMilliseconds: uptimeMilliseconds, signalDBm: signalDBm))
            let levels = samples.map(\.signalDBm).sorted()
            // Of an even number the lower one.
            let median = levels[(levels.count - 1) / 2]
            guard levels.count >= Self.enterCount, median >= rule.minimumSignalDBm else {
                states[identifier] = .absent(samples)
                return nil
            }
            states[identifier] = .present(lastUptimeMilliseconds: uptimeMilliseconds, signalDBm: signalDBm)
            return BeaconEvent(identifier: identifier, action: .enter, signalDBm: median)
        }
    }

    /// The time of the next exit if nothing is received, on the monotonic clock, milliseconds; nil for none.
    public var dueUptimeMilliseconds: Int64? {
        guard isListening else { return nil }
        return states.values.compactMap { state -> Int64? in
            guard case .present(let last, _) = state else { return nil }
            return last + Int64(rule.exitSeconds * 1000)
        }.min()
    }

    /// Returns the exits that are due.
    public mutating func advance(to uptimeMilliseconds: Int64) -> [BeaconEvent] {
        guard isListening else { return [] }
        var events: [BeaconEvent] = []
        for (identifier, state) in states.sorted(by: { $0.key < $1.key }) {
            guard case .present(let last, let signal) = state,
                uptimeMilliseconds - last >= Int64(rule.exitSeconds * 1000)
            else { continue }
            states[identifier] = nil
            events.append(BeaconEvent(identifier: identifier, action: .exit, signalDBm: signal))
        }
        return events
    }
}
