import OdographCivilTime
import OdographModel

/// The state of a gpsd client: lines, their interpretation, timeouts and requests. It owns no socket and no clock.
struct GPSDSession {
    /// The result of a check of the timeouts.
    enum Decision: Hashable {
        case wait
        case send(String)
        case disconnect(String)
    }

    private let settings: GPSDSettings
    private var interpreter: GPSDInterpreter
    var lines = LineBuffer()
    private var overlongLinesBefore = 0
    private var ordinal: Int64 = 0
    private var connections = 0
    /// Whether this connection has received a report.
    private(set) var hasReceivedReport = false
    /// The time of the last position report, on the monotonic clock.
    private var lastPositionReport: Int64 = 0
    /// The time of the last report of any kind, on the monotonic clock.
    private var lastReport: Int64 = 0
    /// The time at which a silent gpsd was asked for an answer.
    private var probeSentAt: Int64?
    private var polling: StationaryPolling
    /// The requested rate, until it was sent to a known receiver.
    private var pendingRate: FixRate?
    private var lastRate: FixRate?

    init(_ settings: GPSDSettings) {
        self.settings = settings
        polling = StationaryPolling(intervalSeconds: settings.stationaryPollSeconds)
        interpreter = GPSDInterpreter(
            device: settings.device, silenceTimeoutSeconds: settings.silenceTimeoutSeconds,
            earliestDate: settings.earliestDate,
            isReplay: false)
    }

    var counters: SourceCounters {
        var counters = interpreter.counters
        counters[.overlongLine] = overlongLinesBefore + lines.overlongLines
        counters.linesRead += counters[.overlongLine]
        counters.connections = connections
        return counters
    }

    // MARK: - Connection

    /// Starts a new connection.
    mutating func handleConnect(at now: ClockReading) {
        overlongLinesBefore += lines.overlongLines
        lines = LineBuffer()
        hasReceivedReport = false
        connections += 1
        lastPositionReport = now.uptimeMilliseconds
        lastReport = now.uptimeMilliseconds
        probeSentAt = nil
        polling.reset()
        // The receiver may have restarted.
        pendingRate = lastRate
    }

    /// Handles the end of a connection, or a failed attempt.
    mutating func handleDisconnect(because reason: String, at now: ClockReading, emit: (SourceEvent) -> Void) {
        markLost("gpsd at \(settings.host):\(settings.port) cannot be reached: \(reason)", now, emit)
    }

    /// Reads all available data.
    /// - Returns: Whether gpsd has closed the connection.
    mutating func receive(
        from connection: borrowing TCPConnection, clock: any AgentClock, emit: (SourceEvent) -> Void
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
            handleLines(at: clock.now(), emit: emit)
            if count == 0 { return true }
        }
    }

    mutating func handleLines(at now: ClockReading, emit: (SourceEvent) -> Void) {
        while let line = lines.withNextLine({ bytes in (bytes.first, GPSDReport(line: bytes)) }) {
            interpreter.updateCounters { $0.linesRead += 1 }
            guard let report = line.1 else {
                let isSentence = line.0 == UInt8(ascii: "$") || line.0 == UInt8(ascii: "!")
                interpreter.updateCounters { $0[isSentence ? .notAReport : .malformedLine] += 1 }
                continue
            }
            hasReceivedReport = true
            lastReport = now.uptimeMilliseconds
            probeSentAt = nil
            switch report {
            case .tpv(let tpv):
                if isConfiguredDevice(tpv), !isOfCompass(tpv) {
                    lastPositionReport = now.uptimeMilliseconds
                    polling.recordStreamed(tpv)
                }
                handle(report, now, emit)
            case .poll(let reports):
                for tpv in reports where isPolledDevice(tpv) && polling.acceptPolled(tpv, at: now.uptimeMilliseconds) {
                    lastPositionReport = now.uptimeMilliseconds
                    var events: [SourceEvent.Content] = []
                    interpreter.handlePolled(tpv, at: now, into: &events)
                    forward(events, emit)
                }
            case .version, .devices, .device, .watch, .error, .other: handle(report, now, emit)
            }
        }
    }

    private mutating func handle(_ report: GPSDReport, _ now: ClockReading, _ emit: (SourceEvent) -> Void) {
        var events: [SourceEvent.Content] = []
        interpreter.handle(report, at: now, into: &events)
        forward(events, emit)
    }

    private mutating func markLost(_ detail: String, _ now: ClockReading, _ emit: (SourceEvent) -> Void) {
        var events: [SourceEvent.Content] = []
        interpreter.markLost(detail, at: now, into: &events)
        forward(events, emit)
    }

    /// Whether a polled report is of the selected receiver. Between polls every receiver is silent for a long time, so
    /// that the timeout cannot select one.
    private func isPolledDevice(_ report: TPVReport) -> Bool {
        guard let device = settings.device ?? interpreter.device else { return true }
        return (report.device ?? "") == device
    }

    private func isConfiguredDevice(_ report: TPVReport) -> Bool {
        guard let wanted = settings.device else { return true }
        return report.device == wanted
    }

    /// Whether the report is of a device without positions, such as a compass, beside the selected receiver. It does
    /// not tell that the receiver is alive.
    private func isOfCompass(_ report: TPVReport) -> Bool {
        guard let selected = interpreter.device, report.device ?? "" != selected else { return false }
        return report.mode == 0
    }

    private mutating func forward(_ events: [SourceEvent.Content], _ emit: (SourceEvent) -> Void) {
        for event in events {
            ordinal += 1
            emit(SourceEvent(event, ordinal: ordinal))
        }
    }

    // MARK: - Time

    private var silenceTimeoutMilliseconds: Int64 {
        Int64(settings.silenceTimeoutSeconds * 1000) + polling.delayMilliseconds
    }

    /// The time of the next decision of ``checkTimeouts(at:emit:)`` if nothing is received, on the monotonic clock.
    var deadlineUptimeMilliseconds: Int64 {
        let silence = silenceTimeoutMilliseconds
        let receiver = interpreter.state == .lost ? .max : lastPositionReport + silence
        return min(
            receiver, (probeSentAt ?? lastReport) + silence, polling.dueUptimeMilliseconds ?? .max,
            interpreter.dueUptimeMilliseconds ?? .max)
    }

    /// Emits the fix of a cycle that is complete by now. Reports once that the receiver is silent. Sends a request to
    /// a silent gpsd, and disconnects if there is no answer: a gpsd without a receiver sends nothing for hours, but a
    /// dead connection must be detected.
    mutating func checkTimeouts(at now: ClockReading, emit: (SourceEvent) -> Void) -> Decision {
        var events: [SourceEvent.Content] = []
        interpreter.advance(to: now, into: &events)
        forward(events, emit)
        let silence = silenceTimeoutMilliseconds
        if interpreter.state != .lost, now.uptimeMilliseconds >= lastPositionReport + silence {
            let who = settings.device ?? interpreter.device.flatMap { $0.isEmpty ? nil : $0 } ?? "the receiver"
            let what = hasReceivedReport ? "\(who) has reported nothing" : "gpsd has sent nothing"
            markLost("\(what) for \(Double(silence) / 1000) s", now, emit)
        }
        guard now.uptimeMilliseconds >= (probeSentAt ?? lastReport) + silence else { return .wait }
        guard probeSentAt == nil else { return .disconnect("it does not respond") }
        probeSentAt = now.uptimeMilliseconds
        return .send("?DEVICES;\n")
    }

    // MARK: - Requests

    /// The request for the reports of one receiver or of all.
    var watchRequest: String { watchRequest(streams: true) }

    private func watchRequest(streams: Bool) -> String {
        let device = settings.device.map { ",\"device\":\(Self.quoted($0))" } ?? ""
        return "?WATCH={\"enable\":true,\"json\":\(streams)\(device)};\n"
    }

    /// Returns the requests to send now, in order.
    /// - Parameter rate: A newly requested rate.
    mutating func requests(for rate: FixRate?, at now: ClockReading) -> [String] {
        var requests: [String] = []
        if let rate {
            polling.setRate(rate)
            (pendingRate, lastRate) = (rate, rate)
        }
        if let pendingRate, let request = deviceRequest(for: pendingRate) {
            requests.append(request)
            self.pendingRate = nil
        }
        switch polling.request(
            at: now.uptimeMilliseconds, hasPositions: interpreter.state == .available,
            isCycleIncomplete: interpreter.isCycleIncomplete)
        {
        case .startStream: requests.append(watchRequest)
        case .stopStream: requests.append(watchRequest(streams: false))
        case .poll: requests.append("?POLL;\n")
        case nil: break
        }
        return requests
    }

    /// Returns the request for a rate.
    /// - Returns: nil if it is not allowed, not possible, or not yet known to be possible.
    private func deviceRequest(for rate: FixRate) -> String? {
        guard settings.changesReceiverRate, let path = settings.device ?? interpreter.device,
            let shortest = ValidRange.cycle.validated(interpreter.knownDevices[path]?.minimumCycleSeconds)
        else { return nil }
        let wanted = rate == .full ? settings.movingCycleSeconds : settings.stationaryCycleSeconds
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
