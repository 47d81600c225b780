import Link
import Logging
import Wire

/// Listens to the agent's own status topic: corrects a late will, and reports another agent with the same name.
struct OwnStatus {
    private let address: DeviceAddress
    private let herald: Herald
    private let session: Session
    private let problems: ProblemBoard
    private let logger: Logger
    private var detector: SharedNameDetector

    init(address: DeviceAddress, herald: Herald, session: Session, problems: ProblemBoard, logger: Logger) {
        (self.address, self.herald, self.session) = (address, herald, session)
        (self.problems, self.logger) = (problems, logger)
        detector = SharedNameDetector(runID: herald.runID)
    }

    /// The topic to subscribe to.
    var topic: String { address.topic(.status) }

    /// Takes a message of the topic.
    mutating func take(_ message: IncomingMessage) {
        guard !message.isRetained, let status = try? JSONText.decode(StatusMessage.self, from: message.payload) else {
            return
        }
        perform(detector.heard(status))
    }

    /// The connection ended.
    mutating func disconnected() { perform(detector.disconnected()) }

    private func perform(_ actions: [SharedNameDetector.Action]) {
        for action in actions {
            switch action {
            case .correctStatus: session.publish([herald.renewal()])
            case .reportSharedName: report()
            case .settleSharedName: problems.settle(.deviceShared)
            }
        }
    }

    private func report() {
        let sentence =
            "another agent publishes as \(address.path), and the records of both are mixed: give each vehicle its own "
            + "device name in its configuration, and its own certificate or password"
        guard problems.raise(.deviceShared, sentence) else { return session.publish([herald.renewal()]) }
        // The change of the problems publishes the status.
        logger.warning("\(sentence)")
    }
}
