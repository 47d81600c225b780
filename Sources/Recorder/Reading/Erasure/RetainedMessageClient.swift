import Logging
import OdographLink
import OdographTerminal

/// A short session with the broker that replaces and reads single retained messages.
actor RetainedMessageClient: BrokerClient {
    let client: MQTTClient
    var answers = BrokerAnswers()
    private var events: Task<Void, Never>?

    /// - Parameter link: The settings of the session.
    init(_ link: LinkConfiguration) {
        client = MQTTClient(configuration: link, logger: Logger(label: "odograph") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Connects to the broker.
    /// - Throws: `ExitError` if the broker cannot be reached in time.
    func connect() async throws(ExitError) {
        events = Task { [weak self, client] in
            for await event in client.events { await self?.handle(event) }
        }
        client.start()
        try await awaitConnection(seconds: 10)
    }

    func disconnect() async {
        await client.stop()
        events?.cancel()
    }

    private func handle(_ event: LinkEvent) {
        answers.handle(event)
        if case .message(let message) = event { _ = answers.take(message) }
    }
}
