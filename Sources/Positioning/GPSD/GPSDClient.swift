import OdographCivilTime
import Glibc
import OdographModel
import OdographThreads

/// The thread of a ``GPSDSource``. It waits in `poll`, for gpsd, a deadline or a wake-up, and in name resolution.
final class GPSDClient: Sendable {
    private struct Commands {
        var isStopped = false
        var requestedRate: FixRate?
    }

    private let settings: GPSDSettings
    private let clock: any AgentClock
    private let wakeUp: PollWaker
    private let loopIterations: HeartbeatCounter
    private let commands = Lock(Commands())

    /// - Returns: nil if the process has no free descriptor.
    init?(_ settings: GPSDSettings, clock: any AgentClock, turns: HeartbeatCounter = HeartbeatCounter()) {
        guard let wakeUp = PollWaker() else { return nil }
        self.settings = settings
        self.clock = clock
        self.wakeUp = wakeUp
        self.loopIterations = turns
    }

    /// Ends ``run(emit:updateCounters:)`` soon. May be called from any thread.
    func stop() {
        commands.withLock { $0.isStopped = true }
        wakeUp.wake()
    }

    /// Requests a rate; the last request counts. May be called from any thread.
    func requestRate(_ rate: FixRate) {
        commands.withLock { $0.requestedRate = rate }
        wakeUp.wake()
    }

    private var isStopped: Bool { commands.withLock { $0.isStopped } }

    private func takeRequestedRate() -> FixRate? {
        commands.withLock { orders in
            defer { orders.requestedRate = nil }
            return orders.requestedRate
        }
    }

    /// Connects, receives, and connects again, until it is stopped.
    /// - Parameters:
    ///   - emit: Receives an event.
    ///   - updateCounters: Receives the counters after each change.
    func run(emit: (SourceEvent) -> Void, updateCounters: (SourceCounters) -> Void) {
        var session = GPSDSession(settings)
        var backoff = Backoff(
            minimumSeconds: settings.minimumReconnectSeconds, maximumSeconds: settings.maximumReconnectSeconds,
            resetSeconds: 0, floorSeconds: 0.05)
        var generator = SystemRandomNumberGenerator()
        while !isStopped {
            loopIterations.increment()
            let reason = runConnection(&session, emit: emit, updateCounters: updateCounters)
            guard !isStopped else { return }
            let wasHeard = session.hasReceivedReport
            session.handleDisconnect(because: reason, at: clock.now(), emit: emit)
            updateCounters(session.counters)
            pause(seconds: backoff.nextDelaySeconds(connectedSeconds: wasHeard ? 0 : nil, using: &generator))
        }
    }

    private func pause(seconds: Double) {
        let end = clock.now().uptimeMilliseconds + Int64(seconds * 1000)
        while !isStopped, case let remaining = end - clock.now().uptimeMilliseconds, remaining > 0 {
            _ = wakeUp.wait(milliseconds: Int32(clamping: remaining))
            wakeUp.clear()
        }
    }

    /// Runs one connection to its end.
    /// - Returns: The reason why it ended.
    private func runConnection(
        _ session: inout GPSDSession, emit: (SourceEvent) -> Void, updateCounters: (SourceCounters) -> Void
    ) -> String {
        let patience = Int32(clamping: Int64(settings.silenceTimeoutSeconds * 1000))
        do {
            let connection = try TCPConnection.connected(
                to: settings.host, port: settings.port, wakeUp: wakeUp, isStopped: { isStopped },
                timeoutMilliseconds: patience)
            session.handleConnect(at: clock.now())
            // Before the first event: its receiver must not see an event of a connection that is not counted yet.
            updateCounters(session.counters)
            try send(session.watchRequest, to: connection, timeout: patience)
            return try receiveReports(
                from: connection, &session, timeout: patience, emit: emit, updateCounters: updateCounters)
        } catch {
            return error.reason
        }
    }

    private func receiveReports(
        from connection: borrowing TCPConnection, _ session: inout GPSDSession, timeout: Int32,
        emit: (SourceEvent) -> Void, updateCounters: (SourceCounters) -> Void
    ) throws(TCPConnection.Failure) -> String {
        while !isStopped {
            loopIterations.increment()
            let remaining = session.deadlineUptimeMilliseconds - clock.now().uptimeMilliseconds
            switch connection.wait(for: POLLIN, wakeUp: wakeUp, milliseconds: Int32(clamping: remaining)) {
            case .wokenUp: wakeUp.clear()
            case .timedOut: break
            case .ready:
                if try session.receive(from: connection, clock: clock, emit: emit) { return "it closed the connection" }
            }
            updateCounters(session.counters)
            switch session.checkTimeouts(at: clock.now(), emit: emit) {
            case .wait: break
            case .send(let request): try send(request, to: connection, timeout: timeout)
            case .disconnect(let reason): return reason
            }
            for request in session.requests(for: takeRequestedRate(), at: clock.now()) {
                try send(request, to: connection, timeout: timeout)
            }
        }
        return "stopped"
    }

    private func send(
        _ request: String, to connection: borrowing TCPConnection, timeout: Int32
    ) throws(TCPConnection.Failure) {
        try connection.write(request, wakeUp: wakeUp, isStopped: { isStopped }, timeoutMilliseconds: timeout)
    }
}
