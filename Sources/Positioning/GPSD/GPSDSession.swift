import CivilTime
import Tracking

/// What the client of a gpsd knows: the lines, their meaning, the silence, and what to ask. Holds no socket and no clock.
struct GPSDSession {
    /// What a look at the clock led to.
    enum Decision: Hashable {
        case wait
        case ask(String)
        case hangUp(String)
    }

    private let settings: GPSDSettings
    private var conversation: GPSDConversation
    private var lines = LineBuffer()
    private var overlongLinesBefore = 0
    private var ordinal: Int64 = 0
    private var dropped = 0
    private var connections = 0
    /// Whether this connection has given a report.
    private(set) var wasHeard = false
    /// The last report of the receiver, and of anything, on the monotonic clock.
    private var lastPositionReport: Int64 = 0
    private var lastReport: Int64 = 0
    /// When the gpsd, silent, was asked whether it is still there.
    private var askedAt: Int64?
    private var standing: StandingPoll
    /// The rate that is wished for, until the receiver is known and has been asked for it.
    private var rateToAsk: RateWish?
    private var lastWish: RateWish?

    init(_ settings: GPSDSettings) {
        self.settings = settings
        standing = StandingPoll(intervalSeconds: settings.standingPollSeconds)
        conversation = GPSDConversation(
            device: settings.device, silenceSeconds: settings.silenceSeconds, earliestDate: settings.earliestDate,
            isReplay: false)
    }

    var counters: SourceCounters {
        var counters = conversation.counters
        counters[.overlongLine] = overlongLinesBefore + lines.overlongLines
        counters.linesRead += counters[.overlongLine]
        counters.eventsDropped = dropped
        counters.connections = connections
        return counters
    }

    // MARK: - Connection

    /// A connection was made.
    mutating func begin(at now: Moment) {
        overlongLinesBefore += lines.overlongLines
        lines = LineBuffer()
        wasHeard = false
        connections += 1
        lastPositionReport = now.uptimeMilliseconds
        lastReport = now.uptimeMilliseconds
        askedAt = nil
        standing.begin()
        // The receiver may have been started anew.
        rateToAsk = lastWish
    }

    /// There is no connection (any more).
    mutating func end(because reason: String, at now: Moment, give: (SourceEvent) -> Bool) {
        say(conversation.lose("gpsd at \(settings.host):\(settings.port) cannot be heard: \(reason)"), now, give)
    }

    /// Reads all that has come.
    /// - Returns: Whether the gpsd has closed the connection.
    mutating func receive(
        from connection: borrowing TCPConnection, clock: any AgentClock, give: (SourceEvent) -> Bool
    ) throws(TCPConnection.Failure) -> Bool {
        while true {
            var failure: TCPConnection.Failure?
            var isEmpty = false
            let count = lines.fill { buffer in
                do throws(TCPConnection.Failure) {
                    guard let count = try connection.read(into: buffer) else {
                        isEmpty = true
                        return -1
                    }
                    return count
                } catch {
                    failure = error
                    return -1
                }
            }
            if let failure { throw failure }
            if isEmpty { return false }
            handleLines(at: clock.now(), give: give)
            if count == 0 { return true }
        }
    }

    /// Takes bytes as a connection would have given them.
    mutating func receive(_ bytes: some Collection<UInt8>, at now: Moment, give: (SourceEvent) -> Bool) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let taken = lines.fill { buffer in
                let count = min(buffer.count, rest.count)
                buffer.copyBytes(from: rest.prefix(count))
                return count
            }
            rest = rest.dropFirst(taken)
            handleLines(at: now, give: give)
        }
    }

    private mutating func handleLines(at now: Moment, give: (SourceEvent) -> Bool) {
        while let line = lines.withNextLine({ bytes in (bytes.first, GPSDReport(line: bytes)) }) {
            conversation.count { $0.linesRead += 1 }
            guard let report = line.1 else {
                let isSentence = line.0 == UInt8(ascii: "$") || line.0 == UInt8(ascii: "!")
                conversation.count { $0[isSentence ? .notAReport : .malformedLine] += 1 }
                continue
            }
            wasHeard = true
            lastReport = now.uptimeMilliseconds
            askedAt = nil
            switch report {
            case .tpv(let tpv):
                if isOfListenedDevice(tpv) {
                    lastPositionReport = now.uptimeMilliseconds
                    standing.note(tpv)
                }
                handle(report, now, give)
            case .poll(let reports):
                for tpv in reports where isPolledDevice(tpv) && standing.take(tpv, at: now.uptimeMilliseconds) {
                    lastPositionReport = now.uptimeMilliseconds
                    handle(.tpv(tpv), now, give)
                }
            default: handle(report, now, give)
            }
        }
    }

    private mutating func handle(_ report: GPSDReport, _ now: Moment, _ give: (SourceEvent) -> Bool) {
        let outcome = conversation.handle(report, at: now)
        say(outcome.stateChange, now, give)
        if let position = outcome.position { say(position, give) }
    }

    /// Of several receivers the one that the stream was listened to for: between two questions each is silent for long.
    private func isPolledDevice(_ report: TPVReport) -> Bool {
        guard let device = settings.device ?? conversation.device else { return true }
        return (report.device ?? "") == device
    }

    private func isOfListenedDevice(_ report: TPVReport) -> Bool {
        guard let wanted = settings.device else { return true }
        return report.device == wanted
    }

    private mutating func say(_ change: GPSDConversation.StateChange?, _ now: Moment, _ give: (SourceEvent) -> Bool) {
        guard let change else { return }
        say(.state(change.state, at: now, detail: change.detail), give)
    }

    private mutating func say(_ content: SourceEvent.Content, _ give: (SourceEvent) -> Bool) {
        ordinal += 1
        if !give(SourceEvent(content, ordinal: ordinal)) { dropped += 1 }
    }

    // MARK: - Silence

    private var silenceMilliseconds: Int64 { Int64(settings.silenceSeconds * 1000) + standing.delayMilliseconds }

    /// When ``checkDeadline(at:give:)`` has something to decide if nothing comes, on the monotonic clock.
    var deadlineUptimeMilliseconds: Int64 {
        let silence = silenceMilliseconds
        let receiver = conversation.state == .lost ? .max : lastPositionReport + silence
        return min(receiver, (askedAt ?? lastReport) + silence, standing.dueUptimeMilliseconds ?? .max)
    }

    /// Says that the receiver is silent, once; asks a silent gpsd whether it is there, and gives it up where it does not
    /// answer. A gpsd without a receiver has nothing to say for hours, and yet a dead one is to be noticed.
    mutating func checkDeadline(at now: Moment, give: (SourceEvent) -> Bool) -> Decision {
        let silence = silenceMilliseconds
        if conversation.state != .lost, now.uptimeMilliseconds >= lastPositionReport + silence {
            let who = settings.device ?? conversation.device.flatMap { $0.isEmpty ? nil : $0 } ?? "the receiver"
            let what = wasHeard ? "\(who) has reported nothing" : "gpsd has said nothing"
            say(conversation.lose("\(what) for \(Double(silence) / 1000) s"), now, give)
        }
        guard now.uptimeMilliseconds >= (askedAt ?? lastReport) + silence else { return .wait }
        guard askedAt == nil else { return .hangUp("it does not answer") }
        askedAt = now.uptimeMilliseconds
        return .ask("?DEVICES;\n")
    }

    // MARK: - Requests

    /// Asks for the reports, of one receiver or of all.
    var watchRequest: String { watchRequest(streams: true) }

    private func watchRequest(streams: Bool) -> String {
        let device = settings.device.map { ",\"device\":\(Self.quoted($0))" } ?? ""
        return "?WATCH={\"enable\":true,\"json\":\(streams)\(device)};\n"
    }

    /// What to ask now, in order.
    /// - Parameter wish: a new one.
    mutating func requests(for wish: RateWish?, at now: Moment) -> [String] {
        var requests: [String] = []
        if let wish {
            standing.note(wish)
            (rateToAsk, lastWish) = (wish, wish)
        }
        if let wish = rateToAsk, let request = rateRequest(for: wish) {
            requests.append(request)
            rateToAsk = nil
        }
        switch standing.request(at: now.uptimeMilliseconds, hasPositions: conversation.state == .available) {
        case .stream: requests.append(watchRequest)
        case .quiet: requests.append(watchRequest(streams: false))
        case .poll: requests.append("?POLL;\n")
        case nil: break
        }
        return requests
    }

    /// Asks for another rate.
    /// - Returns: nil where that is not wanted, not possible, or not yet known to be possible.
    private func rateRequest(for wish: RateWish) -> String? {
        guard settings.changesReceiverRate, let path = settings.device ?? conversation.device,
            let shortest = Quantity.cycle.known(conversation.knownDevices[path]?.shortestCycleSeconds)
        else { return nil }
        let wanted = wish == .up ? settings.movingCycleSeconds : settings.standingCycleSeconds
        return "?DEVICE={\"path\":\(Self.quoted(path)),\"cycle\":\(max(wanted, shortest))};\n"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars where scalar.value >= 0x20 {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
