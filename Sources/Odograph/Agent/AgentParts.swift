import CivilTime
import Link
import Logging
import Positioning
import Store
import Wire

/// The parts of a running agent, put together.
struct AgentParts: Sendable {
    let store: AgentStore
    let recorder: Recorder
    let remote: RemoteConfiguration
    let geofences: RemoteGeofences
    let reporter: ReportPublisher
    let source: any PositionSource
    let session: MQTTSession
    let publisher: Publisher
    let statusPublisher: StatusPublisher
    let linkStateStore: LinkStateStore

    /// Opens the store, loads what the last run left, and makes the rest; nothing moves yet.
    static func assemble(
        _ configuration: AgentConfiguration, clock: any AgentClock, broadcasts: RecordBroadcasts,
        problems: ProblemRegistry,
        logger: Logger
    ) async throws -> AgentParts {
        let password = try BrokerCredentials.password(for: configuration.broker)
        var storing = configuration.store
        // What is delivered is deleted by the half window at the latest, which is 500 at most: one fsync for so many is
        // little beside sending them, and the other half keeps the pipe full meanwhile.
        storing.options.acknowledgementBatch = max(configuration.broker.window / 2, 1)
        let hadDatabase = FileReader.mayExist(storing.path)
        let store = try await openStore(storing, clock: clock, problems: problems, logger: logger)
        await StoreOwner.claim(
            configuration.address, in: store, now: clock.now().systemTime, problems: problems, logger: logger)
        let linkStateStore = await LinkStateStore(store: store, problems: problems, logger: logger)
        let clientID = await ClientIdentity.load(configuration, from: store, logger: logger)
        let statusPublisher = StatusPublisher(address: configuration.address, clock: clock)
        let session = MQTTSession(
            configuration: configuration.broker.linkConfiguration(
                clientID: clientID, password: password, rememberedVersion: await linkStateStore.protocolVersion),
            firstSessionNumber: linkStateStore.firstSession,
            hooks: MQTTSession.Hooks(
                will: { statusPublisher.willMessage(session: $0) },
                connectMessages: { [statusPublisher.connectMessage(session: $0.sessionNumber)] }),
            logger: logger)
        let publisher = Publisher(
            store: store, session: session, window: configuration.broker.window, address: configuration.address,
            clock: clock, problems: problems, logger: logger)
        // Made to be asked this, and no more: the one that is followed goes on behind what the recorder finds.
        let usesVirtualTime = configuration.source.source(resumeAfter: 0, clock: clock).usesVirtualTime
        let (remote, recorder) = await RemoteConfiguration.load(
            configuration, store: store, hadDatabase: hadDatabase, clock: clock, problems: problems, logger: logger
        ) { settings in
            Recorder(
                store: store, deviceID: configuration.address.device, settings: settings, clock: clock,
                usesVirtualTime: usesVirtualTime, boot: Boot.id, broadcasts: broadcasts, problems: problems,
                onCommit: { publisher.announce($0, capturedUptimeMilliseconds: $1) }, logger: logger)
        }
        let geofences = try await RemoteGeofences.load(configuration, clock: clock, problems: problems, logger: logger)
        let ordinal = await recorder.restore(geofences: await geofences.storedSetLookup)
        await geofences.start(recorder)
        let reporter = ReportPublisher(
            address: configuration.address, groups: configuration.groups, store: store, recorder: recorder,
            remote: remote, geofences: geofences, session: session, clock: clock)
        return AgentParts(
            store: store, recorder: recorder, remote: remote, geofences: geofences, reporter: reporter,
            source: configuration.source.source(resumeAfter: ordinal, clock: clock), session: session,
            publisher: publisher, statusPublisher: statusPublisher, linkStateStore: linkStateStore)
    }

    private static func damageMessage(_ damage: OpeningReport.Damage, epoch: Int64) -> String {
        "the database was damaged (\(damage.reason)) and is kept as \(damage.asidePath); "
            + "\(damage.salvagedCount) undelivered records were salvaged, epoch \(epoch) begins"
    }

    /// The store, or, where its file cannot be used yet, one in memory: an agent that cannot write still tells where it is.
    private static func openStore(
        _ configuration: StoreConfiguration, clock: any AgentClock, problems: ProblemRegistry, logger: Logger
    ) async throws -> AgentStore {
        let now = clock.now().systemTime
        do {
            let (store, report) = try await AgentStore.open(
                at: configuration.path, options: configuration.options, now: now)
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
            problems.raise(.storeUnusable, Recorder.unusableMessage(for: error), at: .error, in: logger)
            let store = try await AgentStore.openInMemory(
                insteadOf: configuration.path, options: configuration.options, now: now
            ).store
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

extension SourceConfiguration {
    /// The source itself; a replay goes on behind the last event that was dealt with.
    fileprivate func source(resumeAfter ordinal: Int64, clock: any AgentClock) -> any PositionSource {
        switch self {
        case .gpsd(let settings): return GPSDSource(settings, clock: clock)
        case .replay(var settings):
            settings.resumeAfterOrdinal = ordinal
            return ReplaySource(settings, clock: clock)
        case .simulator(var settings):
            // A drive of its own time goes on; one that begins with the agent begins anew.
            settings.resumeAfterOrdinal = settings.startTime == nil ? 0 : ordinal
            return SimulatorSource(settings, clock: clock)
        }
    }
}
