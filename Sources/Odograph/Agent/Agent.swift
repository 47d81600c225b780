import CivilTime
import Geodesy
import Link
import Logging
import Positioning
import ServiceLifecycle
import Store
import Threads
import Tracking
import Wire

/// The agent: follows a source of positions, keeps what it saw, and tells the broker.
///
///     let agent = Agent(configuration: try ConfigurationFile.load("/etc/odograph/agent.json5"))
///     try await agent.start()
///     for await event in await agent.locations { print(event.coords.latitude, event.odometer) }
///
/// Whoever embeds it starts and stops it, or runs it as a `Service`.
public actor Agent: Service {
    /// What the agent was told by its file.
    public nonisolated let configuration: AgentConfiguration
    /// Whether ``run()`` ends by itself when the source has ended (a replay) and everything is delivered.
    public nonisolated let stopsAtEnd: Bool

    /// Whether the source has ended and the broker has all of it; known where ``stopsAtEnd``.
    public private(set) var hasDelivered = false

    let clock: any AgentClock
    private let logger: Logger
    private let problems: ProblemBoard
    /// Counts what the session's thread has answered through the reader of its events.
    let linkAnswers = TurnCounter()
    /// The configuration with what was read of it since the start.
    var inForce: AgentConfiguration
    private(set) var parts: AgentParts?
    private var shouldTrackOutsideSchedule: (@Sendable () -> Bool)?
    private var control: ControlServer?
    private var tasks: [Task<Void, Never>] = []
    private var following: Task<Void, Never>?

    /// - Parameters:
    ///   - configuration: what ``ConfigurationFile`` has read.
    ///   - stopsAtEnd: whether ``run()`` ends by itself when a replay has ended and everything is delivered.
    ///   - clock: the machine's, unless a test has another.
    ///   - logger: where it logs to.
    public init(
        configuration: AgentConfiguration, stopsAtEnd: Bool = false, clock: any AgentClock = SystemAgentClock(),
        logger: Logger = Logger(label: "odograph")
    ) {
        self.configuration = configuration
        inForce = configuration
        self.stopsAtEnd = stopsAtEnd
        self.clock = clock
        self.logger = logger
        problems = ProblemBoard(clock: clock)
    }

    // MARK: Life

    /// Opens the store, connects and begins to track.
    /// - Throws: `StoreError.inUse` where another agent has the store, ``ConfigurationError`` where a named password file
    ///   cannot be read, ``ControlError`` where the control socket cannot be made. Everything else is tried again for
    ///   ever.
    public func start() async throws {
        guard parts == nil else { return }
        warnOfPlainText()
        let parts = try await AgentParts.assemble(configuration, clock: clock, problems: problems, logger: logger)
        let desk = CommandDesk(parts: parts, configuration: configuration, problems: problems)
        let commands = await RemoteCommands.load(
            parts: parts, desk: desk, address: configuration.address, clock: clock, logger: logger)
        let downlink = Downlink(
            address: configuration.address, groups: configuration.groups, configuration: parts.remote,
            commands: commands, geofences: parts.geofences)
        do {
            control = try ControlServer(path: configuration.controlPath) { await desk.answer($0) }
        } catch {
            await parts.recorder.stop()
            throw error
        }
        self.parts = parts
        await problems.observe { [weak self] in Task { await self?.problemsChanged() } }
        tasks = [
            Task { await parts.publisher.run() },
            Task { [clock, problems, linkAnswers] in
                await LinkWatch(
                    parts: parts, downlink: downlink, clock: clock, problems: problems, answers: linkAnswers
                ).run()
            },
            Task { await parts.remote.run() },
            Task { await parts.geofences.run() },
            Task { await commands.run() },
            Task { await parts.reporter.run() },
            Task { [clock] in await Surveyor(store: parts.store, clock: clock).run() },
            Task { [clock, configuration] in
                await Retention(parts: parts, clock: clock, configuration: configuration).run()
            },
        ]
        parts.remote.observe { parts.reporter.look() }
        parts.geofences.observe { parts.reporter.look() }
        await parts.recorder.observeSchedule { parts.reporter.look() }
        await parts.recorder.askOutsideSchedule(shouldTrackOutsideSchedule)
        parts.session.subscribe(downlink.topics)
        parts.herald.note(await problems.current)
        parts.session.start()
        // A position wakes the store's thread, and none of the pool's before and after. A source that runs faster than
        // time works beside it.
        let place = parts.recorder.isTimeVirtual ? nil : parts.store.taskExecutor
        following = Task(executorPreference: place) { await parts.recorder.follow(parts.source) }
        logger.notice(
            "odograph \(Build.version) tracks",
            metadata: [
                "device": "\(configuration.address.clientID)", "source": "\(parts.source.name)",
                "broker": "\(configuration.broker.url)", "store": "\(configuration.store.path)",
            ])
    }

    /// Stops tracking, commits what waits, says `offline` to the broker and closes the store.
    public func stop() async {
        guard let stopping = parts else { return }
        parts = nil
        following?.cancel()
        await following?.value
        following = nil
        await stopping.recorder.stop()
        control?.stop()
        control = nil
        await stopping.session.stop(farewell: [stopping.herald.farewell()])
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        tasks = []
        try? await stopping.store.flushAcknowledgements()
        logger.notice("odograph has stopped")
    }

    /// Starts, runs until the service is shut down or its task cancelled (or, with ``stopsAtEnd``, until all is
    /// delivered), and stops.
    public func run() async throws {
        try await start()
        let end = stopsAtEnd
        await cancelWhenGracefulShutdown { [self] in
            if end { await waitForDelivery() } else { await waitForCancellation() }
        }
        await stop()
    }

    private nonisolated func waitForCancellation() async {
        let (stream, _) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
    }

    /// Returns when the source has ended and the broker has everything, or the task is cancelled.
    private func waitForDelivery() async {
        let following = following
        // Whoever waits is cancelled by a signal; the task that is waited for would go on.
        await withTaskCancellationHandler {
            await following?.value
        } onCancel: {
            following?.cancel()
        }
        while !Task.isCancelled {
            if let depth = try? await parts?.store.statistics().depth, depth == 0 {
                hasDelivered = true
                return
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private func problemsChanged() async {
        guard let parts else { return }
        guard parts.herald.note(await problems.current) else { return }
        if await parts.publisher.isConnected { parts.session.publish([parts.herald.renewal()]) }
    }

    private func warnOfPlainText() {
        guard configuration.broker.isInsecure else { return }
        logger.warning(
            "positions cross the network as plain text, as allow_insecure says; use mqtts:// to keep them private",
            metadata: ["broker": "\(configuration.broker.url)"])
    }

    // MARK: What it knows

    /// The location events from now on: records with their `seq`, and the samples of a position request.
    public var locations: AsyncStream<LocationEvent> {
        parts?.recorder.feed.listen() ?? AsyncStream { $0.finish() }
    }

    /// The revisions of the timeline's events from now on, with a `lastUpdateDate` that never decreases. What a query that is
    /// made after this was asked for does not contain, comes here. A listener that is behind by a thousand revisions loses the
    /// oldest; ``timelineUpdates(after:)`` has what counts of them.
    public var timelineUpdates: AsyncStream<TimelineEventRevision> {
        parts?.recorder.timelineFeed.listen() ?? AsyncStream { $0.finish() }
    }

    /// The store while it runs.
    var store: AgentStore? { parts?.store }

    /// The last believed position as an event would say it now; nil before the first.
    public var lastLocation: LocationEvent? {
        get async { await parts?.recorder.lastLocation }
    }

    /// Whether the vehicle moves.
    public var isMoving: Bool {
        get async { await parts?.recorder.isMoving ?? false }
    }

    /// The distance travelled, and its bound.
    public var odometer: Odometer {
        get async { await parts?.recorder.odometer ?? Odometer(meters: 0, errorMeters: 0) }
    }

    /// Whether positions are recorded.
    public var isTracking: Bool {
        get async { await parts?.recorder.isTrackingEnabled ?? false }
    }

    /// Whether tracking is on by the schedule now; true where there is no schedule.
    public var isWithinSchedule: Bool {
        get async { await parts?.recorder.isWithinSchedule ?? configuration.tracking.schedule.isOpen(at: nil) }
    }

    /// Whether the source has ended, as a replay does, and all that it said is recorded.
    public var isAtEnd: Bool {
        get async { await parts?.recorder.hasSourceEnded ?? true }
    }

    /// What is wrong at present, the oldest first; what was wrong in the end where it has stopped.
    public var currentProblems: [Problem] {
        get async { await problems.current }
    }

    // MARK: What it can be told

    /// Sets the odometer, in metres; its error begins again at 0.
    public func setOdometer(_ meters: Double) async {
        await parts?.recorder.setOdometer(meters: meters)
    }

    /// Turns tracking on or off, over what the configuration says, until the agent is started anew.
    public func setTracking(_ isOn: Bool) async {
        await parts?.remote.overrideTracking(isOn)
    }

    /// Has somebody asked whether to track although the schedule is closed, in mode `stop`: as it closes, as the agent
    /// starts, and with each position from then on, so that the answer may change. nil asks nobody. What is recorded on a
    /// yes has the tag of `off_schedule`. In mode `private` nobody is asked: that is a promise to the driver.
    ///
    /// - Parameter question: called on the store's thread, up to several times a second, so it must be quick.
    public func setShouldTrackOutsideSchedule(_ question: (@Sendable () -> Bool)?) async {
        shouldTrackOutsideSchedule = question
        await parts?.recorder.askOutsideSchedule(question)
    }

    /// Takes samples and gives the best.
    /// - Parameters:
    ///   - samples: how many are compared, ≥ 1; a very good one ends the request at once.
    ///   - timeoutSeconds: the best so far is the answer after this long.
    ///   - isPersisted: whether the answer is also recorded and published.
    /// - Returns: nil where no acceptable position came in time.
    public func currentPosition(
        samples: Int = 3, timeoutSeconds: Double = 30, isPersisted: Bool = true
    ) async -> LocationEvent? {
        await parts?.recorder.currentPosition(
            samples: max(samples, 1), timeoutSeconds: timeoutSeconds, isPersisted: isPersisted)
    }
}
