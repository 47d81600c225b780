import Glibc
import Logging
import Threads

/// What the session's thread does: connect, serve the connection, wait, again. Lives on that thread only.
final class SessionWorker {
    private let configuration: LinkConfiguration
    private let hooks: Session.Hooks
    private let logger: Logger
    private let mailbox: Mailbox
    private let events: LinkEvents
    private var negotiation: ProtocolNegotiation
    private var backoff: Backoff
    private var generator = SystemRandomNumberGenerator()
    private var session: Int
    private var attempt = 0
    private var filters: [String] = []
    private var farewell: [OutgoingMessage]?
    private var loggedFailure: LinkFailure?

    /// Milliseconds that the last messages may take.
    private static let farewellMilliseconds: Int64 = 2000

    init(
        configuration: LinkConfiguration, hooks: Session.Hooks, firstSession: Int, logger: Logger, mailbox: Mailbox,
        events: LinkEvents
    ) {
        self.configuration = configuration
        self.hooks = hooks
        self.logger = logger
        self.mailbox = mailbox
        self.events = events
        session = firstSession - 1
        negotiation = ProtocolNegotiation(
            preference: configuration.protocolPreference, remembered: configuration.rememberedVersion)
        backoff = Backoff(
            minimumSeconds: configuration.backoffMinimumSeconds, maximumSeconds: configuration.backoffMaximumSeconds,
            resetSeconds: configuration.backoffResetSeconds)
    }

    func run() {
        while farewell == nil {
            attempt += 1
            session += 1
            events.yield(.connecting(attempt: attempt))
            let (failure, connectedSeconds) = connectOnce()
            guard farewell == nil else { break }
            let isImmediate = negotiation.note(outcome(of: failure, wasConnected: connectedSeconds != nil))
            let delay =
                isImmediate ? 0 : backoff.delaySeconds(connectedSeconds: connectedSeconds, using: &generator)
            log(failure, isImmediate: isImmediate)
            events.yield(.disconnected(failure, retryInSeconds: delay))
            wait(seconds: delay)
        }
        events.yield(.disconnected(.byRequest, retryInSeconds: nil))
        giveBack((farewell ?? []) + mailbox.finish().outgoing)
        events.finish()
    }

    private func log(_ failure: LinkFailure, isImmediate: Bool) {
        guard failure != loggedFailure, !isImmediate else { return }
        loggedFailure = failure
        logger.warning("no connection to the broker: \(failure); it is tried again until it works")
    }

    private func outcome(of failure: LinkFailure, wasConnected: Bool) -> ProtocolNegotiation.Outcome {
        if wasConnected { return .unrelated }
        switch failure {
        case .protocolVersionRefused: return .versionRefused
        case .closedBeforeAnswer, .protocolError: return .noAnswer
        default: return .unrelated
        }
    }

    private func connectOnce() -> (LinkFailure, connectedSeconds: Double?) {
        let connection: Connection
        do {
            connection = try open()
        } catch {
            return (error, nil)
        }
        serve(connection)
        connection.returnAll()
        let seconds = connection.connectedMilliseconds.map { Double(monotonicMilliseconds() - $0) / 1000 }
        return (connection.failure ?? .byRequest, seconds)
    }

    /// Connects over one address family after the other, until the broker consents.
    private func open() throws(LinkFailure) -> Connection {
        var last = LinkFailure.hostNotFound(host: configuration.host, detail: "no address")
        for address in try AddressFamilies.bindAddresses(host: configuration.host) {
            let connection = try Connection(
                configuration: configuration, version: negotiation.version, session: session,
                will: hooks.will(session), mailbox: mailbox, events: events)
            connection.begin(bindAddress: address)
            while connection.failure == nil, connection.connectedMilliseconds == nil, farewell == nil {
                connection.turn()
                if connection.hasMail { readMail(nil) }
            }
            guard let failure = connection.failure else { return connection }
            last = failure
            switch failure {
            case .connectionRefused, .unreachable, .timedOut: continue
            default: throw failure
            }
        }
        throw last
    }

    private func serve(_ connection: Connection) {
        guard let information = connection.information else { return }
        _ = negotiation.note(.accepted)
        attempt = 0
        loggedFailure = nil
        logger.info(
            "connected to the broker",
            metadata: ["protocol": "MQTT \(information.protocolVersion.rawValue)", "session": "\(session)"])
        // Whoever hears of the connection may speak of its number, so its birth is known by then.
        let birth = hooks.birth(information)
        events.yield(.connected(information))
        for filter in filters { connection.subscribe(filter) }
        connection.pending.append(birth)
        readMail(connection)
        while connection.failure == nil, farewell == nil {
            connection.feed()
            connection.turn()
            connection.collect()
            if connection.hasMail { readMail(connection) }
        }
        if connection.failure == nil { close(connection) }
    }

    /// Sends what may not wait and the last messages, waits for their acknowledgement, and takes leave.
    private func close(_ connection: Connection) {
        let given = connection.pending.removeBulk()
        if !given.isEmpty { events.yield(.returned(given)) }
        connection.pending.append(farewell ?? [])
        farewell = []
        let deadline = monotonicMilliseconds() + Self.farewellMilliseconds
        connection.latestReturnMilliseconds = deadline
        while connection.failure == nil, connection.outstanding.count > 0 || !connection.pending.isEmpty,
            monotonicMilliseconds() < deadline
        {
            connection.feed()
            connection.turn()
            connection.collect()
            if connection.hasMail { giveBack(mailbox.take().outgoing) }
        }
        if connection.failure == nil { connection.handle.disconnect() }
        logger.info("disconnected from the broker")
    }

    /// - Parameter connection: nil where there is none that takes messages.
    private func readMail(_ connection: Connection?) {
        let mail = mailbox.take()
        connection?.hasMail = false
        for filter in mail.subscribe where !filters.contains(filter) {
            filters.append(filter)
            connection?.subscribe(filter)
        }
        for filter in mail.unsubscribe {
            filters.removeAll { $0 == filter }
            connection?.unsubscribe(filter)
        }
        if let connection { connection.pending.append(mail.outgoing) } else { giveBack(mail.outgoing) }
        if mail.isAnswerWanted { events.yield(.alive) }
        if mail.isDropWanted { connection?.failure = .byRequest }
        if let last = mail.farewell { farewell = last }
        isHurried = mail.isDropWanted
    }

    /// Whether the wait for the next attempt is to end now.
    private var isHurried = false

    private func giveBack(_ messages: [OutgoingMessage]) {
        let tokens = messages.compactMap(\.token)
        if !tokens.isEmpty { events.yield(.returned(tokens)) }
    }

    private func wait(seconds: Double) {
        let end = monotonicMilliseconds() + Int64(seconds * 1000)
        isHurried = false
        while farewell == nil, !isHurried {
            let left = end - monotonicMilliseconds()
            guard left > 0 else { return }
            var descriptor = pollfd(fd: mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, Int32(clamping: left)) > 0 { readMail(nil) }
        }
    }
}
