import OdographLink
import OdographModel
import OdographPositioning

/// Answers roll calls: publishes status, report and position as the usual retained messages.
actor RollCallResponder {
    /// The timeout of the position, seconds.
    private static let positionTimeoutSeconds = 5.0

    /// The time from a roll call to its answer, seconds, if a position is available at once.
    static let longestSeconds =
        Double(max(RollCallSchedule.longestDelayMilliseconds, RollCallSchedule.intervalMilliseconds)) / 1000

    private let client: MQTTClient
    private let status: @Sendable () -> OutgoingMessage
    private let publishReport: @Sendable () async -> Void
    private let pipeline: InputPipeline
    private let clock: any AgentClock
    private var schedule = RollCallSchedule()

    init(
        client: MQTTClient, status: @escaping @Sendable () -> OutgoingMessage,
        publishReport: @escaping @Sendable () async -> Void, pipeline: InputPipeline, clock: any AgentClock
    ) {
        self.client = client
        self.status = status
        self.publishReport = publishReport
        self.pipeline = pipeline
        self.clock = clock
    }

    /// Plans an answer.
    func ask() {
        let due = schedule.ask(
            atUptimeMilliseconds: clock.now().uptimeMilliseconds,
            delayMilliseconds: .random(in: 0...RollCallSchedule.longestDelayMilliseconds))
        guard let due else { return }
        Task { [weak self, clock] in
            try? await clock.sleep(untilUptimeMilliseconds: due)
            await self?.answer()
        }
    }

    private func answer() async {
        schedule.answer(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        client.publish([status()])
        await publishReport()
        // A record like any other: in private time, or with a closed schedule, there is none.
        _ = await pipeline.currentPosition(
            samples: 1, timeoutSeconds: Self.positionTimeoutSeconds, isPersisted: true)
    }
}
