import OdographCivilTime
import OdographLink
import Logging
import OdographModel
import OdographPositioning
import OdographSettings
import OdographStore
import OdographWire

/// The parts of a running agent.
struct AgentParts: Sendable {
    let store: AgentStore
    let pipeline: InputPipeline
    let remote: RemoteConfiguration
    let geofences: RemoteGeofences
    let reporter: ReportPublisher
    let source: any PositionSource
    /// The live sources of the vehicle's signals. A replay in virtual time has none: its times are not theirs.
    let signalSources: [any VehicleSignalSource]
    let client: MQTTClient
    let publisher: Publisher
    let statusPublisher: StatusPublisher
    let linkStateStore: LinkStateStore
    let brokerMover: BrokerMover
    let credentials: VehicleCredentials
    let renewal: CertificateRenewal

    /// Opens the store, loads the state of the last run and creates the other parts. Starts none of them.
    /// - Parameter source: The source of positions; nil for that of the configuration.
    static func assemble(
        _ configuration: AgentConfiguration, source: (any PositionSource)?, clock: any AgentClock,
        broadcasts: RecordBroadcasts, problems: ProblemRegistry, logger: Logger
    ) async throws -> AgentParts {
        try BrokerCredentials.checkPaths(of: configuration.broker)
        let password = try BrokerCredentials.password(for: configuration.broker)
        let path = configuration.store.path
        var options = configuration.store.options
        // Acknowledged rows are deleted with the next commit, or when half the maximum in flight waits, which is 500 at
        // most. One fsync for so many costs little compared with sending them. The other half keeps the link busy.
        options.acknowledgementBatch = max(configuration.broker.maximumInFlight / 2, 1)
        let hadDatabase = FileReader.mayExist(path)
        let store = try await openStore(at: path, options, clock: clock, problems: problems, logger: logger)
        await StoreOwner.claim(
            configuration.address, in: store, now: clock.now().systemTime, problems: problems, logger: logger)
        let brokers = await BrokerMover.brokers(
            of: configuration.broker.urls, in: store, problems: problems, logger: logger)
        let linkStateStore = await LinkStateStore(
            store: store, broker: brokers[0], clock: clock, problems: problems, logger: logger)
        let clientID = await ClientIdentity.load(configuration, from: store, logger: logger)
        let statusPublisher = StatusPublisher(address: configuration.address, clock: clock)
        var broker = configuration.broker
        broker.urls = brokers
        var link = broker.linkConfiguration(clientID: clientID, password: password)
        link.hasSpokenVersion5 = await linkStateStore.hasSpokenVersion5
        link.rememberedKeepAlive = linkStateStore.keepAlive
        let credentials = VehicleCredentials(configuration, clock: clock, problems: problems, logger: logger)
        let client = MQTTClient(
            configuration: link, firstConnectionNumber: linkStateStore.firstConnection,
            hooks: hooks(statusPublisher, credentials), logger: logger)
        let publisher = Publisher(
            store: store, client: client, maximumInFlight: configuration.broker.maximumInFlight,
            address: configuration.address,
            clock: clock, problems: problems, announcesNumbers: configuration.broker.clientID == nil, logger: logger)
        // This source only answers the question. The real one is created below, when the pipeline knows where to
        // resume.
        let usesVirtualTime =
            (source ?? configuration.source.source(resumeAfter: 0, clock: clock)).usesVirtualTime
        let (remote, pipeline) = await RemoteConfiguration.load(
            configuration, store: store, hadDatabase: hadDatabase, clock: clock, problems: problems, logger: logger
        ) { settings in
            InputPipeline(
                store: store, deviceID: configuration.address.device, settings: settings, clock: clock,
                usesVirtualTime: usesVirtualTime, boot: Boot.id, broadcasts: broadcasts, problems: problems,
                onCommit: { publisher.enqueueCommitted($0) },
                logger: logger)
        }
        let geofences = try await RemoteGeofences.load(
            configuration, groups: await remote.outcome.groups, clock: clock, problems: problems, logger: logger)
        // With a configured client ID, the broker itself shows that a configuration was copied. Some brokers also end
        // the connection of a client that subscribes to a topic that it may not read. First of all topics: what the
        // broker retains there says whose numbers the receipts are about.
        if configuration.broker.clientID == nil { client.subscribe([publisher.numbersTopic]) }
        // Before the first commit, which can make room and name what a gap has left out.
        await publisher.updateSettings(await pipeline.settings)
        let ordinal = await pipeline.restore(geofences: await geofences.storedSetLookup)
        let saved = [
            DocumentName.drivers: await SavedDocument.read(DocumentName.drivers, from: store),
            DocumentName.programSignals: await SavedDocument.read(DocumentName.programSignals, from: store),
        ]
        await pipeline.restoreProgramSettings { saved[$0] ?? .absent }
        let beaconSource = configuration.vehicle.bluetooth.map { BlueZSource($0, clock: clock) }
        await pipeline.observeBeacons(with: usesVirtualTime ? nil : beaconSource)
        await geofences.start(pipeline)
        await publisher.observeOtherRuns { [weak pipeline] records in Task { await pipeline?.skipRecords(records) } }
        let reporter = ReportPublisher(
            address: configuration.address, store: store, pipeline: pipeline, remote: remote, geofences: geofences,
            publisher: publisher, client: client, credentials: credentials, clock: clock)
        let renewal = CertificateRenewal(
            configuration, credentials: credentials, client: client, clock: clock, problems: problems, logger: logger)
        return AgentParts(
            store: store, pipeline: pipeline, remote: remote, geofences: geofences, reporter: reporter,
            source: source ?? configuration.source.source(resumeAfter: ordinal, clock: clock),
            signalSources: usesVirtualTime ? [] : configuration.vehicle.sources(clock: clock), client: client,
            publisher: publisher, statusPublisher: statusPublisher, linkStateStore: linkStateStore,
            brokerMover: BrokerMover(
                configuration, brokers: brokers, link: link, client: client, store: store, remote: remote,
                credentials: credentials, clock: clock, problems: problems, logger: logger),
            credentials: credentials, renewal: renewal)
    }

    private static func hooks(_ status: StatusPublisher, _ credentials: VehicleCredentials) -> MQTTClient.Hooks {
        var hooks = MQTTClient.Hooks(
            will: { status.willMessage(connection: $0) },
            connectMessages: { info in
                credentials.handleConnected(info)
                return [status.connectMessage(connection: info.connectionNumber)]
            })
        hooks.tls = { credentials.settings(for: $0) }
        hooks.attemptFailed = { credentials.handleFailure($0) }
        return hooks
    }

    private static func damageMessage(_ damage: OpeningReport.Damage, epoch: Int64) -> String {
        "the database cannot be used (\(damage.reason)) and was renamed to \(damage.asidePath); "
            + "\(damage.salvagedCount) undelivered records were recovered into a new database of epoch \(epoch)"
    }

    /// Opens the store. If its file cannot be used yet, opens one in memory, so that the agent still publishes
    /// positions.
    private static func openStore(
        at path: String, _ options: StoreOptions, clock: any AgentClock, problems: ProblemRegistry, logger: Logger
    ) async throws -> AgentStore {
        let now = clock.now().systemTime
        do {
            let (store, report) = try await AgentStore.open(at: path, options: options, now: now)
            if let damage = report.damage {
                let sentence = Self.damageMessage(damage, epoch: report.epoch)
                logger.error("\(sentence)")
                problems.raise(.storeDamaged, sentence)
            }
            if let inconsistency = report.inconsistency {
                problems.raise(.storeInconsistent, inconsistency.description, at: .error, in: logger)
            }
            await observeDamage(of: store, problems: problems, logger: logger)
            return store
        } catch StoreError.inUse(let path) {
            throw StoreError.inUse(path: path)
        } catch {
            RecordingProblems(registry: problems, logger: logger).raiseStoreUnusable(error)
            let store = try await AgentStore.openInMemory(insteadOf: path, options: options, now: now).store
            await observeDamage(of: store, problems: problems, logger: logger)
            return store
        }
    }

    private static func observeDamage(of store: AgentStore, problems: ProblemRegistry, logger: Logger) async {
        await store.observeDamage { damage, epoch in
            let sentence = Self.damageMessage(damage, epoch: epoch)
            logger.error("\(sentence)")
            problems.raise(.storeDamaged, sentence)
        }
    }
}

extension VehicleConfiguration {
    /// Creates the configured sources of the vehicle's signals.
    fileprivate func sources(clock: any AgentClock) -> [any VehicleSignalSource] {
        sources.map { source in
            switch source {
            case .can(let settings): CANSource(settings, clock: clock)
            case .elm327(let settings): ELM327Source(settings, clock: clock)
            }
        }
    }
}

extension SourceConfiguration {
    /// Creates the source. A replay resumes after the last handled event.
    fileprivate func source(resumeAfter ordinal: Int64, clock: any AgentClock) -> any PositionSource {
        switch self {
        case .gpsd(let settings): return GPSDSource(settings, clock: clock)
        case .replay(var settings):
            settings.resumeAfterOrdinal = ordinal
            return ReplaySource(settings, clock: clock)
        case .simulator(var settings):
            // A simulation with a start time of its own resumes. One that begins with the agent begins again.
            settings.resumeAfterOrdinal = settings.startTime == nil ? 0 : ordinal
            return SimulatorSource(settings, clock: clock)
        }
    }
}
