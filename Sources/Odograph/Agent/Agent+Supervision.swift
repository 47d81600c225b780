import CivilTime
import Link
import Logging
import Positioning
import Threads
import Wire

/// What became of a configuration that was read while the agent runs.
public struct ReloadOutcome: Hashable, Sendable {
    /// Keys of the file that differ and are in force now.
    public var applied: [String]
    /// Keys of the file that differ and wait for the next start.
    public var waiting: [String]
    /// How much is to be logged from now on.
    public var logLevel: Logger.Level

    /// Both, for the log.
    public var sentence: String {
        let taken = applied.isEmpty ? nil : "in force: \(applied.joined(separator: ", "))"
        let left = waiting.isEmpty ? nil : "needs a new start: \(waiting.joined(separator: ", "))"
        let parts = [taken, left].compactMap { $0 }
        return parts.isEmpty ? "nothing in it has changed" : parts.joined(separator: "; ")
    }
}

extension Agent {
    /// Puts into force what can be without a new start: the tracking keys, under the documents that were published, and
    /// how much is logged.
    public func reload(_ new: AgentConfiguration) async -> ReloadOutcome {
        let old = inForce
        var outcome = ReloadOutcome(applied: [], waiting: [], logLevel: new.logLevel)
        if new.trackingDocument != old.trackingDocument {
            await parts?.remote.replaceLocal(new.trackingDocument, settings: new.tracking)
            outcome.applied.append("tracking")
        }
        if new.logLevel != old.logLevel { outcome.applied.append("log") }
        inForce.tracking = new.tracking
        inForce.trackingDocument = new.trackingDocument
        inForce.logLevel = new.logLevel
        let differs: [(String, Bool)] = [
            ("root", new.address.root != old.address.root), ("fleet", new.address.fleet != old.address.fleet),
            ("device", new.address.device != old.address.device), ("groups", new.groups != old.groups),
            ("broker", new.broker != old.broker), ("source", new.source != old.source),
            ("store", new.store != old.store), ("control", new.controlPath != old.controlPath),
        ]
        outcome.waiting = differs.filter(\.1).map(\.0)
        return outcome
    }

    /// How the agent is, in a line.
    var statusLine: String {
        get async {
            guard let parts else { return "stopped" }
            let link = await parts.publisher.isConnected ? "connected to" : "no connection to"
            let problems = await currentProblems.map(\.code).joined(separator: ", ")
            return "\(link) \(configuration.broker.url)" + (problems.isEmpty ? "" : "; \(problems)")
        }
    }

    /// After how long a receiver's silence is told, seconds.
    var sourceSilenceSeconds: Double {
        if case .gpsd(let settings) = configuration.source {
            settings.silenceSeconds + settings.standingPollSeconds
        } else {
            0
        }
    }

    /// Looks at every part of the way of a position, and asks the link for an answer to be seen the next time.
    /// - Returns: nil where the agent does not run.
    func pipelineReading() async -> PipelineWatch.Reading? {
        guard let parts else { return nil }
        let recorder = await parts.recorder.pipelineState
        defer { parts.session.probe() }
        let isLive = !parts.source.usesVirtualTime && parts.source.turns != nil
        return PipelineWatch.Reading(
            uptimeMilliseconds: clock.now().uptimeMilliseconds, sourceTurns: parts.source.turns,
            hasLiveSourceEnded: isLive && recorder.hasSourceEnded,
            positionsSinceMilliseconds: isLive ? recorder.positionsSinceMilliseconds : nil,
            commitDueMilliseconds: recorder.commitDueMilliseconds, linkAnswers: linkAnswers.value)
    }
}
