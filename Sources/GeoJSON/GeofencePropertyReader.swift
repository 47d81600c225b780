import OdographCivilTime
import OdographCrontab
import OdographJSON
import OdographModel

/// Reads the properties of a feature.
struct GeofencePropertyReader {
    /// The properties that there are.
    enum Key: String, CaseIterable {
        case identifier, name, radius, corridor, initial, significance, schedule, extras
        case notifyOnEntry = "notify_on_entry"
        case notifyOnExit = "notify_on_exit"
        case notifyOnDwell = "notify_on_dwell"
        case loiteringDelay = "loitering_delay"
        case speedLimit = "speed_limit"
    }

    /// The longest identifier, bytes. It is a part of a topic and of every event.
    static let longestIdentifier = 256
    /// The longest name, significance or expression of a schedule, bytes.
    static let longestName = 512
    /// A month and a day. A longer visit is known from its ENTER event.
    private static let longestDelaySeconds = 32 * 86_400.0
    /// The greatest speed limit, m/s: no vehicle on wheels or rails is faster.
    private static let greatestSpeed = 200.0
    private static let mostSchedules = 256
    /// The longest extras: they are copied to each event of the fence.
    private static let maximumExtrasBytes = 8192

    /// A cache of parsed schedules, because many geofences have the same one.
    private var schedules: [[String]: Schedule] = [:]
    /// The number of unknown keys of a document that may still be compared with known ones. A comparison is slow.
    private var guessesLeft = 1000

    /// Reads the value of `properties`.
    mutating func read(_ scanner: inout JSONScanner, into draft: inout FeatureDraft) throws(JSONError) {
        let kind = try scanner.kind()
        if kind == .null { return _ = try scanner.readLiteral() }
        guard kind == .object else {
            let line = scanner.line
            return draft.addProblem("properties", "write an object, { … }", line: line, value: try scanner.takeShown())
        }
        scanner.open()
        var seen: UInt32 = 0
        while try scanner.nextMember() {
            let word = scanner.string
            guard let key = Key(rawValue: word) else {
                try refuse(word, &scanner, &draft)
                continue
            }
            let bit: UInt32 = 1 << UInt32(key.ordinal)
            if seen & bit != 0 { draft.addProblem("properties.\(word)", "this is said twice", line: scanner.line) }
            seen |= bit
            // Many programs write null for an empty cell of a table.
            if try scanner.kind() == .null { _ = try scanner.readLiteral() } else { try read(key, &scanner, &draft) }
        }
    }

    private mutating func refuse(
        _ word: String, _ scanner: inout JSONScanner, _ draft: inout FeatureDraft
    ) throws(JSONError) {
        let line = scanner.line
        let value = try scanner.takeShown()
        draft.addProblem(
            "properties.\(word.prefix(64))",
            guess(word, among: Key.allCases.map(\.rawValue)).map { "unknown: did you mean \"\($0)\"?" }
                ?? "unknown: data of your own goes into \"extras\"", line: line, value: value)
    }

    /// Returns the known word that a misspelled word probably stands for.
    mutating func guess(_ word: String, among words: [String]) -> String? {
        guard guessesLeft > 0 else { return nil }
        guessesLeft -= 1
        return SpellingSuggestion.closestMatch(to: word, among: words)
    }

    private mutating func read(
        _ key: Key, _ scanner: inout JSONScanner, _ draft: inout FeatureDraft
    ) throws(JSONError) {
        switch key {
        case .identifier:
            draft.identifier = try Self.identifier(&scanner, &draft, path: "properties.identifier")
        case .name: draft.rule.name = try text(key, &scanner, &draft)
        case .significance: draft.rule.significance = try text(key, &scanner, &draft)
        case .radius:
            draft.radiusMeters = try number(
                key, &scanner, &draft, in: ShapeBuilder.minimumRadiusMeters...ShapeBuilder.maximumMeters, "metres")
        case .corridor:
            draft.corridorMeters = try number(
                key, &scanner, &draft, in: Double.leastNonzeroMagnitude...ShapeBuilder.maximumMeters,
                "metres to either side, above 0")
        case .notifyOnEntry: if let on = try flag(key, &scanner, &draft) { draft.rule.notifiesOnEntry = on }
        case .notifyOnExit: if let on = try flag(key, &scanner, &draft) { draft.rule.notifiesOnExit = on }
        case .notifyOnDwell: if let on = try flag(key, &scanner, &draft) { draft.rule.notifiesOnDwell = on }
        case .loiteringDelay:
            let seconds = try number(key, &scanner, &draft, in: 0...Self.longestDelaySeconds, "seconds")
            if let seconds { draft.rule.loiteringDelaySeconds = seconds }
        case .speedLimit:
            draft.rule.speedLimitMetersPerSecond = try number(
                key, &scanner, &draft, in: Double.leastNonzeroMagnitude...Self.greatestSpeed, "m/s, above 0")
        case .initial: try readInitial(&scanner, &draft)
        case .schedule: try readSchedule(&scanner, &draft)
        case .extras: try readExtras(&scanner, &draft)
        }
    }

    // MARK: Kinds of values

    /// Skips a value of a wrong kind and reports it.
    private static func refuse(
        _ path: String, _ wanted: String, _ scanner: inout JSONScanner, _ draft: inout FeatureDraft
    ) throws(JSONError) {
        let line = scanner.line
        draft.addProblem(path, "write \(wanted)", line: line, value: try scanner.takeShown())
    }

    /// Reads an identifier: a string, or the text of a number.
    static func identifier(
        _ scanner: inout JSONScanner, _ draft: inout FeatureDraft, path: String
    ) throws(JSONError) -> String? {
        let line = scanner.line
        switch try scanner.kind() {
        case .string: try scanner.readString()
        case .number: try scanner.readNumberText()
        default:
            try refuse(path, "a string", &scanner, &draft)
            return nil
        }
        guard (1...longestIdentifier).contains(scanner.text.count) else {
            draft.addProblem(path, "an identifier has 1 to \(longestIdentifier) bytes", line: line)
            return nil
        }
        guard !scanner.text.contains(0) else {
            draft.addProblem(path, "an identifier has no character U+0000", line: line)
            return nil
        }
        return scanner.string
    }

    private func text(
        _ key: Key, _ scanner: inout JSONScanner, _ draft: inout FeatureDraft
    ) throws(JSONError) -> String? {
        let line = scanner.line
        guard try scanner.kind() == .string else {
            try Self.refuse("properties.\(key.rawValue)", "a string", &scanner, &draft)
            return nil
        }
        try scanner.readString()
        guard scanner.text.count <= Self.longestName else {
            draft.addProblem("properties.\(key.rawValue)", "at most \(Self.longestName) bytes", line: line)
            return nil
        }
        return scanner.string
    }

    private func flag(
        _ key: Key, _ scanner: inout JSONScanner, _ draft: inout FeatureDraft
    ) throws(JSONError) -> Bool? {
        if try scanner.kind() == .bool { return try scanner.readLiteral() }
        try Self.refuse("properties.\(key.rawValue)", "true or false", &scanner, &draft)
        return nil
    }

    private func number(
        _ key: Key, _ scanner: inout JSONScanner, _ draft: inout FeatureDraft, in range: ClosedRange<Double>,
        _ unit: String
    ) throws(JSONError) -> Double? {
        let (line, path) = (scanner.line, "properties.\(key.rawValue)")
        guard try scanner.kind() == .number else {
            try Self.refuse(path, "a number, \(unit)", &scanner, &draft)
            return nil
        }
        let value = try scanner.readNumber()
        if range.contains(value) { return value }
        let from = range.lowerBound == .leastNonzeroMagnitude ? "above 0" : "from \(range.lowerBound)"
        let reason = "write a number \(from) up to \(range.upperBound), \(unit)"
        draft.addProblem(path, reason, line: line, value: "\(value)")
        return nil
    }

    // MARK: Values of their own kind

    private mutating func readInitial(
        _ scanner: inout JSONScanner, _ draft: inout FeatureDraft
    ) throws(JSONError) {
        let line = scanner.line
        guard let word = try text(.initial, &scanner, &draft) else { return }
        if let initial = GeofenceRule.InitialTrigger(rawValue: word) { return draft.rule.initialTrigger = initial }
        draft.addProblem(
            "properties.initial", "write \"enter\" or \"none\"", line: line, value: "\"\(word.prefix(40))\"")
    }

    /// Reads an expression or a list of them.
    private mutating func readSchedule(
        _ scanner: inout JSONScanner, _ draft: inout FeatureDraft
    ) throws(JSONError) {
        let line = scanner.line
        var expressions: [String] = []
        switch try scanner.kind() {
        case .string:
            guard let expression = try text(.schedule, &scanner, &draft) else { return }
            expressions = [expression]
        case .array:
            guard let list = try scheduleList(&scanner, &draft) else { return }
            expressions = list
        default: return try Self.refuse("properties.schedule", "a string or a list of strings", &scanner, &draft)
        }
        if let known = schedules[expressions] { return draft.rule.schedule = known }
        do throws(ScheduleError) {
            let schedule = try Schedule(expressions)
            if schedules.count >= Self.mostSchedules { schedules.removeAll() }
            schedules[expressions] = schedule
            draft.rule.schedule = schedule
        } catch {
            draft.addProblem("properties.schedule", "\(error)", line: line, value: "\"\(error.expression.prefix(60))\"")
        }
    }

    /// Reads a list of expressions to its end; nil if an element is wrong.
    private func scheduleList(
        _ scanner: inout JSONScanner, _ draft: inout FeatureDraft
    ) throws(JSONError) -> [String]? {
        scanner.open()
        var list: [String]? = []
        while try scanner.nextElement() {
            // A longer list is refused by its number of expressions.
            guard let expression = try text(.schedule, &scanner, &draft) else {
                list = nil
                continue
            }
            if list?.count ?? 0 <= Schedule.maximumExpressions { list?.append(expression) }
        }
        return list
    }

    private func readExtras(_ scanner: inout JSONScanner, _ draft: inout FeatureDraft) throws(JSONError) {
        let line = scanner.line
        guard try scanner.kind() == .object else {
            return try Self.refuse("properties.extras", "an object, { … }", &scanner, &draft)
        }
        var reader = CanonicalJSONReader(
            maximumBytes: Self.maximumExtrasBytes,
            sizeReason: "at most \(Self.maximumExtrasBytes) bytes can be hung on a fence")
        let bytes = try reader.readValue(&scanner)
        if let fault = reader.rejectionReason { return draft.addProblem("properties.extras", fault, line: line) }
        if bytes.count > 2 { draft.rule.extras = String(decoding: bytes, as: UTF8.self) }
    }
}

extension GeofencePropertyReader.Key {
    /// Its place among the keys.
    var ordinal: Int {
        switch self {
        case .identifier: 0
        case .name: 1
        case .radius: 2
        case .corridor: 3
        case .initial: 4
        case .significance: 5
        case .schedule: 6
        case .extras: 7
        case .notifyOnEntry: 8
        case .notifyOnExit: 9
        case .notifyOnDwell: 10
        case .loiteringDelay: 11
        case .speedLimit: 12
        }
    }
}
