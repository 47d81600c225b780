/// Decides whether a source of the vehicle's signals is silent; ``InputPipeline`` asks it while the vehicle moves.
///
/// The bus of a parked vehicle sleeps, so a silence there is no fault.
struct SignalMonitor {
    /// The longest silence on a drive, milliseconds: an adapter that was moved to another port is back by then.
    private static let timeoutMilliseconds: Int64 = 60_000

    private struct Source {
        var lastUptimeMilliseconds: Int64
        /// The reason for the silence, as far as the source knows it.
        var detail: String?
    }

    private var sources: [String: Source] = [:]

    /// Whether there is no source.
    var isEmpty: Bool { sources.isEmpty }

    /// Notes that a source begins.
    mutating func begin(_ name: String, uptimeMilliseconds: Int64) {
        sources[name] = Source(lastUptimeMilliseconds: uptimeMilliseconds)
    }

    /// Notes signals of a source.
    mutating func observeSignals(of name: String, uptimeMilliseconds: Int64) {
        sources[name] = Source(lastUptimeMilliseconds: uptimeMilliseconds)
    }

    /// Notes that a source has no signals.
    mutating func observeUnavailable(_ name: String, _ detail: String) { sources[name]?.detail = detail }

    /// Returns the sentence about the sources that are silent for too long; nil for none.
    func silence(uptimeMilliseconds: Int64) -> String? {
        let silent = sources.filter {
            uptimeMilliseconds - $0.value.lastUptimeMilliseconds > Self.timeoutMilliseconds
        }
        guard !silent.isEmpty else { return nil }
        let parts = silent.sorted { $0.key < $1.key }.map { name, source in
            "\(name): \(source.detail ?? "nothing was received for a minute")"
        }
        return "no signals of the vehicle, although it moves: \(parts.joined(separator: "; ")); "
            + "positions and distance go on by satellites; check the adapter and its cable"
    }
}
