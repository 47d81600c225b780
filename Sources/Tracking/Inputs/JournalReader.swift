import CivilTime
import Geodesy

/// Reads inputs, byte by byte.
struct JournalReader {
    let bytes: [UInt8]
    private(set) var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func input() throws(JournalError) -> TrackerInput {
        guard let tag = JournalTag(rawValue: try byte()) else { throw JournalError(offset: position - 1) }
        switch tag {
        case .fix: return .fix(try fix().fix)
        case .undated:
            let (fix, parts) = try fix()
            return .undated(UndatedFix(fix, hasReceiverDate: parts.contains(.hasReceiverDate)))
        case .tick: return .tick(try moment())
        case .started: return .started(at: try moment())
        case .noBattery: return .battery(nil, at: try moment())
        case .source:
            let moment = try moment()
            let states: [SourceState] = [.available, .noFix, .lost]
            let index = try unsigned()
            guard index < UInt64(states.count) else { throw JournalError(offset: position - 1) }
            return .source(states[Int(index)], at: moment)
        case .battery:
            let moment = try moment()
            return .battery(Battery(level: try decimal(), isCharging: try unsigned() == 1), at: moment)
        case .odometer:
            let moment = try moment()
            let meters = try decimal()
            guard Quantity.distance.known(abs(meters)) != nil else { throw JournalError(offset: position) }
            return .odometer(meters: meters, at: moment)
        }
    }

    private mutating func fix() throws(JournalError) -> (fix: Fix, parts: JournalFixParts) {
        let parts = JournalFixParts(rawValue: UInt16(truncatingIfNeeded: try unsigned()))
        let timestamp = try time(try signed())
        let system = try time(timestamp.millisecondsSinceEpoch &+ (try signed()))
        let received = Moment(
            systemTime: system, uptimeMilliseconds: try uptime(), isSystemTimeTrusted: parts.contains(.isTrusted))
        let latitude = try decimal()
        guard let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: try decimal()) else {
            throw JournalError(offset: position)
        }
        let fix = Fix(
            timestamp: timestamp, received: received, coordinate: coordinate,
            accuracyMeters: parts.contains(.accuracy) ? try decimal() : nil,
            speedMetersPerSecond: parts.contains(.speed) ? try decimal() : nil,
            speedAccuracyMetersPerSecond: parts.contains(.speedAccuracy) ? try decimal() : nil,
            headingDegrees: parts.contains(.heading) ? try decimal() : nil,
            altitudeMeters: parts.contains(.altitude) ? try decimal() : nil,
            ellipsoidalAltitudeMeters: parts.contains(.ellipsoidalAltitude) ? try decimal() : nil,
            isMock: parts.contains(.isMock))
        return (fix, parts)
    }

    private mutating func moment() throws(JournalError) -> Moment {
        let isTrusted = try unsigned() == 1
        let system = try time(try signed())
        return Moment(systemTime: system, uptimeMilliseconds: try uptime(), isSystemTimeTrusted: isTrusted)
    }

    /// An instant that can be reckoned with: one that has a date of four digits.
    private func time(_ milliseconds: Int64) throws(JournalError) -> Timestamp {
        guard Timestamp.written.contains(Timestamp(millisecondsSinceEpoch: milliseconds)) else {
            throw JournalError(offset: position)
        }
        return Timestamp(millisecondsSinceEpoch: milliseconds)
    }

    /// A reading of the monotonic clock; that of a replay is the instant itself, which may lie before 1970.
    private mutating func uptime() throws(JournalError) -> Int64 {
        try time(try signed()).millisecondsSinceEpoch
    }

    private mutating func byte() throws(JournalError) -> UInt8 {
        guard position < bytes.count else { throw JournalError(offset: position) }
        position += 1
        return bytes[position - 1]
    }

    mutating func unsigned() throws(JournalError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let next = try byte()
            value |= UInt64(next & 0x7F) << UInt64(shift)
            if next < 0x80 { return value }
        }
        throw JournalError(offset: position)
    }

    mutating func signed() throws(JournalError) -> Int64 {
        Int64(zigzag: try unsigned())
    }

    private mutating func decimal() throws(JournalError) -> Double {
        let decimals = try byte()
        if decimals != JournalDecimal.raw { return Double(try signed()) / JournalDecimal.scale(Int(decimals)) }
        var pattern: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) { pattern |= UInt64(try byte()) << UInt64(shift) }
        return Double(bitPattern: pattern)
    }
}

extension Int64 {
    /// Small numbers of either sign as small numbers without one.
    var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

    init(zigzag: UInt64) {
        self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }
}
