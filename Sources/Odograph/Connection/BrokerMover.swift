import Logging
import OdographJSON
import OdographLink
import OdographPositioning
import OdographSettings
import OdographStore
import OdographThreads
import OdographWire

/// Moves the agent to the brokers that a configuration document names, as ``BrokerMove`` decides.
actor BrokerMover {
    private let configuration: AgentConfiguration
    /// The configuration of the agent's client.
    private let link: LinkConfiguration
    private let client: MQTTClient
    private let store: AgentStore
    private let remote: RemoteConfiguration
    private let credentials: VehicleCredentials
    private let clock: any AgentClock
    private let problems: ProblemRegistry
    private let logger: Logger
    private var move: BrokerMove
    private var proofTask: Task<Void, Never>?
    private var timer = DueTimer()
    private let changeSignal = CoalescingSignal()

    /// - Parameters:
    ///   - brokers: The brokers to which the client connects, see ``brokers(of:in:problems:logger:)``.
    ///   - link: The configuration of the client.
    init(
        _ configuration: AgentConfiguration, brokers: [BrokerURL], link: LinkConfiguration, client: MQTTClient,
        store: AgentStore, remote: RemoteConfiguration, credentials: VehicleCredentials, clock: any AgentClock,
        problems: ProblemRegistry, logger: Logger
    ) {
        self.configuration = configuration
        self.link = link
        self.client = client
        self.store = store
        self.remote = remote
        self.credentials = credentials
        self.clock = clock
        self.problems = problems
        self.logger = logger
        move = BrokerMove(inForce: brokers)
    }

    /// Returns the brokers to connect to after a start: the proved ones of a document, or those of the local file.
    static func brokers(
        of file: [BrokerURL], in store: AgentStore, problems: ProblemRegistry, logger: Logger
    ) async -> [BrokerURL] {
        let saved = await SavedDocument.read(DocumentName.brokers, from: store).parsed {
            try? JSONCoder.decode(SavedBrokers.self, from: $0)
        } onUnreadable: { reason in
            problems.raiseUnreadable(
                "the list of brokers", reason, effect: "the agent uses those of the local file", in: logger)
        }
        return SavedBrokers.brokers(saved, file: file)
    }

    /// Requests a check whether the configuration names other brokers.
    nonisolated func requestCheck() { changeSignal.send() }

    /// Follows the configuration until the task is cancelled.
    func run() async {
        for await _ in changeSignal.stream {
            let outcome = await remote.outcome
            // A document that is lost, or has not arrived, may name the brokers.
            guard outcome.brokers != nil || outcome.lostLevels.isEmpty && outcome.awaitedLevels.isEmpty else {
                continue
            }
            await perform(move.want(outcome.brokers ?? configuration.broker.urls))
        }
        timer.cancel()
        proofTask?.cancel()
        await proofTask?.value
    }

    /// Handles a connection of the client.
    func handleConnected(_ info: ConnectionInfo) async { await perform(move.handleConnected(to: info.broker)) }

    private func handleProof(of brokers: [BrokerURL], failure: String?) async {
        let now = clock.now().uptimeMilliseconds
        await perform(move.handleProof(of: brokers, failure: failure, atUptimeMilliseconds: now))
    }

    private func handleTimer() async {
        guard timer.takeExpired() else { return }
        await perform(move.tick(atUptimeMilliseconds: clock.now().uptimeMilliseconds))
    }

    private func perform(_ actions: [BrokerMove.Action]) async {
        for action in actions {
            switch action {
            case .prove(let brokers): prove(brokers, groups: await remote.outcome.groups)
            case .endProof: proofTask?.cancel()
            case .connect: await connect()
            }
        }
        report()
        timer.set(move.dueUptimeMilliseconds, clock: clock) { [weak self] in await self?.handleTimer() }
    }

    private func prove(_ brokers: [BrokerURL], groups: [String]) {
        proofTask?.cancel()
        logger.notice("the configuration names other brokers; trying them: \(Self.text(brokers))")
        let proof = proof(of: brokers, groups: groups)
        proofTask = Task { [weak self] in
            let failure = await proof.run()
            guard !Task.isCancelled else { return }
            await self?.handleProof(of: brokers, failure: failure)
        }
    }

    private func proof(of brokers: [BrokerURL], groups: [String]) -> BrokerProof {
        var link = link
        // The broker may be the same one under another name: the agent's own client id would end its own connection.
        link.clientID = configuration.broker.clientID ?? RandomIdentifier.make()
        link.endpoints = endpoints(of: brokers)
        link.backoffMaximumSeconds = min(link.backoffMaximumSeconds, 10)
        let levels = DeviceAddress.subscribedLevels(groups: groups)
        let topics = levels.map { (configuration.address.topic($0, .config), $0) }
        let (unset, file) = (ConfigurationLevels(configuration), configuration.broker.urls)
        var hooks = MQTTClient.Hooks()
        hooks.tls = { [credentials] in credentials.settingsInUse(for: $0) }
        return BrokerProof(
            link: link, hooks: hooks, topics: Dictionary(uniqueKeysWithValues: topics),
            isConfirmed: { documents in
                var levels = unset
                // The device's own document first: it decides about the groups.
                for level in [.device] + DeviceAddress.subscribedLevels(groups: groups) {
                    _ = documents[level].map { levels.receive($0, at: level) }
                }
                return (levels.outcome.brokers ?? file) == brokers
            }, clock: clock, logger: logger)
    }

    private func endpoints(of brokers: [BrokerURL]) -> [LinkConfiguration.Endpoint] {
        brokers.map { LinkConfiguration.Endpoint($0, tls: configuration.broker.tls) }
    }

    private func connect() async {
        let saved = SavedBrokers(file: configuration.broker.urls, inForce: move.inForce)
        do {
            try await store.saveDocument(DocumentName.brokers, try JSONCoder.bytes(of: saved))
        } catch {
            logger.warning("cannot save the list of brokers; the next start begins with the ones before: \(error)")
        }
        logger.notice("connecting to \(Self.text(move.inForce))")
        client.connect(to: endpoints(of: move.inForce))
    }

    private func report() {
        guard let failure = move.failure else {
            problems.clear(.brokerMoveFailed)
            return
        }
        let sentence =
            "the configuration names other brokers, and the agent stays with \(Self.text(move.inForce)): \(failure)"
        problems.raise(.brokerMoveFailed, sentence, at: .warning, in: logger)
    }

    private static func text(_ brokers: [BrokerURL]) -> String {
        brokers.map(\.description).joined(separator: ", ")
    }
}
