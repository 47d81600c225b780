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
    let logger: Logger
    let problems: ProblemRegistry
    let broadcasts = RecordBroadcasts()
    /// Counts what the session's thread has answered through the reader of its events.
    let probeResponses = HeartbeatCounter()
    /// The configuration with what was read of it since the start.
    var effectiveConfiguration: AgentConfiguration
    private(set) var parts: AgentParts?
    /// Whether there is nothing to listen to until the next start.
    private(set) var hasStopped = false
    /// Whether it is just starting or stopping.
    private var isTransitioning = false
    /// Who waits until it is not.
    private var transitionWaiters: [CheckedContinuation<Void, Never>] = []
    var shouldTrackOutsideSchedule: (@Sendable () -> Bool)?
    /// Answers local programs; nil where the agent does not run, or its socket cannot be made anew.
    let controlServer = Lock<ControlServer?>(nil)
    /// Makes the control socket.
    private var makeControlServer: (@Sendable () throws -> ControlServer)?
    private var tasks: [Task<Void, Never>] = []
    private var sourceTask: Task<Void, Never>?

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
        effectiveConfiguration = configuration
        self.stopsAtEnd = stopsAtEnd
        self.clock = clock
        self.logger = logger
        problems = ProblemRegistry(clock: clock)
    }

    // MARK: Life

    /// Opens the store, connects and begins to track; also once more, after ``stop()``, whose end it waits for. Nothing
    /// happens where it runs.
    /// - Throws: `StoreError.inUse` where another agent has the store, ``ConfigurationError`` where a named password file
    ///   cannot be read, ``ControlError`` where the control socket cannot be made, ``ExitError`` where the system starts no
    ///   further thread. What is away (the broker, the receiver) or unusable (the disk) is no error here: it is tried again
    ///   for ever, or done without, and told in ``currentProblems``. Whoever listens already has heard the end then.
    public func start() async throws {
        await beginTransition()
        defer { endTransition() }
        guard parts == nil else { return }
        hasStopped = false
        do {
            try await startComponents()
        } catch {
            hasStopped = true
            broadcasts.finish()
            throw error
        }
    }

    private func startComponents() async throws {
        warnIfInsecure()
        for sentence in configuration.broker.secretExposureWarnings { logger.warning("\(sentence)") }
        let parts = try await AgentParts.assemble(
            configuration, clock: clock, broadcasts: broadcasts, problems: problems, logger: logger)
        let commandHandler = CommandHandler(
            store: parts.store, recorder: parts.recorder, remote: parts.remote, geofences: parts.geofences,
            source: parts.source, session: parts.session, publisher: parts.publisher, configuration: configuration,
            problems: problems, clock: clock)
        let commands = await RemoteCommands.load(
            commandHandler: commandHandler, address: configuration.address, clock: clock, logger: logger)
        let downlink = DownlinkRouter(
            address: configuration.address, groups: configuration.groups, configuration: parts.remote,
            commands: commands, geofences: parts.geofences)
        let ownStatus = OwnStatusMonitor(
            address: configuration.address, statusPublisher: parts.statusPublisher, session: parts.session,
            problems: problems,
            logger: logger)
        let listen: @Sendable () throws -> ControlServer = { [configuration] in
            try ControlServer(path: configuration.controlPath, address: configuration.address.path) {
                await commandHandler.handle($0)
            }
        }
        do {
            let server = try listen()
            controlServer.withLock { $0 = server }
        } catch {
            await parts.recorder.stop()
            try? await parts.store.close()
            throw error
        }
        self.parts = parts
        self.makeControlServer = listen
        let problemChanges = CoalescingSignal()
        problems.setObserver { problemChanges.send() }
        tasks = [
            Task { await parts.publisher.run() },
            Task { [clock, problems, probeResponses, logger] in
                await LinkEventRouter(
                    session: parts.session, publisher: parts.publisher, recorder: parts.recorder,
                    remote: parts.remote, reporter: parts.reporter, linkStateStore: parts.linkStateStore,
                    ownStatus: ownStatus, downlink: downlink, clock: clock, problems: problems,
                    probeResponses: probeResponses, logger: logger
                ).run()
            },
            Task { [weak self] in for await _ in problemChanges.stream { await self?.publishProblems() } },
            Task { await parts.remote.run() },
            Task { await parts.geofences.run() },
            Task { await commands.run() },
            Task { await parts.reporter.run() },
            Task { [clock] in await IntegrityScanner(store: parts.store, clock: clock).run() },
            Task { [clock] in
                await Retention(store: parts.store, recorder: parts.recorder, clock: clock).run()
            },
        ]
        // Weak: the reporter asks all of these, and none of them would ever be released.
        let look: @Sendable () -> Void = { [weak reporter = parts.reporter] in reporter?.requestReport() }
        parts.remote.observe(look)
        parts.geofences.observe(look)
        await parts.recorder.observeSchedule(look)
        await parts.recorder.setOffScheduleOverride(shouldTrackOutsideSchedule)
        await parts.recorder.observeStoreFile(storeObserver(of: parts, commands: commands))
        // A broker that prescribes the client id shows a copied configuration itself, and some end the connection of a
        // client that subscribes to more than their rules let it.
        let ownTopics = configuration.broker.clientID == nil ? [ownStatus.topic] : []
        parts.session.subscribe(downlink.topics + ownTopics)
        parts.statusPublisher.updateProblems(problems.current)
        parts.session.start()
        // A position wakes the store's thread, and none of the pool's before and after. A source that runs faster than
        // time works beside it.
        let place = parts.recorder.usesVirtualTime ? nil : parts.store.taskExecutor
        sourceTask = Task(executorPreference: place) { await parts.recorder.consume(parts.source) }
        logger.notice(
            "odograph \(Build.version) tracks",
            metadata: [
                "device": "\(configuration.address.path)", "source": "\(parts.source.name)",
                "broker": "\(configuration.broker.url)", "store": "\(configuration.store.path)",
            ])
    }

    /// Stops tracking, records the last position where the vehicle is on its way, commits what waits, says `offline` to the
    /// broker and closes the store: another agent can have it then. Takes up to 5 s where the broker does not answer. One
    /// that is starting is stopped as soon as it runs; nothing happens where it does not run.
    public func stop() async {
        await beginTransition()
        defer { endTransition() }
        guard let stopping = parts else { return }
        parts = nil
        hasStopped = true
        sourceTask?.cancel()
        await sourceTask?.value
        sourceTask = nil
        await stopping.recorder.stop()
        await stopping.publisher.publishPending()
        makeControlServer = nil
        removeControlServer()?.stop()
        await stopping.session.stop(disconnectMessages: [stopping.statusPublisher.disconnectMessage()])
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        tasks = []
        try? await stopping.store.close()
        logger.notice("odograph has stopped")
    }

    /// Starting and stopping take their time: the one comes after the other.
    private func beginTransition() async {
        while isTransitioning { await withCheckedContinuation { transitionWaiters.append($0) } }
        isTransitioning = true
    }

    private func endTransition() {
        isTransitioning = false
        for continuation in transitionWaiters { continuation.resume() }
        transitionWaiters = []
    }

    /// Starts, runs until the service is shut down or its task cancelled (or, with ``stopsAtEnd``, until all is
    /// delivered), and stops.
    /// - Throws: as ``start()``.
    public func run() async throws {
        try await start()
        let end = stopsAtEnd
        await cancelWhenGracefulShutdown { [self] in
            if end { await waitForDelivery() } else { await Task.waitUntilCancelled() }
        }
        await stop()
    }

    /// Returns when the source has ended and the broker has everything, or the task is cancelled.
    private func waitForDelivery() async {
        let following = sourceTask
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

    /// Publishes the status once more where its problems have changed.
    private func publishProblems() async {
        guard let parts else { return }
        guard parts.statusPublisher.updateProblems(problems.current) else { return }
        if await parts.publisher.isConnected { parts.session.publish([parts.statusPublisher.statusMessage()]) }
    }

    /// Makes the control socket anew where somebody has deleted it.
    func recreateControlSocket() {
        guard let makeControlServer, controlServer.withLock({ $0?.isBoundToPath != true }) else { return }
        removeControlServer()?.stop()
        do {
            let server = try makeControlServer()
            controlServer.withLock { $0 = server }
            logger.warning(
                "\(configuration.controlPath): the control socket was deleted while the agent ran; it is made anew")
        } catch {
            logger.warning("\(error)")
        }
    }

    private func removeControlServer() -> ControlServer? {
        controlServer.withLock { control in
            defer { control = nil }
            return control
        }
    }

    private func warnIfInsecure() {
        guard configuration.broker.isInsecure else { return }
        logger.warning(
            "positions cross the network as plain text, as allow_insecure says; use mqtts:// to keep them private",
            metadata: ["broker": "\(configuration.broker.url)"])
    }
}
