import CivilTime
import Link
import Positioning
import Threads
import Wire

extension Agent {
    /// Puts into force what can be without a new start: the tracking keys, under the documents that were published, and
    /// how much is logged.
    public func reload(_ new: AgentConfiguration) async -> ReloadOutcome {
        let outcome = ReloadOutcome(of: new, over: inForce)
        if outcome.applied.contains("tracking") || outcome.applied.contains("privacy") {
            await parts?.remote.replaceLocal(
                new.trackingDocument, settings: new.tracking, isLocked: new.isPrivacyLocked)
        }
        inForce.isPrivacyLocked = new.isPrivacyLocked
        inForce.tracking = new.tracking
        inForce.trackingDocument = new.trackingDocument
        inForce.logLevel = new.logLevel
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
