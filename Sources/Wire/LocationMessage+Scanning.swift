import OdographCivilTime
import OdographJSON

extension LocationMessage {
    /// Reads a message in the usual form in one pass, several times faster than the decoder.
    ///
    /// The usual form is that of an agent: known members, each once, strings without escapes, no geofence, driving or
    /// beacon event, and no beacons. Nil for any other text, also for an invalid one: the decoder then reads it, or
    /// names the error. A message that is read equals the decoded one.
    /// - Parameter payload: The text, which must be valid UTF-8.
    package init?(usualForm payload: [UInt8]) {
        var reader = LocationScan(payload)
        guard let message = try? reader.message() else { return nil }
        self = message
    }
}

/// Reads the members of a location message. Every function throws an error for what the usual form does not have.
private struct LocationScan {
    private static let messageKeys = MemberKeys<LocationMessage.CodingKeys>()
    private static let eventKeys = MemberKeys<LocationEvent.CodingKeys>()
    private static let coordinateKeys = MemberKeys<LocationCoordinates.CodingKeys>()
    /// The length from which the scanner shortens strings, bytes.
    private static let longestText = 1 << 16

    private var scanner: JSONScanner

    init(_ payload: [UInt8]) {
        // The payload is valid UTF-8, so the lenient dialect replaces nothing in a string without escapes.
        scanner = JSONScanner(payload, dialect: .lenient)
    }

    mutating func message() throws(JSONError) -> LocationMessage {
        var (deviceID, event): (String?, LocationEvent?)
        var members = OpenMembers(Self.messageKeys)
        try open()
        while let key = try members.next(&scanner) {
            switch key {
            case .deviceID: deviceID = try text()
            case .location: event = try locationEvent()
            }
        }
        guard try scanner.isAtEnd(), let deviceID, let event else { throw unusual }
        return LocationMessage(deviceID: deviceID, location: event)
    }

    private mutating func locationEvent() throws(JSONError) -> LocationEvent {
        var event = LocationEvent(
            timestamp: Timestamp(millisecondsSinceEpoch: 0), age: 0, isMoving: false, odometer: 0, odometerError: 0,
            coords: LocationCoordinates(latitude: 0, longitude: 0, accuracy: 0, speed: 0, heading: 0),
            activity: ActivityReading(type: .unknown, confidence: 0))
        var members = OpenMembers(Self.eventKeys)
        try open()
        while let key = try members.next(&scanner) {
            switch key {
            case .uuid: event.uuid = try text()
            case .epoch: event.epoch = try wholeNumber()
            case .seq: event.seq = try wholeNumber()
            case .timestamp: event.timestamp = try time()
            case .clockUntrusted: event.clockUntrusted = try truth()
            case .stateLost: event.stateLost = try truth()
            case .age: event.age = try wholeNumber()
            case .event: event.event = LocationEvent.Cause(rawValue: try text())
            case .isMoving: event.isMoving = try truth()
            case .sample: event.sample = try truth()
            case .mock: event.mock = try truth()
            case .odometer: event.odometer = try number()
            case .odometerError: event.odometerError = try number()
            case .coords: event.coords = try coordinates()
            case .activity: event.activity = try activity()
            case .battery: event.battery = try battery()
            case .extras: event.extras = try extras()
            case .tag: event.tag = try text()
            case .vehicle: event.vehicle = try vehicle()
            case .driver: event.driver = try text()
            case .geofence, .driving, .beacon, .beacons: throw unusual
            }
        }
        try members.require(
            .timestamp, .age, .isMoving, .sample, .mock, .odometer, .odometerError, .coords, .activity, in: scanner)
        return event
    }

    private mutating func coordinates() throws(JSONError) -> LocationCoordinates {
        var coordinates = LocationCoordinates(latitude: 0, longitude: 0, accuracy: 0, speed: 0, heading: 0)
        var members = OpenMembers(Self.coordinateKeys)
        try open()
        while let key = try members.next(&scanner) {
            switch key {
            case .latitude: coordinates.latitude = try number()
            case .longitude: coordinates.longitude = try number()
            case .accuracy: coordinates.accuracy = try number()
            case .speed: coordinates.speed = try number()
            case .heading: coordinates.heading = try number()
            case .altitude: coordinates.altitude = try number()
            case .ellipsoidalAltitude: coordinates.ellipsoidalAltitude = try number()
            }
        }
        try members.require(.latitude, .longitude, .accuracy, .speed, .heading, in: scanner)
        return coordinates
    }

    private static let activityKeys = MemberKeys<ActivityReading.CodingKeys>()

    private mutating func activity() throws(JSONError) -> ActivityReading {
        var activity = ActivityReading(type: .unknown, confidence: 0)
        var members = OpenMembers(Self.activityKeys)
        try open()
        while let key = try members.next(&scanner) {
            switch key {
            case .type: activity.type = ActivityReading.Kind(rawValue: try text())
            case .confidence: activity.confidence = Int(try wholeNumber())
            }
        }
        try members.require(.type, .confidence, in: scanner)
        return activity
    }

    private static let batteryKeys = MemberKeys<BatteryReading.CodingKeys>()

    private mutating func battery() throws(JSONError) -> BatteryReading {
        var battery = BatteryReading(level: 0, isCharging: false)
        var members = OpenMembers(Self.batteryKeys)
        try open()
        while let key = try members.next(&scanner) {
            switch key {
            case .level: battery.level = try number()
            case .isCharging: battery.isCharging = try truth()
            }
        }
        try members.require(.level, .isCharging, in: scanner)
        return battery
    }

    private static let vehicleKeys = MemberKeys<VehicleReading.CodingKeys>()

    private mutating func vehicle() throws(JSONError) -> VehicleReading {
        var vehicle = VehicleReading(source: .program, age: 0)
        var members = OpenMembers(Self.vehicleKeys)
        try open()
        while let key = try members.next(&scanner) {
            switch key {
            case .speed: vehicle.speed = try number()
            case .odometer: vehicle.odometer = try number()
            case .ignition: vehicle.ignition = try truth()
            case .engineSpeed: vehicle.engineSpeed = try number()
            case .batteryVoltage: vehicle.batteryVoltage = try number()
            case .fuelLevel: vehicle.fuelLevel = try number()
            case .stateOfCharge: vehicle.stateOfCharge = try number()
            case .source: vehicle.source = VehicleReading.Source(rawValue: try text())
            case .age: vehicle.age = try wholeNumber()
            }
        }
        try members.require(.source, .age, in: scanner)
        return vehicle
    }

    private mutating func extras() throws(JSONError) -> [String: JSONValue] {
        var extras: [String: JSONValue] = [:]
        try open()
        while try scanner.nextMember() {
            let name = try readText()
            let value: JSONValue
            switch try scanner.kind() {
            case .string: value = .string(try text())
            case .bool: value = .bool(try truth())
            case .number: value = try plainNumber()
            case .object, .array, .null: throw unusual
            }
            guard extras.updateValue(value, forKey: name) == nil else { throw unusual }
        }
        return extras
    }

    // MARK: - Values

    private var unusual: JSONError { scanner.failure("not the usual form") }

    private mutating func open() throws(JSONError) {
        guard try scanner.kind() == .object else { throw unusual }
        scanner.open()
    }

    /// Returns the string that was read last.
    private func readText() throws(JSONError) -> String {
        guard scanner.isTextPlain, scanner.text.count < Self.longestText else { throw unusual }
        return scanner.string
    }

    private mutating func text() throws(JSONError) -> String {
        guard try scanner.kind() == .string else { throw unusual }
        try scanner.readString()
        return try readText()
    }

    private mutating func time() throws(JSONError) -> Timestamp {
        guard try scanner.kind() == .string else { throw unusual }
        try scanner.readString()
        var time: Timestamp?
        guard scanner.isTextPlain else { throw unusual }
        scanner.withText { time = Timestamp(iso8601Bytes: $0) }
        guard let time else { throw unusual }
        return time
    }

    private mutating func truth() throws(JSONError) -> Bool {
        guard try scanner.kind() == .bool, let value = try scanner.readLiteral() else { throw unusual }
        return value
    }

    private mutating func number() throws(JSONError) -> Double {
        let (value, spelling) = try spelledNumber()
        // Whether a number below a double's range is an error depends on the decoder.
        guard value.isFinite, value.magnitude > 1e-300 || spelling.count <= 20 && !spelling.contains(where: isLetter)
        else { throw unusual }
        return value
    }

    private mutating func wholeNumber() throws(JSONError) -> Int64 {
        let (value, spelling) = try spelledNumber()
        guard spelling.allSatisfy(isDigit), value < 0x1p53 else { throw unusual }
        return Int64(value)
    }

    private mutating func plainNumber() throws(JSONError) -> JSONValue {
        let (value, spelling) = try spelledNumber()
        if spelling.allSatisfy(isDigit), value < 0x1p53 { return .integer(Int64(value)) }
        // Whether 1.0 is an integer depends on the decoder.
        guard value.magnitude < 1e15, value != value.rounded(), !spelling.contains(where: isLetter) else {
            throw unusual
        }
        return .number(value)
    }

    private mutating func spelledNumber() throws(JSONError) -> (value: Double, spelling: ArraySlice<UInt8>) {
        guard try scanner.kind() == .number else { throw unusual }
        let start = scanner.position
        let value = try scanner.readNumber()
        return (value, scanner.bytes[start..<scanner.position])
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }

private func isLetter(_ byte: UInt8) -> Bool { byte >= 0x41 }

/// The keys of an object, ordered as an agent writes them.
private struct MemberKeys<Key: CodingKey & CaseIterable & Hashable & Sendable>: Sendable {
    let keys: [(name: [UInt8], key: Key)]

    init() {
        keys = Key.allCases.map { (Array($0.stringValue.utf8), $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
    }
}

/// The members of an open object that were read.
private struct OpenMembers<Key: CodingKey & CaseIterable & Hashable & Sendable> {
    private let keys: MemberKeys<Key>
    /// A bit for each key that was read, by its index.
    private var seen: UInt64 = 0
    /// The index of the key that probably comes next.
    private var expected = 0

    init(_ keys: MemberKeys<Key>) { self.keys = keys }

    /// Reads the key of the next member. Nil at the end of the object.
    /// - Throws: An error for an unknown key, and for one that was read before.
    mutating func next(_ scanner: inout JSONScanner) throws(JSONError) -> Key? {
        guard try scanner.nextMember() else { return nil }
        var found: Int?
        scanner.withText { text in found = index(of: text) }
        guard scanner.isTextPlain, let found, seen & 1 << UInt64(found) == 0 else {
            throw scanner.failure("not the usual form")
        }
        seen |= 1 << UInt64(found)
        expected = found + 1
        return keys.keys[found].key
    }

    /// Throws an error if a key was not read.
    func require(_ required: Key..., in scanner: JSONScanner) throws(JSONError) {
        for (index, entry) in keys.keys.enumerated() where seen & 1 << UInt64(index) == 0 {
            if required.contains(entry.key) { throw scanner.failure("not the usual form") }
        }
    }

    private func index(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        // An agent writes the keys in order, and leaves out what it does not know.
        for index in expected..<keys.keys.count where isName(text, index) { return index }
        for index in 0..<min(expected, keys.keys.count) where isName(text, index) { return index }
        return nil
    }

    @inline(__always)
    private func isName(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        let name = keys.keys[index].name
        return name.count == text.count && name.elementsEqual(text)
    }
}
