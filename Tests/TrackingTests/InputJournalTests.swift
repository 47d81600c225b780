import OdographCivilTime
import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The input journal")
struct InputJournalTests {
    private let moment = ClockReading(
        systemTime: Timestamp(millisecondsSinceEpoch: 1_763_715_302_123), uptimeMilliseconds: 456_789,
        isSystemTimeTrusted: true)

    private func fix(_ values: [Double?]) -> Fix {
        Fix(
            timestamp: Timestamp(millisecondsSinceEpoch: 1_763_715_302_000), received: moment,
            coordinate: Coordinate(latitudeDegrees: 37.390341886919586, longitudeDegrees: -122.0837) ?? .gulf,
            accuracyMeters: values[0], speedMetersPerSecond: values[1], speedAccuracyMetersPerSecond: values[2],
            headingDegrees: values[3], altitudeMeters: values[4], ellipsoidalAltitudeMeters: values[5],
            jammingLevel: values.count > 6 ? values[6] : nil, isMock: true)
    }

    @Test("Each input that can be appended is read back unchanged, to the last bit")
    func roundTrip() throws {
        var inputs: [TrackerInput] = [
            .tick(moment), .started(at: moment), .battery(nil, at: moment),
            .battery(Battery(level: 1.0 / 3, isCharging: true), at: moment), .odometer(meters: -0.0, at: moment),
            .odometer(meters: 120_345.2, at: moment),
            .tick(
                ClockReading(
                    systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: 7, isSystemTimeTrusted: false)
            ),
        ]
        inputs += VehicleSignals.Source.allCases.map { source in
            .signals(
                VehicleSignals(
                    source: source, received: moment, wheelSpeedMetersPerSecond: 1.0 / 3, odometerMeters: 184_223_005,
                    isIgnitionOn: source == .obd, engineRevolutionsPerMinute: 1430.125, batteryVolts: 27.95,
                    fuelLevel: 0.625, stateOfCharge: 1))
        }
        for (index, isOn) in [nil, false, true].enumerated() {
            inputs.append(
                .signals(
                    VehicleSignals(
                        source: .program, received: moment, odometerMeters: index == 1 ? 0 : nil, isIgnitionOn: isOn)))
        }
        inputs += [.available, .noFix, .lost].map { .source($0, at: moment) }
        for mask in 0..<128 {
            let values: [Double] = [4.2, 13.9, 1.0 / 3, 359.99999999, -5.099999904632568, 1e300, 128.0 / 255]
            inputs.append(.fix(fix(values.enumerated().map { mask >> $0.offset & 1 == 1 ? $0.element : nil })))
        }
        var journal = InputJournal()
        for input in inputs {
            let isTaken = journal.append(input)
            #expect(isTaken)
        }
        #expect(try InputJournal.inputs(in: journal.bytes) == inputs)
    }

    @Test("A complete configuration cannot be appended")
    func configuration() {
        var journal = InputJournal()
        let isTaken = journal.append(.configuration(TrackingConfiguration(), at: moment))
        #expect(!isTaken)
        #expect(journal.bytes.isEmpty)
    }

    /// Every kind of input, with its bytes.
    private static let encodings: [(TrackerInput, String)] = {
        let moment = ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: 1_795_255_200_500), uptimeMilliseconds: 3_620_000,
            isSystemTimeTrusted: true)
        let fix = Fix(
            timestamp: Timestamp(millisecondsSinceEpoch: 1_795_255_200_000), received: moment,
            coordinate: Coordinate(latitudeDegrees: 48.2012345, longitudeDegrees: -16.37) ?? .gulf,
            accuracyMeters: 4.5, speedMetersPerSecond: 0.25, speedAccuracyMetersPerSecond: 1.0 / 3,
            headingDegrees: 271.5, altitudeMeters: 180, ellipsoidalAltitudeMeters: 224.125, isMock: true)
        let values =
            "80a4e3d8bf68e807c0f2b90307f2b2d7cb0303e3ff0103a84603f4030f555555555555d53f0398922100e80203faad1b"
        var jammed = fix
        jammed.jammingLevel = 0.5
        return [
            (.fix(fix), "01ff01" + values), (.fix(jammed), "01ff05" + values + "03e807"),
            (.undated(ReceivedFix(fix, hasReceiverDate: true)), "08ff03" + values),
            (.tick(moment), "0201e8abe3d8bf68c0f2b903"), (.source(.noFix, at: moment), "0301e8abe3d8bf68c0f2b90301"),
            (.battery(Battery(level: 0.5, isCharging: true), at: moment), "0401e8abe3d8bf68c0f2b90303e80701"),
            (.battery(nil, at: moment), "0501e8abe3d8bf68c0f2b903"), (.started(at: moment), "0601e8abe3d8bf68c0f2b903"),
            (.odometer(meters: -12.5, at: moment), "0701e8abe3d8bf68c0f2b90303a7c301"),
        ]
    }()

    @Test("Each input has this encoding; another one needs another form of the saved state")
    func encoding() {
        for (input, text) in Self.encodings {
            var journal = InputJournal()
            let isTaken = journal.append(input)
            #expect(isTaken)
            let digits = journal.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(digits == text, "\(input)")
        }
    }

    @Test("A typical fix takes at most 48 bytes")
    func size() {
        var journal = InputJournal()
        _ = journal.append(.fix(fix([4.2, 13.9, nil, 271.5, 667.0, 718.9])))
        #expect(journal.bytes.count <= 48)
    }

    @Test("A truncated journal is read up to the cut or refused, never further")
    func cut() {
        var journal = InputJournal()
        let inputs: [TrackerInput] = [.fix(fix([1, 2, 3, 4, 5, 6])), .tick(moment), .battery(nil, at: moment)]
        for input in inputs { _ = journal.append(input) }
        for length in 0..<journal.bytes.count {
            guard let read = try? InputJournal.inputs(in: Array(journal.bytes[..<length])) else { continue }
            #expect(read.count < inputs.count && read == Array(inputs[..<read.count]))
        }
    }

    @Test("An unknown source state is refused with the offset of its byte")
    func unknownState() throws {
        var journal = InputJournal()
        _ = journal.append(.source(.lost, at: moment))
        let bytes = journal.bytes
        let place = bytes.count - 1
        #expect(bytes[place] == 2)
        for state: UInt8 in 3..<128 {
            #expect(throws: InputJournalError.self) {
                try InputJournal.inputs(in: bytes[..<place] + [state])
            }
        }
    }

    @Test("Random bytes are read or refused without a trap")
    func garbage() {
        var state: UInt64 = 42
        for _ in 0..<20_000 {
            let bytes = (0..<12).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33) & (state >> 60 == 0 ? 7 : 255)
            }
            _ = try? InputJournal.inputs(in: bytes)
        }
    }

    @Test("A number with an unknown count of decimals is refused", arguments: [1, 2, 4, 8, 10, 14, 16, 255] as [UInt8])
    func unknownDecimals(count: UInt8) throws {
        var journal = InputJournal()
        _ = journal.append(.odometer(meters: 5, at: moment))
        var bytes = journal.bytes
        let place = bytes.count - 2
        try #require(bytes[place] == 0)
        bytes[place] = count
        #expect(throws: InputJournalError(offset: place)) { try InputJournal.inputs(in: bytes) }
    }
}
