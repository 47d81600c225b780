import Glibc

/// The keep-alive that adapts: see ``AdaptiveKeepAlive``.
///
/// The library sends a PINGREQ only at the interval that CONNECT announced. So the agent announces the longest interval
/// and checks the connection itself with an UNSUBSCRIBE of a topic that it never subscribes to. It is as good as a
/// ping: the broker must answer it (MQTT 5 section 3.10.4), and each packet counts for the keep-alive (section
/// 3.1.2.10).
extension BrokerConnection {
    /// The topic filter of the check. It is short, because it is what a parked vehicle sends.
    private static let checkFilter = "-"

    /// Returns the milliseconds of the clock that also counts while the machine is suspended. A silence during which
    /// the machine slept is longer than the monotonic clock says.
    static func bootMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Whether something waits for an answer of the broker.
    private var isAwaitingAnswer: Bool {
        inFlight.count > 0 || pendingSubscriptions.awaitedSinceMilliseconds != nil
    }

    /// Starts to adapt the keep-alive, if the interval that the broker accepted leaves room for it.
    func begin(_ keepAlive: AdaptiveKeepAlive) {
        guard let limits = configuration.keepAliveLimits(announcedMilliseconds: keepAliveMilliseconds) else { return }
        var keepAlive = keepAlive
        keepAlive.handleConnected(limits, at: Self.bootMilliseconds())
        self.keepAlive = keepAlive
    }

    /// The milliseconds until the check or its timeout is due; nil if the interval does not adapt, and while nothing is
    /// read: an answer could not be noticed.
    var millisecondsUntilCheck: Int64? {
        isPaused
            ? nil
            : keepAlive.map { $0.dueAt(isAwaitingAnswer: isAwaitingAnswer) - Self.bootMilliseconds() }
    }

    /// Notes that the library wrote to the socket.
    func noteWrite() {
        lastWriteMilliseconds = monotonicMilliseconds()
        keepAlive?.handleWrite(at: Self.bootMilliseconds())
    }

    /// Notes that data of the broker was received.
    func noteRead() {
        let former = keepAlive?.search
        keepAlive?.handleRead(at: Self.bootMilliseconds())
        guard let former, let search = keepAlive?.search, search.isWorthSaving(after: former) else { return }
        events.yield(.keepAliveLearned(search.memory))
    }

    /// Checks the connection if it was silent, and ends it if the broker did not answer the check.
    func checkKeepAlive() {
        guard failure == nil, !isPaused, connectedAtMilliseconds != nil, let keepAlive else { return }
        let now = Self.bootMilliseconds()
        switch keepAlive.action(at: now, isAwaitingAnswer: isAwaitingAnswer) {
        case .nothing: break
        case .check:
            errno = 0
            let (code, identifier) = handle.unsubscribe(Self.checkFilter)
            failOnError(code, systemError: errno)
            guard code == 0 else { return }
            inFlight.skipIdentifier(identifier)
            lastWriteMilliseconds = monotonicMilliseconds()
            self.keepAlive?.handleCheck(at: now)
        case .giveUp(let silence, let wait):
            discardUnsentData()
            failure = .checkTimeout(silenceSeconds: Int(silence / 1000), waitSeconds: Int(wait / 1000))
        }
    }

    /// Makes the kernel forget the connection when it is closed. Otherwise it would repeat the check and the end of the
    /// connection for minutes, which costs 1.2 kB.
    private func discardUnsentData() {
        guard let socket = handle.socket else { return }
        var abort = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
    }

    /// The end of a connection after a silence, without a word of the broker: the network may have forgotten it.
    var silentEnd: SilentEnd? {
        guard let keepAlive, let failure, connectedAtMilliseconds != nil else { return nil }
        switch failure {
        case .checkTimeout, .acknowledgementTimeout, .keepAliveTimeout, .connectionLost, .closedByBroker: break
        default: return nil
        }
        let now = Self.bootMilliseconds()
        return SilentEnd(
            atMilliseconds: now, silenceMilliseconds: keepAlive.silenceBeforeEnd(at: now), localAddress: localAddress)
    }
}
