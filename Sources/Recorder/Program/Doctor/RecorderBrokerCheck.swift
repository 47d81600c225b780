import Logging
import OdographLink
import OdographSettings
import OdographThreads
import OdographWire

/// Checks the broker with a short session like the recorder's: network, TLS, login, subscriptions and receipts.
struct RecorderBrokerCheck {
    /// The name of a vehicle that does not exist. A test message to its receipt topic means nothing to a recorder.
    private static let device = "odograph-doctor"

    private let recording: RecordingSettings
    private let filters: [String]
    private let waitSeconds: Double

    /// - Parameters:
    ///   - configuration: The configuration of the recorder.
    ///   - waitSeconds: The time limit of each step, seconds.
    init(_ configuration: RecorderConfiguration, waitSeconds: Double) {
        recording = configuration.recording
        filters = recording.filters + configuration.historyFilters
        self.waitSeconds = waitSeconds
    }

    /// Returns what the session shows.
    func observe() async -> BrokerObservation {
        var observation = BrokerObservation(
            url: "\(recording.broker.url)", fleets: recording.fleets, filterCount: filters.count)
        guard !BrokerCredentials.areAbsent(for: recording.broker) else {
            observation.failure = "not checked, because only the running service has the credentials; start the service"
            return observation
        }
        let link: LinkConfiguration
        do throws(ConfigurationError) {
            link = try linkConfiguration()
        } catch {
            observation.failure = "not checked, because the credentials cannot be read"
            return observation
        }
        let client = MQTTClient(
            configuration: link, logger: Logger(label: BrokerObservation.subject) { _ in SwiftLogNoOpLogHandler() })
        client.subscribe(filters)
        client.start()
        let reader = EventReader(recording, device: Self.device)
        // The known findings remain if the time ends.
        let result = SharedObservation(observation)
        _ = await Task.withTimeout(afterSeconds: waitSeconds + 2) {
            await reader.read(client, into: result)
            return true
        }
        await client.stop()
        observation = result.value.withLock { $0 }
        if observation.confirmedFleets.contains(recording.fleets[0]) {
            observation.away = await AwaySessionCheck(recording, link: link, waitSeconds: waitSeconds).run()
        }
        return observation
    }

    /// The client has an id and a session of its own, so the check never ends the recorder's connection, and takes none
    /// of the messages that wait for it.
    private func linkConfiguration() throws(ConfigurationError) -> LinkConfiguration {
        try BrokerCredentials.checkPaths(of: recording.broker)
        let password = try BrokerCredentials.password(for: recording.broker)
        var link = recording.linkConfiguration(password: password)
        link.clientID = recording.broker.clientID.map { $0 + "-doctor" } ?? RandomIdentifier.make()
        link.cleanStart = true
        link.sessionExpirySeconds = 0
        link.connectTimeoutSeconds = waitSeconds
        link.acknowledgementTimeoutSeconds = waitSeconds
        return link
    }
}

/// The results so far.
private final class SharedObservation: Sendable {
    let value: Lock<BrokerObservation>

    init(_ first: BrokerObservation) { value = Lock(first) }
}

/// Reads the events of the session.
private struct EventReader: Sendable {
    let recording: RecordingSettings
    let device: String

    init(_ recording: RecordingSettings, device: String) {
        (self.recording, self.device) = (recording, device)
    }

    /// Reads until all answers are there, or the connection ends.
    func read(_ client: MQTTClient, into result: SharedObservation) async {
        for await event in client.events {
            switch event {
            case .connected(let information): result.value.withLock { $0.connection = information }
            case .subscribed(let filter, let refusal):
                result.value.withLock { observation in
                    observation.answeredFilters += 1
                    if let refusal { observation.refusedFilters[filter] = refusal }
                }
                if let index = recording.fleets.firstIndex(where: { recording.receiptFilter(of: $0) == filter }) {
                    client.publish([testMessage(index)])
                }
            case .message(let message): receive(message, into: result)
            case .refused(let token, _, let text):
                let index = Int(token)
                guard recording.fleets.indices.contains(index) else { continue }
                result.value.withLock { $0.refusedReceipts[recording.fleets[index]] = text }
            case .disconnected(.protocolVersionRefused(.v5), retryInSeconds: .some): continue
            case .disconnected(let failure, _):
                result.value.withLock { $0.failure = "\(failure)" }
                return
            default: continue
            }
            if result.value.withLock({ $0.isComplete }) { return }
        }
    }

    private func testMessage(_ index: Int) -> OutgoingMessage {
        let fleet = recording.fleets[index]
        let topic = "\(recording.root)/\(fleet)/\(device)/receipt/\(recording.receipts.recorder)"
        return OutgoingMessage(token: UInt64(index), topic: topic, payload: [])
    }

    private func receive(_ message: IncomingMessage, into result: SharedObservation) {
        let topic = ReceiptTopic(message.topic, root: recording.root, recorder: recording.receipts.recorder)
        guard let vehicle = topic?.vehicle else { return }
        if vehicle.device == device {
            result.value.withLock { _ = $0.confirmedFleets.insert(vehicle.fleet) }
        } else if message.isRetained {
            let receipt = try? Receipt(message: message.payload)
            result.value.withLock { $0.receipts[vehicle] = receipt?.databaseID ?? "" }
        }
    }
}
