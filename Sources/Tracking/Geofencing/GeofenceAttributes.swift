import OdographCrontab
import OdographGeodesy
import OdographModel

/// The identifiers and rules of a set's geofences, as one record of bytes for each.
///
/// A record, with little-endian integers:
///
///     UInt8   flags, see ``Flags``
///     UInt8   texts, see ``Texts``
///     UInt16  length of the identifier, then its bytes
///     UInt32  with a schedule: its number
///     Double  unless it is the default: loitering delay, seconds
///     Double  with a limit: speed limit, m/s
///     UInt16  length and bytes of each of the texts: name, significance, extras
struct GeofenceAttributes: Sendable {
    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let entry = Flags(rawValue: 1)
        static let exit = Flags(rawValue: 2)
        static let dwell = Flags(rawValue: 4)
        static let noInitialTrigger = Flags(rawValue: 8)
        static let schedule = Flags(rawValue: 16)
        static let delay = Flags(rawValue: 32)
        static let speedLimit = Flags(rawValue: 64)
    }

    private struct Texts: OptionSet {
        let rawValue: UInt8
        static let name = Texts(rawValue: 1)
        static let significance = Texts(rawValue: 2)
        static let extras = Texts(rawValue: 4)
    }

    static let emptySlot = UInt32.max
    private static let defaultRule = GeofenceRule()
    private static let headerBytes = 4
    /// The longest text of a record; longer ones are cut.
    private static let maximumTextBytes = Int(UInt16.max)

    /// The start of each slot's record.
    private(set) var offsets: ContiguousArray<UInt32> = []
    private(set) var bytes: ContiguousArray<UInt8> = []
    /// The schedules of all geofences, each once.
    private(set) var schedules: [Schedule] = []
    /// The places of schedules in ``schedules``, by their lines.
    private var scheduleIndices: [String: UInt32] = [:]
    private var wastedBytes = 0

    // MARK: Change

    mutating func put(_ identifier: String, _ rule: GeofenceRule, at slot: ShapeIndex.Slot) {
        beginRecord(slot)
        var flags: Flags = rule.initialTrigger == .none ? [.noInitialTrigger] : []
        if rule.notifiesOnEntry { flags.insert(.entry) }
        if rule.notifiesOnExit { flags.insert(.exit) }
        if rule.notifiesOnDwell { flags.insert(.dwell) }
        if rule.schedule != nil { flags.insert(.schedule) }
        if rule.loiteringDelaySeconds != Self.defaultRule.loiteringDelaySeconds { flags.insert(.delay) }
        if rule.speedLimitMetersPerSecond != nil { flags.insert(.speedLimit) }
        var texts: Texts = rule.name == nil ? [] : [.name]
        if rule.significance != nil { texts.insert(.significance) }
        if rule.extras != nil { texts.insert(.extras) }
        bytes.append(flags.rawValue)
        bytes.append(texts.rawValue)
        append(identifier)
        if let schedule = rule.schedule { bytes.append(integer: scheduleIndex(of: schedule), bytes: 4) }
        if flags.contains(.delay) { bytes.append(integer: rule.loiteringDelaySeconds.bitPattern, bytes: 8) }
        if let limit = rule.speedLimitMetersPerSecond { bytes.append(integer: limit.bitPattern, bytes: 8) }
        for text in [rule.name, rule.significance, rule.extras] { if let text { append(text) } }
    }

    /// Copies a record of another set.
    mutating func put(_ otherSlot: ShapeIndex.Slot, of other: GeofenceAttributes, at slot: ShapeIndex.Slot) {
        guard let start = other.recordOffset(otherSlot), let record = other.record(at: start) else { return }
        beginRecord(slot)
        guard let place = record.scheduleOffset, let schedule = record.scheduleIndex else {
            return bytes.append(contentsOf: other.bytes[start..<record.end])
        }
        bytes.append(contentsOf: other.bytes[start..<place])
        bytes.append(integer: scheduleIndex(of: other.schedules[schedule]), bytes: 4)
        bytes.append(contentsOf: other.bytes[place + 4..<record.end])
    }

    mutating func remove(_ slot: ShapeIndex.Slot) {
        guard let start = recordOffset(slot), let record = record(at: start) else { return }
        offsets[slot] = Self.emptySlot
        wastedBytes += record.end - start
        if wastedBytes > 65_536, wastedBytes * 2 > bytes.count { compact() }
    }

    /// Releases the memory of removed records, and the memory reserved for growth.
    mutating func compact() {
        var packed: ContiguousArray<UInt8> = []
        packed.reserveCapacity(bytes.count - wastedBytes)
        for slot in offsets.indices {
            guard let start = recordOffset(slot), let record = record(at: start) else { continue }
            offsets[slot] = UInt32(packed.count)
            packed.append(contentsOf: bytes[start..<record.end])
        }
        bytes = packed
        offsets = ContiguousArray(offsets)
        wastedBytes = 0
    }

    private mutating func beginRecord(_ slot: ShapeIndex.Slot) {
        while offsets.count <= slot { offsets.append(Self.emptySlot) }
        offsets[slot] = UInt32(bytes.count)
    }

    private mutating func append(_ text: String) {
        let kept = text.utf8.prefix(Self.maximumTextBytes)
        bytes.append(integer: UInt64(kept.count), bytes: 2)
        bytes.append(contentsOf: kept)
    }

    private mutating func scheduleIndex(of schedule: Schedule) -> UInt64 {
        if let known = scheduleIndices[schedule.lines] { return UInt64(known) }
        let number = UInt32(schedules.count)
        schedules.append(schedule)
        scheduleIndices[schedule.lines] = number
        return UInt64(number)
    }

    // MARK: Reading

    /// The parts of a record and their places.
    private struct Record {
        var flags: Flags
        var texts: Texts
        var identifier: Range<Int>
        var scheduleOffset: Int?
        var scheduleIndex: Int?
        var delaySeconds: Double?
        var speedLimit: Double?
        var textsOffset = 0
        var end = 0
    }

    private func recordOffset(_ slot: ShapeIndex.Slot) -> Int? {
        guard offsets.indices.contains(slot), offsets[slot] != Self.emptySlot else { return nil }
        return Int(offsets[slot])
    }

    /// - Returns: nil where the bytes are no record.
    private func record(at start: Int) -> Record? {
        guard start + Self.headerBytes <= bytes.count else { return nil }
        var place = start + Self.headerBytes + Int(bytes.integer(at: start + 2, bytes: 2))
        var record = Record(
            flags: Flags(rawValue: bytes[start]), texts: Texts(rawValue: bytes[start + 1]),
            identifier: start + Self.headerBytes..<place)
        let numbers: Flags = [.schedule, .delay, .speedLimit]
        let needed = record.flags.intersection(numbers)
        guard
            place + (needed.contains(.schedule) ? 4 : 0) + (needed.contains(.delay) ? 8 : 0)
                + (needed.contains(.speedLimit) ? 8 : 0) <= bytes.count
        else { return nil }
        if needed.contains(.schedule) {
            record.scheduleOffset = place
            record.scheduleIndex = Int(bytes.integer(at: place, bytes: 4))
            place += 4
        }
        if needed.contains(.delay) {
            record.delaySeconds = Double(bitPattern: bytes.integer(at: place, bytes: 8))
            place += 8
        }
        if needed.contains(.speedLimit) {
            record.speedLimit = Double(bitPattern: bytes.integer(at: place, bytes: 8))
            place += 8
        }
        record.textsOffset = place
        for _ in 0..<record.texts.rawValue.nonzeroBitCount {
            guard place + 2 <= bytes.count else { return nil }
            place += 2 + Int(bytes.integer(at: place, bytes: 2))
        }
        record.end = place
        return place <= bytes.count ? record : nil
    }

    func identifierRange(_ slot: ShapeIndex.Slot) -> Range<Int>? {
        guard let start = recordOffset(slot) else { return nil }
        return start + Self.headerBytes..<start + Self.headerBytes + Int(bytes.integer(at: start + 2, bytes: 2))
    }

    func identifier(_ slot: ShapeIndex.Slot) -> String? {
        identifierRange(slot).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// - Parameter withTexts: whether to read name, significance and extras; each long one costs an allocation.
    func rule(_ slot: ShapeIndex.Slot, withTexts: Bool) -> GeofenceRule? {
        guard let start = recordOffset(slot), let record = record(at: start) else { return nil }
        var rule = GeofenceRule()
        rule.notifiesOnEntry = record.flags.contains(.entry)
        rule.notifiesOnExit = record.flags.contains(.exit)
        rule.notifiesOnDwell = record.flags.contains(.dwell)
        if record.flags.contains(.noInitialTrigger) { rule.initialTrigger = .none }
        if let number = record.scheduleIndex, number < schedules.count { rule.schedule = schedules[number] }
        if let seconds = record.delaySeconds { rule.loiteringDelaySeconds = seconds }
        rule.speedLimitMetersPerSecond = record.speedLimit
        guard withTexts, !record.texts.isEmpty else { return rule }
        var place = record.textsOffset
        if record.texts.contains(.name) { rule.name = text(&place) }
        if record.texts.contains(.significance) { rule.significance = text(&place) }
        if record.texts.contains(.extras) { rule.extras = text(&place) }
        return rule
    }

    private func text(_ place: inout Int) -> String {
        let start = place + 2
        place = start + Int(bytes.integer(at: place, bytes: 2))
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// A hash of a record's content, the same in every run.
    func fingerprint(_ slot: ShapeIndex.Slot) -> UInt64 {
        guard let start = recordOffset(slot), let record = record(at: start) else { return 0 }
        var hash = ContentHash()
        hash.combine(bytes.span.bytes, start..<(record.scheduleOffset ?? record.end))
        if let place = record.scheduleOffset, let number = record.scheduleIndex, number < schedules.count {
            // The number of a schedule depends on the order of arrival.
            hash.combine(bytes.span.bytes, place + 4..<record.end)
            for byte in schedules[number].lines.utf8 { hash.combine(UInt64(byte)) }
        }
        return hash.value
    }

    // MARK: Files

    /// Adopts and checks records that are in the order of their slots.
    /// - Returns: nil where the records are damaged.
    init?(records: ContiguousArray<UInt8>, schedules: [Schedule], index: ShapeIndex) {
        bytes = records
        self.schedules = schedules
        for (number, schedule) in schedules.enumerated() { scheduleIndices[schedule.lines] = UInt32(number) }
        guard scheduleIndices.count == schedules.count else { return nil }
        offsets = ContiguousArray(repeating: Self.emptySlot, count: index.slotLimit)
        var place = 0
        for slot in 0..<index.slotLimit where index.isOccupied(slot) {
            guard let record = record(at: place), record.scheduleIndex ?? -1 < schedules.count,
                !record.identifier.isEmpty
            else { return nil }
            offsets[slot] = UInt32(place)
            place = record.end
        }
        guard place == records.count else { return nil }
    }

    init() {}
}
