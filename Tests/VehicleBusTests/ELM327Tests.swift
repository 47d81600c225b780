import OdographHarness
import OdographModel
import Testing

@testable import OdographVehicleBus

@Suite("ELM327")
struct ELM327Tests {
    /// An adapter that answers each command by a table.
    struct Adapter {
        var answers = [
            "ATZ": "\r\rELM327 v1.5\r\r", "ATE0": "ATE0\rOK\r\r", "ATL0": "OK\r\r", "ATS0": "OK\r\r", "ATH0": "OK\r\r",
            "ATSP0": "OK\r\r", "ATRV": "14.2V\r\r", "010C": "410C0C80\r\r", "010D": "SEARCHING...\r410D00\r410D01\r\r",
            "012F": "412F80\r\r", "0142": "NO DATA\r\r", "01A6": "7F0112\r\r",
        ]
        /// Whether it gives no prompt.
        var isSilent = false
        /// Changes the bytes on their way.
        var distort: @Sendable ([UInt8]) -> [UInt8] = { $0 }
        private(set) var session = ELM327Session(name: "adapter", at: Bus.reading(1000))
        private(set) var commands: [String] = []
        private(set) var events: [VehicleBusEvent] = []
        private(set) var failure: ELM327Session.Failure?
        private var uptime: Int64 = 1000

        /// Lets time pass in steps of 50 ms.
        mutating func run(seconds: Double) {
            for _ in 0..<Int(seconds * 20) where failure == nil {
                uptime += 50
                let moment = Bus.reading(uptime)
                do {
                    guard let line = try session.advance(to: moment, emit: { events.append($0) }) else { continue }
                    let command = String(line.dropLast())
                    commands.append(command)
                    guard !isSilent else { continue }
                    let answer = (answers[command] ?? "?\r\r") + ">"
                    try session.receive(distort(Array(answer.utf8)), at: moment) { events.append($0) }
                } catch {
                    failure = error
                    session.fail(because: error.reason, at: moment) { events.append($0) }
                }
            }
        }

        mutating func restart() {
            failure = nil
            session.restart()
        }

        var signals: [VehicleSignals] {
            events.compactMap { if case .signals(let signals) = $0 { signals } else { nil } }
        }
    }

    @Test("The adapter is set up once, and then gives signals")
    func dialogue() {
        var adapter = Adapter()
        adapter.run(seconds: 60)
        #expect(adapter.failure == nil)
        #expect(adapter.commands.prefix(6) == ["ATZ", "ATE0", "ATL0", "ATS0", "ATH0", "ATSP0"])
        #expect(adapter.signals.allSatisfy { $0.source == .elm327 })
        #expect(adapter.signals.compactMap(\.wheelSpeedMetersPerSecond).last == 0)
        #expect(adapter.signals.compactMap(\.engineRevolutionsPerMinute).last == 800)
        #expect(adapter.signals.compactMap(\.batteryVolts).last == 14.2)
        #expect(adapter.signals.compactMap(\.fuelLevel).last.map { abs($0 - 128.0 / 255) < 1e-9 } == true)
        #expect(adapter.signals.compactMap(\.odometerMeters).isEmpty)
        #expect(adapter.commands.count { $0 == "01A6" } == OBDSchedule.maximumUnansweredOfParameter)
    }

    @Test("Bytes of 0, a message in the line of an answer, spaces, headers and further prompts cost no value")
    func byteFaults() {
        func speeds(_ change: (inout Adapter) -> Void) -> [Double] {
            var adapter = Adapter()
            adapter.answers["010D"] = "410D32\r\r"
            change(&adapter)
            adapter.run(seconds: 30)
            #expect(adapter.failure == nil)
            #expect(adapter.signals.compactMap(\.batteryVolts).contains(14.2))
            return adapter.signals.compactMap(\.wheelSpeedMetersPerSecond).map { ($0 * 3.6).rounded() }
        }
        let usual = speeds { _ in }
        #expect(usual.count >= 20 && usual.allSatisfy { $0 == 50 })
        #expect(speeds { $0.distort = { bytes in bytes.flatMap { [$0, 0] } } } == usual)
        #expect(speeds { $0.distort = { bytes in bytes.flatMap { [0, 0, $0] } } } == usual)
        #expect(speeds { $0.distort = { $0 + Array("\r>".utf8) } } == usual)
        #expect(speeds { $0.distort = { Array(">".utf8) + $0 } } == usual)
        let answers = [
            "SEARCHING...410D32", "BUS INIT: OK\r410D32", "BUS INIT: ...OK410D32", "410D32\rSTOPPED", "41 0D 32 ",
            "7E8 03 41 0D 32 ", "7E803410D3255555555", "18 DA F1 10 03 41 0D 32 ", "18DAF11003410D32", "010D\r410D32",
        ]
        for answer in answers { #expect(speeds { $0.answers["010D"] = answer + "\r\r" } == usual, "\(answer)") }
        for refused in ["410D32<DATA ERROR", "7F0112", "NO DATA", "CAN ERROR", "41 0D", "7E8 01 41 0D 32"] {
            #expect(speeds { $0.answers["010D"] = refused + "\r\r" }.isEmpty, "\(refused)")
        }
    }

    @Test("An adapter that was reset is set up again")
    func reset() {
        var adapter = Adapter()
        adapter.run(seconds: 10)
        let answer = adapter.answers["010D"]
        adapter.answers["010D"] = "\r\rELM327 v1.5\r\r"
        adapter.run(seconds: 1.5)
        adapter.answers["010D"] = answer
        adapter.run(seconds: 10)
        #expect(adapter.commands.count { $0 == "ATE0" } >= 2)
        #expect(adapter.failure == nil)
        #expect(adapter.signals.compactMap(\.wheelSpeedMetersPerSecond).last == 0)
    }

    @Test("A copy of the adapter that says another name is used")
    func copy() {
        var adapter = Adapter()
        adapter.answers["ATZ"] = "\r\rOBDII v1.5\r\r"
        adapter.run(seconds: 10)
        #expect(adapter.failure == nil)
        #expect(!adapter.signals.isEmpty)
    }

    @Test("A vehicle that is switched off is asked seldom, and its voltage is still measured")
    func switchedOff() {
        var adapter = Adapter()
        adapter.run(seconds: 20)
        adapter.answers["010C"] = "410C0000\r\r"
        adapter.run(seconds: 5)
        for command in ["010C", "010D", "012F"] { adapter.answers[command] = "UNABLE TO CONNECT\r\r" }
        adapter.run(seconds: 20)
        #expect(adapter.signals.compactMap(\.isIgnitionOn).last == false)
        let before = adapter.commands.count
        adapter.run(seconds: 60)
        #expect(adapter.commands.count - before <= 9)
        #expect(adapter.commands.suffix(9).contains("ATRV"))
    }

    @Test("An adapter that does not answer is reported and set up again")
    func silent() {
        var adapter = Adapter()
        adapter.run(seconds: 10)
        adapter.isSilent = true
        adapter.run(seconds: 30)
        #expect(adapter.failure?.reason.contains("does not answer") == true)
        let before = adapter.commands.count
        adapter.isSilent = false
        adapter.restart()
        adapter.run(seconds: 10)
        #expect(adapter.commands.dropFirst(before).first == "ATZ")
        #expect(adapter.failure == nil)
    }

    @Test("A device that is no ELM327 is refused")
    func otherDevice() {
        var adapter = Adapter()
        adapter.answers["ATZ"] = "$GPRMC,120000\r\n"
        adapter.run(seconds: 5)
        #expect(adapter.failure?.reason.contains("no ELM327") == true)
    }

    @Test("Data without a prompt is refused")
    func flood() {
        var session = ELM327Session(name: "adapter", at: Bus.reading(0))
        #expect(throws: ELM327Session.Failure.self) {
            try session.receive([UInt8](repeating: 0x55, count: 5000), at: Bus.reading(0)) { _ in }
        }
    }

    @Test("Random answers never give a value outside its range", arguments: 1...10)
    func fuzz(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var adapter = Adapter()
        let alphabet = Array("0123456789ABCDEF41 0C0D2F\r\n>.V?NODATA")
        for _ in 0..<60 {
            for command in ["010C", "010D", "012F", "0142", "01A6", "ATRV"] {
                let random = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? "0"
                }
                let isPlausible = Bool.random(using: &generator)
                adapter.answers[command] = (isPlausible ? "41" + command.dropFirst(2) : "") + String(random) + "\r\r"
            }
            adapter.run(seconds: 2)
            if adapter.failure != nil { adapter.restart() }
        }
        for signals in adapter.signals {
            if let speed = signals.wheelSpeedMetersPerSecond { #expect(ValidRange.wheelSpeed.range.contains(speed)) }
            if let volts = signals.batteryVolts { #expect(ValidRange.batteryVoltage.range.contains(volts)) }
            if let level = signals.fuelLevel { #expect((0...1).contains(level)) }
        }
    }
}
