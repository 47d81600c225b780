import OdographModel

/// The dialogue with an ELM327 adapter: one command at a time, each answered with lines and a prompt `>`.
///
/// Source: ELM Electronics, "ELM327 OBD to RS232 Interpreter", data sheet of version 1.4b, which all copies implement.
/// The caller gives it all bytes and the time, and sends what ``advance(to:emit:)`` returns.
package struct ELM327Session {
    /// A reason why the adapter cannot be used. The text can complete a sentence.
    package struct Failure: Error, Hashable {
        /// The reason.
        package let reason: String
    }

    /// A command of the dialogue.
    private enum Command: Hashable {
        /// A step of the set-up, by its index in ``setup``.
        case setup(Int)
        case voltage
        case parameter(OBDParameter)

        var text: String {
            switch self {
            case .setup(let index): ELM327Session.setup[index]
            case .voltage: "ATRV"
            case .parameter(let parameter):
                "01" + (parameter.rawValue < 16 ? "0" : "") + String(parameter.rawValue, radix: 16, uppercase: true)
            }
        }

        /// The longest time until the prompt, milliseconds. The adapter tries all protocols of a vehicle at the first
        /// request, up to ten seconds.
        var timeoutMilliseconds: Int64 {
            switch self {
            case .setup, .voltage: 3000
            case .parameter: 15_000
            }
        }
    }

    /// Reset; then echo, line feeds, spaces and headers off; and the search for the protocol.
    private static let setup = ["ATZ", "ATE0", "ATL0", "ATS0", "ATH0", "ATSP0"]
    /// The interval of the voltage, which the adapter measures without a request to the vehicle, milliseconds.
    private static let voltageMilliseconds: Int64 = 30_000
    /// The most bytes of an answer. The longest one has several lines of eight bytes.
    private static let maximumAnswerBytes = 1024
    private static let prompt = UInt8(ascii: ">")
    /// The lengths of identifiers of 11 and 29 bits before an answer.
    private static let (standardHeaderDigits, extendedHeaderBytes) = (3, 4)
    /// The names that adapters say after a reset: that of the original, and that of some copies.
    private static let adapterNames = ["ELM327", "OBDII"]

    private let name: String
    private var signals: OBDSignals
    private var schedule: OBDSchedule
    private var waiting: (command: Command, sinceUptime: Int64)?
    private var nextSetup = 0
    private var nextVoltageUptime: Int64 = .min
    private var buffer: [UInt8] = []

    /// Begins with the set-up of the adapter.
    /// - Parameter name: The name of the source in messages, for example `/dev/ttyUSB0`.
    package init(name: String, at moment: ClockReading) {
        self.name = name
        signals = OBDSignals(source: .elm327, name: name, at: moment)
        schedule = OBDSchedule(uptimeMilliseconds: moment.uptimeMilliseconds)
    }

    /// The uptime at which ``advance(to:emit:)`` has something to do, milliseconds.
    package var deadlineUptimeMilliseconds: Int64 {
        let next: Int64 =
            if let waiting {
                waiting.sinceUptime + waiting.command.timeoutMilliseconds
            } else if nextSetup < Self.setup.count {
                .min
            } else {
                min(schedule.dueUptimeMilliseconds, nextVoltageUptime)
            }
        return min(next, signals.bus.deadlineUptimeMilliseconds ?? .max)
    }

    /// Begins again with the set-up, after the port was opened.
    package mutating func restart() {
        waiting = nil
        nextSetup = 0
        buffer = []
    }

    /// Handles an unusable port or adapter, with the reason.
    package mutating func fail(because reason: String, at moment: ClockReading, emit: (VehicleBusEvent) -> Void) {
        signals.bus.fail(because: reason, at: moment, emit: emit)
    }

    /// Handles bytes of the adapter.
    /// - Throws: `Failure` if they are no answer of an ELM327.
    package mutating func receive(
        _ bytes: some Sequence<UInt8>, at moment: ClockReading, emit: (VehicleBusEvent) -> Void
    ) throws(Failure) {
        // The adapter can insert bytes of 0 anywhere. The data sheet says that they must be ignored.
        for byte in bytes where byte != 0 {
            if byte == Self.prompt {
                let answer = buffer
                buffer = []
                try receive(answer: answer, at: moment, emit: emit)
            } else {
                buffer.append(byte)
                guard buffer.count <= Self.maximumAnswerBytes else {
                    throw Failure(reason: "it sends data without a prompt; check bit_rate")
                }
            }
        }
    }

    /// Emits what is due.
    /// - Returns: The command to send now, with its end of line, if one is due.
    /// - Throws: `Failure` if the adapter does not answer.
    package mutating func advance(
        to moment: ClockReading, emit: (VehicleBusEvent) -> Void
    ) throws(Failure) -> String? {
        signals.bus.advance(to: moment, emit: emit)
        let uptime = moment.uptimeMilliseconds
        if let waiting {
            guard uptime - waiting.sinceUptime >= waiting.command.timeoutMilliseconds else { return nil }
            throw Failure(reason: "it does not answer \(waiting.command.text); check the cable and bit_rate")
        }
        guard let command = nextCommand(at: uptime) else { return nil }
        waiting = (command, uptime)
        return command.text + "\r"
    }

    private mutating func nextCommand(at uptime: Int64) -> Command? {
        if nextSetup < Self.setup.count { return .setup(nextSetup) }
        if uptime >= nextVoltageUptime {
            nextVoltageUptime = uptime + Self.voltageMilliseconds
            return .voltage
        }
        return schedule.next(at: uptime).map { .parameter($0) }
    }

    private mutating func receive(
        answer: [UInt8], at moment: ClockReading, emit: (VehicleBusEvent) -> Void
    ) throws(Failure) {
        let lines = answer.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        // A prompt alone is no answer: some adapters send two, and then the answers would belong to other commands.
        guard !lines.isEmpty else { return }
        let command = waiting?.command
        waiting = nil
        if lines.contains(where: { Self.isName($0) }) {
            // It was reset: by the set-up, or for example by a weak battery, and then it has lost its settings.
            nextSetup = 1
            return
        }
        switch command {
        case nil: return
        case .setup(0):
            throw Failure(reason: "it is no ELM327: it does not say its name after a reset")
        case .setup(let index): nextSetup = index + 1
        case .voltage:
            if let volts = lines.lazy.compactMap({ Self.volts($0) }).first {
                signals.bus.update(at: moment) { $0.batteryVolts = volts }
            }
        case .parameter(let parameter):
            // Several control units may answer, without their addresses. The first one answers always.
            guard let found = lines.lazy.compactMap({ Self.answer($0) }).first(where: { $0.parameter == parameter })
            else { return }
            schedule.receive(found, at: moment.uptimeMilliseconds)
            signals.receive(found, at: moment, emit: emit)
        }
    }

    private static func isName(_ line: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: line, as: UTF8.self)
        return adapterNames.contains { text.contains($0) }
    }

    /// Reads an answer such as `410D48`; nil for messages such as `NO DATA` and `SEARCHING...`.
    ///
    /// A message can be before the answer in its line. Some copies cannot switch spaces or headers off.
    private static func answer(_ line: ArraySlice<UInt8>) -> OBDAnswer? {
        var digits: [UInt8] = []
        for byte in line.reversed() where byte != UInt8(ascii: " ") {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { break }
            digits.append(UInt8(digit))
        }
        digits.reverse()
        // An identifier of 11 bits has an odd number of digits.
        guard digits.count % 2 == 0 else { return framedAnswer(bytes(of: digits.dropFirst(standardHeaderDigits))) }
        let data = bytes(of: digits[...])
        return OBDAnswer(data: data, sender: 0) ?? framedAnswer(data.dropFirst(extendedHeaderBytes))
    }

    /// Reads an answer after its header: the length, and so many bytes.
    private static func framedAnswer(_ frame: some Collection<UInt8>) -> OBDAnswer? {
        guard let length = frame.first, (1...7).contains(length), frame.count > Int(length) else { return nil }
        return OBDAnswer(data: frame.dropFirst().prefix(Int(length)), sender: 0)
    }

    private static func bytes(of digits: ArraySlice<UInt8>) -> [UInt8] {
        stride(from: digits.startIndex, to: digits.endIndex - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Reads a voltage such as `12.6V`.
    private static func volts(_ line: ArraySlice<UInt8>) -> Double? {
        guard line.last == UInt8(ascii: "V") else { return nil }
        return Double(String(decoding: line.dropLast(), as: UTF8.self))
    }
}
