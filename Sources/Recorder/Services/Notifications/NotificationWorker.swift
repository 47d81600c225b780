import OdographHTTP
import OdographThreads

/// A thread that delivers a notification at a time.
actor NotificationWorker {
    /// A body that a service does not understand. Other errors of a client can be those of the configuration, which a
    /// person corrects.
    static let refusals: Set<Int> = [400, 413, 415, 422]

    private let client: WebServiceClient
    private let mailer: NotificationMailer
    private let commandSeconds: Double
    private let stopSign: StopSign
    private let executor: ThreadExecutor

    /// The executor of the actor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - limits: The limits of a request.
    ///   - commandSeconds: The time limit of a command.
    ///   - stopSign: Says that the recorder stops. A running command is killed then.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    init(
        limits: HTTPClient.Limits, commandSeconds: Double, stopSign: StopSign = StopSign()
    ) throws(ThreadLimitError) {
        executor = try ThreadExecutor()
        client = WebServiceClient(limits: limits)
        mailer = NotificationMailer(limits: limits)
        (self.commandSeconds, self.stopSign) = (commandSeconds, stopSign)
    }

    /// Delivers a notification, and waits for the result.
    /// - Parameter done: The recipients of e-mails that need no further attempt.
    func deliver(
        _ notification: PendingNotification, to target: NotificationTarget, done: Set<String> = []
    ) -> Delivery {
        switch target {
        case .webhook(let service):
            Delivery(client.post(Array(notification.payload.utf8), to: service, refusals: Self.refusals))
        case .command(let arguments):
            Delivery(
                CommandRun(arguments: arguments, limitSeconds: commandSeconds, stopSign: stopSign)
                    .run(input: notification.payload))
        case .email(let mail): mailer.send(notification, to: mail, done: done)
        }
    }
}
