import CivilTime
import Geodesy

/// The inputs since the tracker's state was last saved whole, in few bytes.
///
/// The tracker is deterministic, so its state is what a saved state and the inputs since make it. A fix takes about 30
/// bytes here where a whole state takes kilobytes; that is what lets every record be committed together with the state
/// that made it. Nothing is rounded: a value that is no short decimal is kept in full.
public struct InputJournal: Hashable, Sendable {
    /// The encoded inputs.
    public private(set) var bytes: [UInt8] = []

    /// An empty journal.
    public init() {}

    /// Whether there is nothing in it.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Forgets what is in it: it has been saved.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Adds an input.
    /// - Returns: whether there is a form for it. There is none for what happens seldom and is large, a new
    ///   configuration above all: then the state is to be saved whole.
    public mutating func append(_ input: TrackerInput) -> Bool {
        var writer = JournalWriter(bytes: bytes)
        guard writer.put(input) else { return false }
        bytes = writer.bytes
        return true
    }

    /// Reads the inputs back.
    /// - Throws: ``JournalError`` where the bytes are not a journal.
    public static func inputs(in bytes: [UInt8]) throws -> [TrackerInput] {
        var reader = JournalReader(bytes: bytes)
        var inputs: [TrackerInput] = []
        while !reader.isAtEnd { inputs.append(try reader.input()) }
        return inputs
    }
}

/// A journal that cannot be read back.
public struct JournalError: Error, Hashable, CustomStringConvertible {
    /// At which byte reading stopped.
    public let offset: Int

    /// What is wrong and what follows from it.
    public var description: String {
        "the journal of tracker inputs is not readable at byte \(offset); the state goes on from the last whole one"
    }
}

/// What an input's first byte says it is.
private enum Tag: UInt8 {
    case fix = 1, tick, source, battery, noBattery, started, odometer, undated
}

/// Which of a fix's optional values follow, and its flags.
private struct FixParts: OptionSet {
    let rawValue: UInt16
    static let accuracy = FixParts(rawValue: 1)
    static let speed = FixParts(rawValue: 2)
    static let speedAccuracy = FixParts(rawValue: 4)
    static let heading = FixParts(rawValue: 8)
    static let altitude = FixParts(rawValue: 16)
    static let ellipsoidalAltitude = FixParts(rawValue: 32)
    static let isMock = FixParts(rawValue: 64)
    static let isTrusted = FixParts(rawValue: 128)
    static let hasReceiverDate = FixParts(rawValue: 256)
}

private struct JournalWriter {
    var bytes: [UInt8]

    mutating func put(_ input: TrackerInput) -> Bool {
        switch input {
        case .fix(let fix): put(.fix, fix)
        case .undated(let position): put(.undated, position.fix, position.hasReceiverDate ? .hasReceiverDate : [])
        case .tick(let moment): put(.tick, moment)
        case .started(let moment, nil): put(.started, moment)
        case .source(let state, let moment):
            put(.source, moment)
            put(unsigned: state == .available ? 0 : state == .noFix ? 1 : 2)
        case .battery(nil, let moment): put(.noBattery, moment)
        case .battery(let battery?, let moment):
            put(.battery, moment)
            put(decimal: battery.level)
            put(unsigned: battery.isCharging ? 1 : 0)
        case .odometer(let meters, let moment):
            put(.odometer, moment)
            put(decimal: meters)
        case .started, .configuration, .schedule, .positionRequest: return false
        }
        return true
    }

    private mutating func put(_ tag: Tag, _ fix: Fix, _ flags: FixParts = []) {
        var parts = flags
        if fix.accuracyMeters != nil { parts.insert(.accuracy) }
        if fix.speedMetersPerSecond != nil { parts.insert(.speed) }
        if fix.speedAccuracyMetersPerSecond != nil { parts.insert(.speedAccuracy) }
        if fix.headingDegrees != nil { parts.insert(.heading) }
        if fix.altitudeMeters != nil { parts.insert(.altitude) }
        if fix.ellipsoidalAltitudeMeters != nil { parts.insert(.ellipsoidalAltitude) }
        if fix.isMock { parts.insert(.isMock) }
        if fix.received.isSystemTimeTrusted { parts.insert(.isTrusted) }
        bytes.append(tag.rawValue)
        put(unsigned: UInt64(parts.rawValue))
        put(signed: fix.timestamp.millisecondsSinceEpoch)
        put(signed: fix.received.systemTime.millisecondsSinceEpoch &- fix.timestamp.millisecondsSinceEpoch)
        put(signed: fix.received.uptimeMilliseconds)
        put(decimal: fix.coordinate.latitudeDegrees)
        put(decimal: fix.coordinate.longitudeDegrees)
        for value in [
            fix.accuracyMeters, fix.speedMetersPerSecond, fix.speedAccuracyMetersPerSecond, fix.headingDegrees,
            fix.altitudeMeters, fix.ellipsoidalAltitudeMeters,
        ] {
            if let value { put(decimal: value) }
        }
    }

    private mutating func put(_ tag: Tag, _ moment: Moment) {
        bytes.append(tag.rawValue)
        put(unsigned: moment.isSystemTimeTrusted ? 1 : 0)
        put(signed: moment.systemTime.millisecondsSinceEpoch)
        put(signed: moment.uptimeMilliseconds)
    }

    /// LEB128: seven bits a byte, the lowest first.
    private mutating func put(unsigned value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func put(signed value: Int64) {
        put(unsigned: value.zigzag)
    }

    /// The number of decimals and the value without the point; 15 decimals stand for a value kept bit by bit.
    private mutating func put(decimal value: Double) {
        for decimals in [0, 3, 7, 9] {
            let scaled = (value * DecimalForm.scale(decimals)).rounded()
            guard abs(scaled) < 4e15, scaled / DecimalForm.scale(decimals) == value,
                value != 0 || value.sign == .plus
            else { continue }
            bytes.append(UInt8(decimals))
            return put(signed: Int64(scaled))
        }
        bytes.append(DecimalForm.raw)
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
        }
    }
}

private enum DecimalForm {
    static let raw: UInt8 = 15

    static func scale(_ decimals: Int) -> Double {
        switch decimals {
        case 0: 1
        case 3: 1e3
        case 7: 1e7
        default: 1e9
        }
    }
}

private struct JournalReader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func input() throws -> TrackerInput {
        guard let tag = Tag(rawValue: try byte()) else { throw JournalError(offset: position - 1) }
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
            return .odometer(meters: try decimal(), at: moment)
        }
    }

    private mutating func fix() throws -> (fix: Fix, parts: FixParts) {
        let parts = FixParts(rawValue: UInt16(truncatingIfNeeded: try unsigned()))
        let timestamp = Timestamp(millisecondsSinceEpoch: try signed())
        let system = Timestamp(millisecondsSinceEpoch: timestamp.millisecondsSinceEpoch &+ (try signed()))
        let received = Moment(
            systemTime: system, uptimeMilliseconds: try signed(), isSystemTimeTrusted: parts.contains(.isTrusted))
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

    private mutating func moment() throws -> Moment {
        let isTrusted = try unsigned() == 1
        let system = Timestamp(millisecondsSinceEpoch: try signed())
        return Moment(systemTime: system, uptimeMilliseconds: try signed(), isSystemTimeTrusted: isTrusted)
    }

    private mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw JournalError(offset: position) }
        position += 1
        return bytes[position - 1]
    }

    private mutating func unsigned() throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let next = try byte()
            value |= UInt64(next & 0x7F) << UInt64(shift)
            if next < 0x80 { return value }
        }
        throw JournalError(offset: position)
    }

    private mutating func signed() throws -> Int64 {
        Int64(zigzag: try unsigned())
    }

    private mutating func decimal() throws -> Double {
        let decimals = try byte()
        if decimals != DecimalForm.raw { return Double(try signed()) / DecimalForm.scale(Int(decimals)) }
        var pattern: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) { pattern |= UInt64(try byte()) << UInt64(shift) }
        return Double(bitPattern: pattern)
    }
}

extension Int64 {
    /// Small numbers of either sign as small numbers without one.
    fileprivate var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

    fileprivate init(zigzag: UInt64) {
        self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }
}
