import CivilTime
import Glibc
import Tracking
import Threads

/// The thread of a ``GPSDSource``: waits in `poll` alone, until the gpsd speaks, a deadline comes, or it is woken up.
final class GPSDClient: Sendable {
    private struct Orders {
        var isStopped = false
        var wish: RateWish?
    }

    private let settings: GPSDSettings
    private let clock: any AgentClock
    private let wakeUp: WakeUp
    private let turns: TurnCounter
    private let orders = Lock(Orders())

    /// - Returns: nil where the process has no descriptor left.
    init?(_ settings: GPSDSettings, clock: any AgentClock, turns: TurnCounter = TurnCounter()) {
        guard let wakeUp = WakeUp() else { return nil }
        self.settings = settings
        self.clock = clock
        self.wakeUp = wakeUp
        self.turns = turns
    }

    /// Ends ``run(give:note:)`` soon. May be called from any thread.
    func stop() {
        orders.withLock { $0.isStopped = true }
        wakeUp.signal()
    }

    /// May be called from any thread; the last wish counts.
    func wish(_ wish: RateWish) {
        orders.withLock { $0.wish = wish }
        wakeUp.signal()
    }

    private var isStopped: Bool { orders.withLock { $0.isStopped } }

    private func takeWish() -> RateWish? {
        orders.withLock { orders in
            defer { orders.wish = nil }
            return orders.wish
        }
    }

    /// Connects, listens, and connects anew, until it is stopped.
    /// - Parameters:
    ///   - give: Takes an event; false where it was dropped.
    ///   - note: Takes the counters, whenever they have changed.
    func run(give: (SourceEvent) -> Bool, note: (SourceCounters) -> Void) {
        var session = GPSDSession(settings)
        var backoff = Backoff(
            minimumSeconds: settings.reconnectFirstSeconds, maximumSeconds: settings.reconnectLongestSeconds,
            resetSeconds: 0, floorSeconds: 0.05)
        var generator = SystemRandomNumberGenerator()
        while !isStopped {
            turns.add()
            let reason = converse(&session, give: give, note: note)
            guard !isStopped else { return }
            let wasHeard = session.wasHeard
            session.end(because: reason, at: clock.now(), give: give)
            note(session.counters)
            pause(seconds: backoff.delaySeconds(connectedSeconds: wasHeard ? 0 : nil, using: &generator))
        }
    }

    private func pause(seconds: Double) {
        let end = clock.now().uptimeMilliseconds + Int64(seconds * 1000)
        while !isStopped, case let remaining = end - clock.now().uptimeMilliseconds, remaining > 0 {
            _ = TCPConnection.pause(wakeUp: wakeUp, milliseconds: Int32(clamping: remaining))
            wakeUp.clear()
        }
    }

    /// One connection from its beginning to its end.
    /// - Returns: Why it ended.
    private func converse(
        _ session: inout GPSDSession, give: (SourceEvent) -> Bool, note: (SourceCounters) -> Void
    ) -> String {
        let patience = Int32(clamping: Int64(settings.silenceSeconds * 1000))
        do {
            let connection = try TCPConnection.connected(
                to: settings.host, port: settings.port, wakeUp: wakeUp, timeoutMilliseconds: patience)
            session.begin(at: clock.now())
            try connection.write(session.watchRequest, wakeUp: wakeUp, timeoutMilliseconds: patience)
            return try listen(to: connection, &session, patience: patience, give: give, note: note)
        } catch {
            return error.reason
        }
    }

    private func listen(
        to connection: borrowing TCPConnection, _ session: inout GPSDSession, patience: Int32,
        give: (SourceEvent) -> Bool, note: (SourceCounters) -> Void
    ) throws(TCPConnection.Failure) -> String {
        while !isStopped {
            turns.add()
            let remaining = session.deadlineUptimeMilliseconds - clock.now().uptimeMilliseconds
            switch connection.wait(for: POLLIN, wakeUp: wakeUp, milliseconds: Int32(clamping: remaining)) {
            case .wokenUp: wakeUp.clear()
            case .timedOut: break
            case .ready:
                if try session.receive(from: connection, clock: clock, give: give) { return "it closed the connection" }
            }
            note(session.counters)
            switch session.checkDeadline(at: clock.now(), give: give) {
            case .wait: break
            case .ask(let request): try connection.write(request, wakeUp: wakeUp, timeoutMilliseconds: patience)
            case .hangUp(let reason): return reason
            }
            for request in session.requests(for: takeWish(), at: clock.now()) {
                try connection.write(request, wakeUp: wakeUp, timeoutMilliseconds: patience)
            }
        }
        return "stopped"
    }
}
