import OdographCivilTime
import OdographLink
import OdographModel
import OdographPositioning
import OdographSettings
import OdographThreads
import OdographWire

extension Agent {
    /// Applies the settings that need no restart: the tracking keys, below the published documents, the privacy lock
    /// and the log level.
    public func reload(_ new: AgentConfiguration) async -> ReloadOutcome {
        var outcome = ReloadOutcome(of: new, over: effectiveConfiguration)
        effectiveConfiguration.isPrivacyLocked = new.isPrivacyLocked
        // The lock applies before the schedule that it protects.
        if new.isPrivacyLocked { await applyOffScheduleOverride() }
        if outcome.applied.contains("tracking") || outcome.applied.contains("privacy") {
            await parts?.remote.replaceLocal(
                new.trackingDocument, settings: new.tracking, isLocked: new.isPrivacyLocked)
        }
        outcome.hasNewZoneRules = await refreshZones()
        effectiveConfiguration.tracking = new.tracking
        effectiveConfiguration.trackingDocument = new.trackingDocument
        effectiveConfiguration.logLevel = new.logLevel
        await applyOffScheduleOverride()
        return outcome
    }

    /// Applies new rules of time zones: an update of the zone data, or another zone of the machine.
    /// - Returns: Whether the configuration in force has changed by them.
    @discardableResult
    func refreshZones() async -> Bool {
        guard let parts else { return false }
        let hasNewRules = await parts.remote.refreshZones()
        await parts.pipeline.refreshZone()
        await parts.reporter.refreshMachineZone()
        return hasNewRules
    }

    /// The agent's state in one line.
    var statusLine: String {
        get async {
            guard let parts else { return "stopped" }
            let link = await parts.publisher.isConnected ? "connected to" : "no connection to"
            let problems = await currentProblems.map(\.code.rawValue).joined(separator: ", ")
            return "\(link) \(parts.client.broker)" + (problems.isEmpty ? "" : "; \(problems)")
        }
    }

    /// The silence of a receiver after which its source reports it, seconds.
    var sourceSilenceSeconds: Double {
        if ownSource == nil, case .gpsd(let settings) = configuration.source {
            settings.silenceTimeoutSeconds + settings.stationaryPollSeconds
        } else {
            0
        }
    }

    /// Reads the state of every stage that a position passes, and sends the link a probe for the next reading.
    /// - Returns: nil if the agent does not run.
    func pipelineReading() async -> PipelineStallDetector.Reading? {
        guard let parts else { return nil }
        let pipeline = await parts.pipeline.pipelineState
        defer { parts.client.probe() }
        let isLive = !parts.source.usesVirtualTime && parts.source.loopIterations != nil
        return PipelineStallDetector.Reading(
            uptimeMilliseconds: clock.now().uptimeMilliseconds, sourceTurns: parts.source.loopIterations,
            hasLiveSourceEnded: isLive && pipeline.source.hasEnded,
            lastSourceEventMilliseconds: isLive ? pipeline.source.lastEventUptimeMilliseconds : nil,
            commitDueMilliseconds: pipeline.commitDueMilliseconds, probeResponses: probeResponses.value)
    }
}
