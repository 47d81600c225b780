import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The first byte of an encoded input: its kind.
enum InputJournalTag: UInt8 {
    case fix = 1, tick, source, battery, noBattery, started, odometer, undated, signals
}

/// The optional values of an encoded fix, and its flags.
struct InputJournalFixFields: OptionSet {
    let rawValue: UInt16
    static let accuracy = InputJournalFixFields(rawValue: 1)
    static let speed = InputJournalFixFields(rawValue: 2)
    static let speedAccuracy = InputJournalFixFields(rawValue: 4)
    static let heading = InputJournalFixFields(rawValue: 8)
    static let altitude = InputJournalFixFields(rawValue: 16)
    static let ellipsoidalAltitude = InputJournalFixFields(rawValue: 32)
    static let isMock = InputJournalFixFields(rawValue: 64)
    static let isTrusted = InputJournalFixFields(rawValue: 128)
    static let hasReceiverDate = InputJournalFixFields(rawValue: 256)
    static let jamming = InputJournalFixFields(rawValue: 512)
}

/// The values of encoded signals.
struct InputJournalSignalFields: OptionSet {
    let rawValue: UInt16
    static let wheelSpeed = InputJournalSignalFields(rawValue: 1)
    static let odometer = InputJournalSignalFields(rawValue: 2)
    static let engineSpeed = InputJournalSignalFields(rawValue: 4)
    static let batteryVolts = InputJournalSignalFields(rawValue: 8)
    static let fuelLevel = InputJournalSignalFields(rawValue: 16)
    static let stateOfCharge = InputJournalSignalFields(rawValue: 32)
    static let ignition = InputJournalSignalFields(rawValue: 64)
    static let isIgnitionOn = InputJournalSignalFields(rawValue: 128)

    /// The bits of the values that are numbers, in the order of their encoding.
    static let numbers: [InputJournalSignalFields] = [
        .wheelSpeed, .odometer, .engineSpeed, .batteryVolts, .fuelLevel, .stateOfCharge,
    ]
}

extension VehicleSignals.Source {
    /// The number of the source in the journal. A number keeps its meaning.
    var journalNumber: UInt64 {
        switch self {
        case .j1939: 0
        case .obd: 1
        case .elm327: 2
        case .program: 3
        case .simulator: 4
        }
    }
}

/// Encodes inputs.
struct InputJournalWriter {
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
        case .signals(let signals): put(signals)
        case .started, .beacon, .configuration, .schedule, .positionRequest: return false
        }
        return true
    }

    private mutating func put(_ tag: InputJournalTag, _ fix: Fix, _ flags: InputJournalFixFields = []) {
        var parts = flags
        if fix.accuracyMeters != nil { parts.insert(.accuracy) }
        if fix.speedMetersPerSecond != nil { parts.insert(.speed) }
        if fix.speedAccuracyMetersPerSecond != nil { parts.insert(.speedAccuracy) }
        if fix.headingDegrees != nil { parts.insert(.heading) }
        if fix.altitudeMeters != nil { parts.insert(.altitude) }
        if fix.ellipsoidalAltitudeMeters != nil { parts.insert(.ellipsoidalAltitude) }
        if fix.jammingLevel != nil { parts.insert(.jamming) }
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
            fix.altitudeMeters, fix.ellipsoidalAltitudeMeters, fix.jammingLevel,
        ] {
            if let value { put(decimal: value) }
        }
    }

    private mutating func put(_ signals: VehicleSignals) {
        let values = [
            signals.wheelSpeedMetersPerSecond, signals.odometerMeters, signals.engineRevolutionsPerMinute,
            signals.batteryVolts, signals.fuelLevel, signals.stateOfCharge,
        ]
        var parts: InputJournalSignalFields = []
        for (part, value) in zip(InputJournalSignalFields.numbers, values) where value != nil { parts.insert(part) }
        if let isOn = signals.isIgnitionOn {
            parts.insert(.ignition)
            if isOn { parts.insert(.isIgnitionOn) }
        }
        put(.signals, signals.received)
        put(unsigned: signals.source.journalNumber)
        put(unsigned: UInt64(parts.rawValue))
        for value in values { if let value { put(decimal: value) } }
    }

    private mutating func put(_ tag: InputJournalTag, _ moment: ClockReading) {
        bytes.append(tag.rawValue)
        put(unsigned: moment.isSystemTimeTrusted ? 1 : 0)
        put(signed: moment.systemTime.millisecondsSinceEpoch)
        put(signed: moment.uptimeMilliseconds)
    }

    /// Appends an unsigned LEB128 number: seven bits a byte, the lowest first.
    mutating func put(unsigned value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func put(signed value: Int64) {
        put(unsigned: value.zigzag)
    }

    /// Appends the number of decimals and the scaled integer, or the marker 15 and the bit pattern, lowest byte first.
    private mutating func put(decimal value: Double) {
        for decimals: UInt8 in [0, 3, 7, 9] {
            guard let scale = InputJournalDecimal.scale(decimals), case let scaled = (value * scale).rounded(),
                abs(scaled) < 4e15, scaled / scale == value, value != 0 || value.sign == .plus
            else { continue }
            bytes.append(decimals)
            return put(signed: Int64(scaled))
        }
        bytes.append(InputJournalDecimal.raw)
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
        }
    }
}

enum InputJournalDecimal {
    static let raw: UInt8 = 15

    /// Returns the scale of a number of decimals; nil if the encoding does not have this number.
    static func scale(_ decimals: UInt8) -> Double? {
        switch decimals {
        case 0: 1
        case 3: 1e3
        case 7: 1e7
        case 9: 1e9
        default: nil
        }
    }
}
