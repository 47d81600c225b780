import OdographCivilTime
import OdographGeodesy
import OdographLink
import Logging
import OdographPositioning
import OdographSettings
import OdographStore
import OdographThreads
import OdographTracking
import OdographWire

/// The agent: receives positions from a source, stores its records and publishes them to the broker.
///
///     let agent = Agent(configuration: try ConfigurationFile.load("/etc/odograph/agent.json5"))
///     try await agent.start()
///     for await event in await agent.locations { print(event.coords.latitude, event.odometer) }
///
/// An embedding program starts and stops it, or runs it; the module `OdographLifecycle` makes it a `Service`.
public actor Agent {
    /// The time between two looks for new rules of time zones, milliseconds. An agent without positions looks, too.
    private static let zoneRefreshMilliseconds: Int64 = 30_000

    /// The configuration that the agent was created with.
    public nonisolated let configuration: AgentConfiguration
    /// Whether ``run()`` returns when the source has ended (a replay) and everything is delivered.
    public nonisolated let stopsAtEnd: Bool

    /// Whether the source has ended and the broker has received everything. Set only with ``stopsAtEnd``.
    public private(set) var hasDelivered = false

    /// The records that the last stop could not store; nil if it stored everything.
    package private(set) var loss: String?

    /// The source of positions that the program has given; nil for that of the configuration.
    let ownSource: (any PositionSource)?
    let clock: any AgentClock
    let logger: Logger
    let problems: ProblemRegistry
    let broadcasts = RecordBroadcasts()
    /// The number of probes that the client's thread and the event loop have answered.
    let probeResponses = HeartbeatCounter()
    /// Sent when the connection to the broker or the problems may have changed.
    let stateChanges = CoalescingSignal()
    /// The configuration with the changes of later reloads.
    var effectiveConfiguration: AgentConfiguration
    private(set) var parts: AgentParts?
    /// Whether the event streams are closed until the next start.
    private(set) var hasStopped = false
    /// Whether the agent is starting or stopping.
    private var isTransitioning = false
    /// The callers that wait for the end of the transition.
    private var transitionWaiters: [CheckedContinuation<Void, Never>] = []
    var shouldTrackOutsideSchedule: (@Sendable () -> Bool)?
    /// The server for local programs. nil while the agent does not run, or if its socket cannot be recreated.
    let controlServer = Lock<ControlServer?>(nil)
    private var makeControlServer: (@Sendable () throws -> ControlServer)?
    private var tasks: [Task<Void, Never>] = []
    private var sourceTask: Task<Void, Never>?
    /// The consumers of the vehicle's signals.
    private var signalTasks: [Task<Void, Never>] = []

    /// Creates an agent; ``start()`` starts it.
    /// - Parameters:
    ///   - configuration: The result of ``ConfigurationFile``.
    ///   - source: A source of positions instead of the configured one, for positions that the program has itself. The
    ///     agent calls its `events()` at each start. nil for the configured one.
    ///   - stopsAtEnd: Whether ``run()`` returns when a replay has ended and everything is delivered.
    ///   - clock: The machine's clock; tests pass another.
    ///   - logger: The destination of log messages.
    public init(
        configuration: AgentConfiguration, source: (any PositionSource)? = nil, stopsAtEnd: Bool = false,
        clock: any AgentClock = SystemAgentClock(), logger: Logger = Logger(label: "odograph")
    ) {
        self.configuration = configuration
        ownSource = source
        effectiveConfiguration = configuration
        self.stopsAtEnd = stopsAtEnd
        self.clock = clock
        self.logger = logger
        problems = ProblemRegistry(clock: clock)
    }

    // MARK: Life

    /// Opens the store, connects and begins to track. Does nothing if the agent runs. After ``stop()`` it waits for the
    /// stop and starts the agent again. An unreachable broker or receiver and an unusable disk are no errors: the agent
    /// retries, or continues without them, and lists them in ``currentProblems``.
    /// - Throws: `StoreError.inUse` if another agent uses the store, `ConfigurationError` if a named password file
    ///   cannot be read, ``ControlError`` if the control socket cannot be created, `ThreadLimitError` if the system
    ///   starts no further thread. The event streams then end.
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
        effectiveConfiguration = configuration
        warnIfInsecure()
        for sentence in configuration.broker.secretExposureWarnings { logger.warning("\(sentence)") }
        let parts = try await AgentParts.assemble(
            configuration, source: ownSource, clock: clock, broadcasts: broadcasts, problems: problems, logger: logger)
        let rollCall = RollCallResponder(
            client: parts.client, status: { parts.statusPublisher.statusMessage() },
            publishReport: { await parts.reporter.publishAgain() }, pipeline: parts.pipeline, clock: clock)
        let commandHandler = CommandHandler(
            store: parts.store, pipeline: parts.pipeline, remote: parts.remote, geofences: parts.geofences,
            source: parts.source, client: parts.client, publisher: parts.publisher, configuration: configuration,
            rollCall: rollCall, credentials: parts.credentials, renewal: parts.renewal, problems: problems, clock: clock
        )
        let commands = await RemoteCommands.load(
            commandHandler: commandHandler, address: configuration.address, clock: clock, logger: logger)
        let downlink = DownlinkRouter(
            address: configuration.address, groups: await parts.remote.outcome.groups, configuration: parts.remote,
            commands: commands, geofences: parts.geofences)
        let ownStatus = OwnStatusMonitor(
            address: configuration.address, statusPublisher: parts.statusPublisher, client: parts.client,
            clock: clock, problems: problems, logger: logger)
        let router = LinkEventRouter(
            parts, ownStatus: ownStatus, downlink: downlink, clock: clock, problems: problems,
            probeResponses: probeResponses, stateChanges: stateChanges, logger: logger)
        let listen: @Sendable () throws -> ControlServer = { [configuration] in
            try ControlServer(path: configuration.controlPath, address: configuration.address.path) {
                await commandHandler.handle($0)
            }
        }
        let isWaitingForDisk = await parts.store.isWaitingForFile
        do {
            let server = try listen()
            controlServer.withLock { $0 = server }
        } catch let error as ControlError where error.kind == .unusable && isWaitingForDisk {
            // Its folder is that of the database. What checks the database's file tries again.
            logger.error("\(error); no command on this machine reaches the agent until then")
        } catch {
            await parts.pipeline.stop()
            try? await parts.store.close()
            throw error
        }
        self.parts = parts
        self.makeControlServer = listen
        let problemChanges = CoalescingSignal()
        problems.setObserver { problemChanges.send() }
        tasks = [
            Task { await parts.publisher.run() },
            Task {
                for await _ in parts.publisher.settingsSignal.stream {
                    await parts.publisher.updateSettings(await parts.pipeline.settings)
                }
            },
            Task { await router.run() },
            Task { [weak self, clock] in
                await StatusRate.run(problemChanges, clock: clock) { [weak self] in await self?.publishProblems() }
            },
            Task { await ownStatus.run() },
            Task { await parts.remote.run() },
            Task { await parts.geofences.run() },
            Task { await commands.run() },
            Task { await parts.reporter.run() },
            Task { await parts.brokerMover.run() },
            Task { await parts.renewal.run() },
            Task { [weak self, clock] in
                await clock.repeatAction(everyMilliseconds: Self.zoneRefreshMilliseconds) { [weak self] in
                    await self?.refreshZones()
                }
            },
            Task { [clock] in await IntegrityScanner(store: parts.store, clock: clock).run() },
            Task { [clock] in
                await Retention(store: parts.store, pipeline: parts.pipeline, clock: clock).run()
            },
        ]
        // Weak: the reporter keeps strong references to these parts. A strong one here would be a cycle.
        let look: @Sendable () -> Void = {
            [weak reporter = parts.reporter, weak publisher = parts.publisher, weak mover = parts.brokerMover] in
            reporter?.requestReport()
            mover?.requestCheck()
            publisher?.requestSettings()
        }
        parts.remote.observeLevels {
            [weak router, weak downlink, weak geofences = parts.geofences, weak client = parts.client] change in
            // Before the first message of a joined group arrives.
            geofences?.setGroups(change.groups)
            guard let (ended, begun) = downlink?.follow(change) else { return }
            client?.unsubscribe(ended)
            client?.subscribe(begun)
            Task { await router?.handleLeftGroups() }
        }
        parts.remote.observe(look)
        parts.geofences.observe(look)
        await parts.pipeline.observeSchedule(look)
        await applyOffScheduleOverride()
        await parts.pipeline.observeStoreFile(storeObserver(of: parts, commands: commands))
        let ownTopics = configuration.broker.clientID == nil ? [ownStatus.topic] : []
        parts.remote.readTraffic { [weak client = parts.client] in client?.receivedBytes ?? 0 }
        parts.client.subscribe(ownTopics + downlink.topics)
        await parts.publisher.updateSettings(await parts.pipeline.settings)
        parts.brokerMover.requestCheck()
        parts.statusPublisher.updateProblems(problems.current)
        parts.statusPublisher.updateBudget(await parts.publisher.budgetState)
        parts.client.start()
        // A position then wakes only the store's thread, and no thread of the pool. A replay in virtual time runs on
        // the pool, beside the store's thread.
        let place = parts.pipeline.usesVirtualTime ? nil : parts.store.taskExecutor
        sourceTask = Task(executorPreference: place) { await parts.pipeline.consume(parts.source) }
        signalTasks = parts.signalSources.map { source in
            Task(executorPreference: place) { await parts.pipeline.consume(source) }
        }
        logger.notice(
            "odograph \(Build.version) started",
            metadata: [
                "device": "\(configuration.address.path)", "source": "\(parts.source.name)",
                "broker": "\(parts.client.broker)", "store": "\(configuration.store.path)",
            ])
    }

    /// Stops tracking, records the last position if the vehicle is moving, commits pending records, publishes `offline`
    /// and closes the store. Another agent can then open the store.
    ///
    /// Takes up to 6 s if the broker does not answer. An agent that is starting is stopped as soon as it runs. Does
    /// nothing if the agent does not run.
    public func stop() async {
        await beginTransition()
        defer { endTransition() }
        guard let stopping = parts else { return }
        parts = nil
        hasStopped = true
        for task in signalTasks { task.cancel() }
        signalTasks = []
        sourceTask?.cancel()
        await sourceTask?.value
        sourceTask = nil
        let unsaved = await stopping.pipeline.stop()
        await stopping.publisher.publishPending(isClosingBatch: true)
        makeControlServer = nil
        removeControlServer()?.stop()
        await stopping.publisher.waitForAcknowledgements(atMost: .seconds(1))
        let queue = (try? await stopping.store.statistics()).map { QueueState(depth: $0.depth, oldest: $0.oldest) }
        await stopping.client.stop(disconnectMessages: [stopping.statusPublisher.disconnectMessage(queue)])
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        tasks = []
        try? await stopping.store.close(losing: unsaved?.records ?? 0)
        loss = unsaved.map { Self.loss($0, waiting: queue?.depth) }
        if let loss { logger.error("\(loss)") }
        logger.notice("odograph stopped")
    }

    /// - Parameter waiting: The number of records that the database has and the broker or a recorder has not; nil if it
    ///   is not known.
    private static func loss(_ unsaved: UnsavedEnd, waiting: Int?) -> String {
        let records = unsaved.records + (unsaved.isDatabaseLost ? waiting ?? 0 : 0)
        return "the agent ends before the database can be written: \(records) records and the last state are lost; the "
            + "ledger of the next start has the numbers of the records"
    }

    /// Waits until no start or stop is in progress: they run one after the other.
    private func beginTransition() async {
        while isTransitioning { await withCheckedContinuation { transitionWaiters.append($0) } }
        isTransitioning = true
    }

    private func endTransition() {
        isTransitioning = false
        for continuation in transitionWaiters { continuation.resume() }
        transitionWaiters = []
    }

    /// Starts the agent, runs until its task is cancelled (or, with ``stopsAtEnd``, until everything is delivered), and
    /// stops it.
    /// - Throws: The errors of ``start()``.
    public func run() async throws { try await run { await Task.waitUntilCancelled() } }

    /// Starts the agent, runs until an operation returns or the task is cancelled (or, with ``stopsAtEnd``, until
    /// everything is delivered), and stops it.
    /// - Parameter end: Returns when the agent must stop, or when its task is cancelled.
    /// - Throws: The errors of ``start()``.
    public func run(until end: @escaping @Sendable () async -> Void) async throws {
        try await start()
        let stopsAtEnd = stopsAtEnd
        await Task.run(until: end) { [self] in
            if stopsAtEnd { await waitForDelivery() } else { await Task.waitUntilCancelled() }
        }
        await stop()
    }

    /// Returns when the source has ended and the broker has received everything, or when the task is cancelled.
    private func waitForDelivery() async {
        let following = sourceTask
        // A signal cancels this task, but not the task that it waits for.
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
            // No further record comes that a batch could wait for.
            await parts?.publisher.publishPending(isClosingBatch: true)
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Publishes the status again if its problems have changed.
    private func publishProblems() async {
        guard let parts else { return }
        stateChanges.send()
        guard parts.statusPublisher.updateProblems(problems.current) else { return }
        parts.statusPublisher.updateBudget(await parts.publisher.budgetState)
        if await parts.publisher.isConnected { parts.client.publish([parts.statusPublisher.statusMessage()]) }
    }

    /// Recreates the control socket if it was deleted.
    func recreateControlSocket() {
        guard let makeControlServer, controlServer.withLock({ $0?.isBoundToPath != true }) else { return }
        let former = removeControlServer()
        former?.stop()
        do {
            let server = try makeControlServer()
            controlServer.withLock { $0 = server }
            let reason = former == nil ? "could not be created before" : "was deleted while the agent ran"
            logger.warning("\(configuration.controlPath): the control socket \(reason); creating it again")
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
            "the connection is not encrypted, because allow_insecure is true; use mqtts:// to protect the positions",
            metadata: ["broker": "\(configuration.broker.addresses)"])
    }
}
