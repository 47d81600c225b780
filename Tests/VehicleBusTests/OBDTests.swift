import OdographHarness
import OdographModel
import Testing

@testable import OdographVehicleBus

@Suite("OBD-II")
struct OBDTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let identifier: UInt32
        let bytes: [UInt8]
        let parameter: OBDParameter?
        let value: Double
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "72 km/h", identifier: 0x7E8, bytes: [3, 0x41, 0x0D, 72, 0xAA], parameter: .vehicleSpeed, value: 20),
        Row(
            name: "1726 rpm", identifier: 0x7E8, bytes: [4, 0x41, 0x0C, 0x1A, 0xF8], parameter: .engineSpeed,
            value: 1726),
        Row(name: "full tank", identifier: 0x7EF, bytes: [3, 0x41, 0x2F, 255], parameter: .fuelLevel, value: 1),
        Row(
            name: "14.1 V", identifier: 0x7E8, bytes: [4, 0x41, 0x42, 0x37, 0x14], parameter: .moduleVoltage,
            value: 14.1),
        Row(
            name: "123,456.7 km", identifier: 0x18DA_F110, bytes: [6, 0x41, 0xA6, 0x00, 0x12, 0xD6, 0x87],
            parameter: .odometer, value: 123_456_700),
        Row(name: "negative answer", identifier: 0x7E8, bytes: [3, 0x7F, 0x01, 0x12], parameter: nil, value: 0),
        Row(name: "other mode", identifier: 0x7E8, bytes: [3, 0x49, 0x0D, 72], parameter: nil, value: 0),
        Row(name: "other parameter", identifier: 0x7E8, bytes: [3, 0x41, 0x05, 72], parameter: nil, value: 0),
        Row(name: "too short", identifier: 0x7E8, bytes: [3, 0x41, 0x0C, 72], parameter: nil, value: 0),
        Row(name: "longer than the frame", identifier: 0x7E8, bytes: [7, 0x41, 0x0D, 72], parameter: nil, value: 0),
        Row(
            name: "first of several frames", identifier: 0x7E8, bytes: [0x10, 0x14, 0x41, 0x0D, 72], parameter: nil,
            value: 0),
        Row(name: "a request", identifier: 0x7DF, bytes: [2, 0x01, 0x0D], parameter: nil, value: 0),
        Row(name: "empty", identifier: 0x7E8, bytes: [], parameter: nil, value: 0),
    ]

    @Test("A frame has the value of the standard", arguments: rows)
    func decodes(row: Row) throws {
        let frame = try #require(
            CANFrame(identifier: row.identifier, isExtended: row.identifier > 0x7FF, bytes: row.bytes))
        let answer = OBDAnswer(frame)
        #expect(answer?.parameter == row.parameter)
        if let answer { #expect(abs(answer.value - row.value) < 1e-6) }
    }

    /// A car that answers requests.
    struct Car {
        var isOn = true
        var isExtended = false
        var kilometersPerHour = 0.0
        var revolutionsPerMinute = 800.0
        var known: Set<OBDParameter> = Set(OBDParameter.allCases)
        private(set) var session: OBDSession
        private(set) var requests: [(uptime: Int64, parameter: OBDParameter)] = []
        private(set) var events: [VehicleBusEvent] = []
        private var uptime: Int64 = 1000

        init(isRequesting: Bool = true) {
            session = OBDSession(name: "can0", isRequesting: isRequesting, at: Bus.reading(1000))
        }

        /// Lets time pass in steps of 50 ms.
        mutating func run(seconds: Double) {
            for _ in 0..<Int(seconds * 20) {
                uptime += 50
                let moment = Bus.reading(uptime)
                guard let request = session.advance(to: moment, emit: { events.append($0) }),
                    let parameter = request.littleEndian(at: 2, count: 1).flatMap({ OBDParameter(rawValue: UInt8($0)) })
                else { continue }
                requests.append((uptime, parameter))
                guard isOn, request.isExtended == isExtended, known.contains(parameter),
                    let answer = answer(to: parameter)
                else { continue }
                session.receive(answer, at: moment) { events.append($0) }
            }
        }

        private func answer(to parameter: OBDParameter) -> CANFrame? {
            let data: [UInt8] =
                switch parameter {
                case .vehicleSpeed: [UInt8(kilometersPerHour)]
                case .engineSpeed: [UInt8(revolutionsPerMinute * 4 / 256), UInt8(Int(revolutionsPerMinute * 4) % 256)]
                case .fuelLevel: [51]
                case .moduleVoltage: [0x37, 0x14]
                case .odometer: [0, 0x12, 0xD6, 0x87]
                }
            return CANFrame(
                identifier: isExtended ? 0x18DA_F110 : 0x7E8, isExtended: isExtended,
                bytes: [UInt8(2 + data.count), 0x41, parameter.rawValue] + data)
        }

        var signals: [VehicleSignals] {
            events.compactMap { if case .signals(let signals) = $0 { signals } else { nil } }
        }

        var states: [VehicleBusEvent.State] {
            events.compactMap { if case .state(let state, _, _) = $0 { state } else { nil } }
        }

        /// Returns the number of requests in the last seconds.
        func requests(inLastSeconds seconds: Int64) -> Int {
            requests.count { uptime - $0.uptime < seconds * 1000 }
        }
    }

    @Test("Without permission nothing is sent, and answers to others are read")
    func listening() throws {
        var car = Car(isRequesting: false)
        car.run(seconds: 60)
        #expect(car.requests.isEmpty)
        var session = OBDSession(name: "can0", isRequesting: false, at: Bus.reading(0))
        var events: [VehicleBusEvent] = []
        for second in 1...3 {
            let frame = try #require(CANFrame(identifier: 0x7E8, isExtended: false, bytes: [3, 0x41, 0x0D, 0]))
            session.receive(frame, at: Bus.reading(Int64(second) * 1000)) { events.append($0) }
            #expect(session.advance(to: Bus.reading(Int64(second) * 1000)) { events.append($0) } == nil)
        }
        #expect(
            events.contains {
                if case .signals(let signals) = $0 { signals.wheelSpeedMetersPerSecond == 0 } else { false }
            })
    }

    @Test("A car gives all signals, with at most three and a half requests a second", arguments: [false, true])
    func requesting(isExtended: Bool) throws {
        var car = Car()
        car.isExtended = isExtended
        car.run(seconds: 60)
        let last = try #require(car.signals.last)
        #expect(last.source == .obd)
        #expect(last.isIgnitionOn == true)
        #expect(car.signals.compactMap(\.wheelSpeedMetersPerSecond).last == 0)
        #expect(car.signals.compactMap(\.engineRevolutionsPerMinute).last == 800)
        #expect(car.signals.compactMap(\.fuelLevel).last == 0.2)
        #expect(car.signals.compactMap(\.batteryVolts).last == 14.1)
        #expect(car.signals.compactMap(\.odometerMeters).last == 123_456_700)
        for (before, after) in zip(car.requests, car.requests.dropFirst()) {
            #expect(after.uptime - before.uptime >= OBDSchedule.minimumGapMilliseconds)
        }
        #expect(car.requests(inLastSeconds: 40) <= 40 * 23 / 10 + 2)
    }

    @Test("A parameter that the car does not have is not requested for ever")
    func unknownParameter() {
        var car = Car()
        car.known = [.engineSpeed, .vehicleSpeed]
        car.run(seconds: 120)
        #expect(car.requests.count { $0.parameter == .odometer } == OBDSchedule.maximumUnansweredOfParameter)
        #expect(car.states == [.available])
    }

    @Test("An electric car without engine speed gives its speed")
    func electric() {
        var car = Car()
        car.known = [.vehicleSpeed, .moduleVoltage]
        car.run(seconds: 700)
        #expect(car.states == [.available])
        car.kilometersPerHour = 10
        car.run(seconds: 30)
        #expect(car.signals.compactMap(\.wheelSpeedMetersPerSecond).last.map { abs($0 - 10 / 3.6) < 1e-9 } == true)
    }

    @Test("A car that is switched off is asked every ten seconds, and the ignition is reported")
    func switchedOff() {
        var car = Car()
        car.run(seconds: 20)
        car.revolutionsPerMinute = 0
        car.run(seconds: 3)
        car.isOn = false
        car.run(seconds: 60)
        #expect(car.signals.last?.isIgnitionOn == false)
        #expect(car.states == [.available, .silent])
        #expect(car.requests(inLastSeconds: 40) <= 4)
        car.isOn = true
        car.revolutionsPerMinute = 800
        car.run(seconds: 25)
        #expect(car.signals.last?.isIgnitionOn == true)
        #expect(car.states == [.available, .silent, .available])
        #expect(car.requests(inLastSeconds: 4) >= 8)
    }

    @Test("A car that rests is asked every five seconds, and every second when it is used again")
    func resting() {
        var car = Car()
        car.revolutionsPerMinute = 0
        car.run(seconds: 700)
        #expect(car.requests(inLastSeconds: 60) <= 13)
        #expect(car.states == [.available])
        car.revolutionsPerMinute = 800
        car.run(seconds: 15)
        #expect(car.requests(inLastSeconds: 4) >= 8)
    }

    @Test("An adapter that is unplugged at speed is lost")
    func unplugged() {
        var car = Car()
        car.run(seconds: 5)
        for speed in stride(from: 0.0, through: 50, by: 5) {
            car.kilometersPerHour = speed
            car.run(seconds: 1)
        }
        car.isOn = false
        car.run(seconds: 30)
        #expect(car.states == [.available, .lost])
        #expect(!car.signals.contains { $0.isIgnitionOn == false })
    }

    @Test("Random answers never give a value outside its range", arguments: 1...10)
    func fuzz(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var session = OBDSession(name: "can0", isRequesting: true, at: Bus.reading(0))
        for step in 1...3000 {
            let bytes = [
                [UInt8.random(in: 0...8, using: &generator), 0x41],
                (0..<6).map { _ in UInt8.random(in: 0...255, using: &generator) },
            ].flatMap(\.self)
            let identifier = UInt32.random(in: 0x7E0...0x7FF, using: &generator)
            guard let frame = CANFrame(identifier: identifier, isExtended: false, bytes: bytes) else { continue }
            let moment = Bus.reading(Int64(step) * 100)
            session.receive(frame, at: moment) { check($0) }
            _ = session.advance(to: moment) { check($0) }
        }
        func check(_ event: VehicleBusEvent) {
            guard case .signals(let signals) = event else { return }
            if let speed = signals.wheelSpeedMetersPerSecond { #expect(ValidRange.wheelSpeed.range.contains(speed)) }
            if let volts = signals.batteryVolts { #expect(ValidRange.batteryVoltage.range.contains(volts)) }
        }
    }
}
