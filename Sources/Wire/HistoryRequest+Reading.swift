import OdographCivilTime
import OdographJSON

extension HistoryRequest {
    /// The longest payload of a request, bytes.
    package static let maximumBytes = 4096
    /// The most alerts that a request acknowledges.
    package static let maximumAlerts = 50

    /// Reads a payload.
    /// - Throws: ``HistoryRefusal`` with the mistake and its correction.
    package init(payload: [UInt8]) throws(HistoryRefusal) {
        // The decoder would also accept UTF-16.
        guard payload.count <= Self.maximumBytes, String(validating: payload, as: UTF8.self) != nil,
            let value = try? JSONCoder.decode(JSONValue.self, from: payload), case .object(let members) = value
        else {
            throw HistoryRefusal(
                .invalid, "the payload is not a JSON object in UTF-8 of at most \(Self.maximumBytes) bytes")
        }
        if let key = Self.repeatedKey(in: payload) {
            throw HistoryRefusal(.invalid, "the key \"\(key.prefix(64))\" is there twice; keep one of them")
        }
        var reader = RequestReader(members: members)
        let kind = try reader.text("kind") ?? ""
        switch kind {
        case "track": query = .track(device: try reader.device(), times: try reader.times())
        case "timeline": query = .timeline(device: try reader.device(), times: try reader.times())
        case "days":
            let (device, days) = (try reader.device(), try reader.days())
            query = .days(device: device, first: days.first, last: days.last)
        case "latest": query = .latest
        case "alerts": query = .alerts(device: try reader.name("device"), times: try reader.times())
        case "acknowledge": query = .acknowledge(alerts: try reader.names("alerts", atMost: Self.maximumAlerts))
        default:
            throw HistoryRefusal(
                .invalid,
                "kind must be \"track\", \"timeline\", \"days\", \"latest\", \"alerts\" or \"acknowledge\"")
        }
        // An acknowledgement is one message, and so is its answer.
        limit = kind == "acknowledge" ? nil : try reader.limit()
        after = kind == "acknowledge" ? nil : try reader.text("after", atMost: 2048)
        recorder = try reader.name("recorder")
        if let encoding = try reader.text("encoding") {
            guard encoding == "deflate" else {
                throw HistoryRefusal(.invalid, "encoding must be \"deflate\", or absent")
            }
            isCompressed = true
        }
        if let unknown = reader.unread.min() {
            throw HistoryRefusal(.invalid, "\"\(unknown.prefix(64))\" is not a key of a request of kind \"\(kind)\"")
        }
    }

    /// Returns a key that an object has twice; nil if there is none. The decoder would take one of the values.
    private static func repeatedKey(in payload: [UInt8]) -> String? {
        var scanner = JSONScanner(payload, dialect: .lenient)
        var keys: Set<String> = []
        do throws(JSONError) {
            try scanner.skipByteOrderMark()
            guard try scanner.kind() == .object else { return nil }
            scanner.open()
            while try scanner.nextMember() {
                guard keys.insert(scanner.string).inserted else { return scanner.string }
                try scanner.skipValue()
            }
            return nil
        } catch {
            return nil
        }
    }
}

/// Reads the members of a request. A member that was not read is unknown.
private struct RequestReader {
    var members: [String: JSONValue]

    var unread: Dictionary<String, JSONValue>.Keys { members.keys }

    /// Returns a text; nil if it is absent.
    mutating func text(_ key: String, atMost bytes: Int = 64) throws(HistoryRefusal) -> String? {
        switch members.removeValue(forKey: key) {
        case nil: return nil
        case .string(let text) where (1...bytes).contains(text.utf8.count): return text
        default: throw HistoryRefusal(.invalid, "\(key) must be a text of 1 to \(bytes) bytes")
        }
    }

    mutating func name(_ key: String) throws(HistoryRefusal) -> String? {
        guard let text = try text(key) else { return nil }
        do throws(TopicNameError) {
            return try DeviceAddress.validated(text, part: key)
        } catch {
            throw HistoryRefusal(.invalid, error.description)
        }
    }

    /// Returns a list of names, which must be there.
    mutating func names(_ key: String, atMost count: Int) throws(HistoryRefusal) -> [String] {
        let mistake = HistoryRefusal(
            .invalid, "\(key) must be a list of 1 to \(count) different names, \"id\" of rows of kind \"alerts\"")
        guard case .array(let elements)? = members.removeValue(forKey: key), (1...count).contains(elements.count)
        else { throw mistake }
        var names: [String] = []
        for element in elements {
            guard case .string(let text) = element, let name = try? DeviceAddress.validated(text, part: key),
                !names.contains(name)
            else { throw mistake }
            names.append(name)
        }
        return names
    }

    mutating func device() throws(HistoryRefusal) -> String {
        guard let device = try name("device") else {
            throw HistoryRefusal(.invalid, "device is missing; write the name of a vehicle")
        }
        return device
    }

    mutating func limit() throws(HistoryRefusal) -> Int? {
        switch members.removeValue(forKey: "limit") {
        case nil: return nil
        case .integer(let number) where (1...1_000_000).contains(number): return Int(number)
        default: throw HistoryRefusal(.invalid, "limit must be a number from 1 to 1000000")
        }
    }

    mutating func times() throws(HistoryRefusal) -> Range<Timestamp> {
        let (from, to) = (try instant("from"), try instant("to"))
        guard from < to else { throw HistoryRefusal(.invalid, "from must be before to") }
        return from..<to
    }

    private mutating func instant(_ key: String) throws(HistoryRefusal) -> Timestamp {
        guard let text = try text(key), let time = Timestamp(iso8601: text) else {
            throw HistoryRefusal(.invalid, "\(key) must be an instant such as \"2026-11-21T09:15:02Z\"")
        }
        return time
    }

    mutating func days() throws(HistoryRefusal) -> (first: CivilDate, last: CivilDate) {
        let (first, last) = (try date("first_day"), try date("last_day"))
        guard first.daysSinceEpoch <= last.daysSinceEpoch else {
            throw HistoryRefusal(.invalid, "first_day must not be after last_day")
        }
        return (first, last)
    }

    private mutating func date(_ key: String) throws(HistoryRefusal) -> CivilDate {
        guard let text = try text(key), let date = CivilDate(historyDay: text) else {
            throw HistoryRefusal(.invalid, "\(key) must be a date such as \"2026-11-21\"")
        }
        return date
    }
}

extension CivilDate {
    /// Reads a date such as `2026-11-21`; nil for another text.
    package init?(historyDay text: String) {
        guard text.utf8.count == 10, let start = Timestamp(iso8601: text + "T00:00:00Z") else { return nil }
        // A date that the calendar does not have would become another one.
        guard start.iso8601.prefix(10) == text else { return nil }
        self = ZoneRules.utc.localTime(at: start).date
    }
}
