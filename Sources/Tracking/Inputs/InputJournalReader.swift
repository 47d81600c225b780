import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Decodes inputs.
struct InputJournalReader {
    let bytes: [UInt8]
    private(set) var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func readInput() throws(InputJournalError) -> TrackerInput {
        guard let tag = InputJournalTag(rawValue: try readByte()) else { throw InputJournalError(offset: offset - 1) }
        switch tag {
        case .fix: return .fix(try readFix().fix)
        case .undated:
            let (fix, parts) = try readFix()
            return .undated(ReceivedFix(fix, hasReceiverDate: parts.contains(.hasReceiverDate)))
        case .tick: return .tick(try readClockReading())
        case .started: return .started(at: try readClockReading())
        case .noBattery: return .battery(nil, at: try readClockReading())
        case .source:
            let moment = try readClockReading()
            let states: [SourceState] = [.available, .noFix, .lost]
            let index = try readUnsigned()
            guard index < UInt64(states.count) else { throw InputJournalError(offset: offset - 1) }
            return .source(states[Int(index)], at: moment)
        case .battery:
            let moment = try readClockReading()
            return .battery(Battery(level: try readDecimal(), isCharging: try readUnsigned() == 1), at: moment)
        case .signals: return .signals(try readSignals())
        case .odometer:
            let moment = try readClockReading()
            let meters = try readDecimal()
            guard ValidRange.distance.validated(abs(meters)) != nil else { throw InputJournalError(offset: offset) }
            return .odometer(meters: meters, at: moment)
        }
    }

    private mutating func readFix() throws(InputJournalError) -> (fix: Fix, parts: InputJournalFixFields) {
        let parts = InputJournalFixFields(rawValue: UInt16(truncatingIfNeeded: try readUnsigned()))
        let timestamp = try checkedTimestamp(try readSigned())
        let system = try checkedTimestamp(timestamp.millisecondsSinceEpoch &+ (try readSigned()))
        let received = ClockReading(
            systemTime: system, uptimeMilliseconds: try readUptime(), isSystemTimeTrusted: parts.contains(.isTrusted))
        let latitude = try readDecimal()
        guard let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: try readDecimal()) else {
            throw InputJournalError(offset: offset)
        }
        let fix = Fix(
            timestamp: timestamp, received: received, coordinate: coordinate,
            accuracyMeters: parts.contains(.accuracy) ? try readDecimal() : nil,
            speedMetersPerSecond: parts.contains(.speed) ? try readDecimal() : nil,
            speedAccuracyMetersPerSecond: parts.contains(.speedAccuracy) ? try readDecimal() : nil,
            headingDegrees: parts.contains(.heading) ? try readDecimal() : nil,
            altitudeMeters: parts.contains(.altitude) ? try readDecimal() : nil,
            ellipsoidalAltitudeMeters: parts.contains(.ellipsoidalAltitude) ? try readDecimal() : nil,
            jammingLevel: parts.contains(.jamming) ? try readDecimal() : nil, isMock: parts.contains(.isMock))
        return (fix, parts)
    }

    private mutating func readSignals() throws(InputJournalError) -> VehicleSignals {
        let received = try readClockReading()
        let number = try readUnsigned()
        guard let source = VehicleSignals.Source.allCases.first(where: { $0.journalNumber == number }) else {
            throw InputJournalError(offset: offset - 1)
        }
        let parts = InputJournalSignalFields(rawValue: UInt16(truncatingIfNeeded: try readUnsigned()))
        var values: [Double?] = []
        for part in InputJournalSignalFields.numbers { values.append(parts.contains(part) ? try readDecimal() : nil) }
        return VehicleSignals(
            source: source, received: received, wheelSpeedMetersPerSecond: values[0],
            odometerMeters: values[1], isIgnitionOn: parts.contains(.ignition) ? parts.contains(.isIgnitionOn) : nil,
            engineRevolutionsPerMinute: values[2], batteryVolts: values[3], fuelLevel: values[4],
            stateOfCharge: values[5])
    }

    private mutating func readClockReading() throws(InputJournalError) -> ClockReading {
        let isTrusted = try readUnsigned() == 1
        let system = try checkedTimestamp(try readSigned())
        return ClockReading(systemTime: system, uptimeMilliseconds: try readUptime(), isSystemTimeTrusted: isTrusted)
    }

    /// Returns an instant; it must have a year of four digits, so that calculations with it cannot overflow.
    private func checkedTimestamp(_ milliseconds: Int64) throws(InputJournalError) -> Timestamp {
        guard Timestamp.iso8601Range.contains(Timestamp(millisecondsSinceEpoch: milliseconds)) else {
            throw InputJournalError(offset: offset)
        }
        return Timestamp(millisecondsSinceEpoch: milliseconds)
    }

    /// Reads the monotonic clock. In a replay it is the instant itself, which may be before 1970.
    private mutating func readUptime() throws(InputJournalError) -> Int64 {
        try checkedTimestamp(try readSigned()).millisecondsSinceEpoch
    }

    private mutating func readByte() throws(InputJournalError) -> UInt8 {
        guard offset < bytes.count else { throw InputJournalError(offset: offset) }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func readUnsigned() throws(InputJournalError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let next = try readByte()
            value |= UInt64(next & 0x7F) << UInt64(shift)
            if next < 0x80 { return value }
        }
        throw InputJournalError(offset: offset)
    }

    mutating func readSigned() throws(InputJournalError) -> Int64 {
        Int64(zigzag: try readUnsigned())
    }

    private mutating func readDecimal() throws(InputJournalError) -> Double {
        let decimals = try readByte()
        if decimals != InputJournalDecimal.raw {
            guard let scale = InputJournalDecimal.scale(decimals) else { throw InputJournalError(offset: offset - 1) }
            return Double(try readSigned()) / scale
        }
        var pattern: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) { pattern |= UInt64(try readByte()) << UInt64(shift) }
        return Double(bitPattern: pattern)
    }
}

extension Int64 {
    /// The zigzag encoding: numbers of small magnitude become small unsigned numbers.
    var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

    init(zigzag: UInt64) {
        self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }
}
