import Odograph
import OdographModel
import OdographPositioning
import OdographTerminal
import OdographThreads
import OdographTracking

/// Checks that the source gives positions.
struct SourceCheck {
    let source: SourceConfiguration
    let tracking: TrackingConfiguration
    let waitSeconds: Double

    func finding() async -> Finding {
        switch source {
        case .gpsd(let settings): await gpsdFinding(settings)
        case .replay(let settings): Self.replayFinding(settings)
        case .simulator(let settings):
            Finding(.ok, "source", "simulator, seed \(settings.seed): its positions are not real")
        }
    }

    private static func replayFinding(_ settings: ReplaySettings) -> Finding {
        do {
            _ = try CaptureReader(settings).next()
            return Finding(.ok, "source", "replay of \(settings.path)")
        } catch {
            return Finding(.fail, "source", sentence: "\(error)")
        }
    }

    private func gpsdFinding(_ settings: GPSDSettings) async -> Finding {
        let source = GPSDSource(settings, clock: SystemAgentClock())
        let heard = await Task.withTimeout(afterSeconds: waitSeconds) { await Self.listen(to: source) }
        let counters = source.counters
        if heard?.hasFix != true, counters.connections > 0, !counters.hasReport {
            return Finding(
                .fail, "gpsd", "\(source.name): something listens there, but it does not respond as gpsd does",
                advice: "correct source.gpsd; if it is gpsd, restart it")
        }
        return (heard ?? SourceObservation()).finding(
            name: source.name, isReached: counters.connections > 0, tracking: tracking, waitSeconds: waitSeconds)
    }

    /// Collects events until a position arrives, gpsd cannot be reached, or the task is cancelled.
    private static func listen(to source: GPSDSource) async -> SourceObservation {
        var heard = SourceObservation()
        do {
            for try await event in source.events() {
                heard.record(event)
                if heard.hasFix || source.counters.connections == 0 { break }
            }
        } catch {
            // The stream never throws. The observation so far is returned.
        }
        return heard
    }
}

extension SourceCounters {
    /// Whether a line was a report. A gpsd begins with the one of its version.
    fileprivate var hasReport: Bool {
        linesRead > self[.malformedLine] + self[.overlongLine] + self[.notAReport]
    }
}

/// The events that were received from gpsd.
struct SourceObservation {
    private var fix: Fix?
    private var isUndated = false
    private var state: SourceState?
    /// Whether a position was received.
    var hasFix: Bool { fix != nil }
    private var detail = ""

    mutating func record(_ event: SourceEvent) {
        switch event.content {
        case .fix(let fix): self.fix = fix
        case .undatedFix(let fix):
            self.fix = fix
            isUndated = true
        // A receiver has none.
        case .signals: break
        case .state(let state, _, let detail):
            self.state = state
            self.detail = detail
        }
    }

    /// - Parameter tracking: The rules by which the agent believes a position.
    func finding(name: String, isReached: Bool, tracking: TrackingConfiguration, waitSeconds: Double) -> Finding {
        let wait = "within \(waitSeconds.formatted(decimals: 0)) s"
        guard isReached else {
            return Finding(
                .fail, "gpsd", detail.isEmpty ? "\(name) does not respond \(wait)" : detail,
                advice: "start it (systemctl start gpsd), or correct source.gpsd")
        }
        if let fix {
            let accuracy = fix.accuracyMeters.map { ", accuracy \($0.formatted(decimals: 0)) m" } ?? ""
            let reports = "\(name) reports positions\(accuracy)"
            if isUndated {
                return Finding(
                    .warn, "gpsd", "\(reports), without a date",
                    advice:
                        "make the receiver send RMC or ZDA sentences; positions wait until the machine's clock is set")
            }
            return Self.warning(about: fix, reports, tracking) ?? Finding(.ok, "gpsd", reports)
        }
        switch state {
        // Its first reports did not end in time.
        case .available?: return Finding(.ok, "gpsd", "\(name) reports positions")
        case .noFix?:
            return Finding(
                .warn, "gpsd", "\(name): \(detail)",
                advice: "give the antenna a clear view of the sky; a cold start takes some minutes")
        case .lost?:
            return Finding(
                .fail, "gpsd", "\(name): \(detail)",
                advice: "connect the receiver, and add it to gpsd's DEVICES (/etc/default/gpsd)")
        case nil:
            return Finding(
                .warn, "gpsd", "\(name) responds, but no receiver reported anything \(wait)",
                advice: "check the output of gpspipe -w")
        }
    }

    /// Returns a warning if the agent rejects a position; nil if it believes it.
    private static func warning(about fix: Fix, _ reports: String, _ tracking: TrackingConfiguration) -> Finding? {
        var tracker = Tracker(configuration: tracking)
        _ = tracker.handle(.fix(fix))
        return switch tracker.counters.rejected.keys.first {
        case nil: nil
        case "inaccurate":
            Finding(
                .warn, "gpsd",
                "\(reports), and the agent uses none above \(tracking.desiredAccuracyMeters.formatted(decimals: 0)) m",
                advice: "give the antenna a clear view of the sky, or raise desired_accuracy")
        case "stale", "early":
            Finding(
                .warn, "gpsd", "\(reports), and the agent uses none: their date is \(fix.timestamp)",
                advice: "compare it with this machine's clock (timedatectl), and correct the wrong one")
        case let reason?:
            Finding(.warn, "gpsd", "\(reports), and the agent does not use this one: \(reason)", advice: nil)
        }
    }
}
