import OdographLink
import Logging
import OdographPositioning
import OdographThreads
import OdographWire

/// Handles the agent's own status topic: corrects a late will, and reports another agent with the same name.
struct OwnStatusMonitor {
    private let address: DeviceAddress
    private let statusPublisher: StatusPublisher
    private let client: MQTTClient
    private let clock: any AgentClock
    private let problems: ProblemRegistry
    private let logger: Logger
    private var detector: DeviceNameConflictDetector
    private let repetition = CoalescingSignal()

    init(
        address: DeviceAddress, statusPublisher: StatusPublisher, client: MQTTClient, clock: any AgentClock,
        problems: ProblemRegistry, logger: Logger
    ) {
        (self.address, self.statusPublisher, self.client) = (address, statusPublisher, client)
        (self.clock, self.problems, self.logger) = (clock, problems, logger)
        detector = DeviceNameConflictDetector(runID: statusPublisher.runID)
    }

    /// Publishes the status again when a message on its topic requires it, until the task is cancelled.
    func run() async {
        await StatusRate.run(repetition, clock: clock) { [client, statusPublisher] in
            client.publish([statusPublisher.statusMessage()])
        }
    }

    /// The topic to subscribe to.
    var topic: String { address.topic(.status) }

    mutating func handle(_ message: IncomingMessage) {
        guard !message.isRetained, let status = try? StatusMessage(message: message.payload) else {
            return
        }
        perform(detector.handle(status))
    }

    mutating func handleDisconnected() { perform(detector.handleDisconnected()) }

    private func perform(_ actions: [DeviceNameConflictDetector.Action]) {
        for action in actions {
            switch action {
            case .republishStatus: repetition.send()
            case .raiseConflict: raiseConflict()
            case .clearConflict: problems.clear(.deviceShared)
            }
        }
    }

    private func raiseConflict() {
        let sentence =
            "another agent publishes as \(address.path), so the records of both are mixed; give each vehicle its own "
            + "device name, and its own certificate or password"
        guard problems.raise(.deviceShared, sentence) else { return repetition.send() }
        // The new problem itself causes a status message.
        logger.warning("\(sentence)")
    }
}
