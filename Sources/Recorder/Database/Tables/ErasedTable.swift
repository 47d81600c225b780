import OdographCivilTime

/// The tables `erased_times` and `erased_events`: what an erasure has removed, so that it does not come back with a
/// later revision or with a record that still waits in the vehicle.
final class ErasedTable {
    /// The erased times and events of a vehicle.
    private struct Contents {
        var times: [Range<Timestamp>] = []
        var events: Set<String> = []
    }

    private let count: any RecorderStatement
    private let times: any RecorderStatement
    private let events: any RecorderStatement
    /// The number of the last erasure whose effects are known; nil before the first look.
    private var known: Int64?
    private var contents: [Int64: Contents] = [:]

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        count = try connection.prepare("SELECT coalesce(max(id), 0) FROM erasures")
        times = try connection.prepare("SELECT vehicle, from_time, to_time FROM erased_times")
        events = try connection.prepare("SELECT vehicle, event_id FROM erased_events")
    }

    /// Reads what other programs have erased since the last call.
    func refresh() throws(DatabaseFailure) {
        let last = try count.firstInteger() ?? 0
        guard last != known else { return }
        var contents: [Int64: Contents] = [:]
        try times.forEach { row throws(DatabaseFailure) in
            guard let from = row.time(1).flatMap({ Timestamp(iso8601: $0) }),
                let to = row.time(2).flatMap({ Timestamp(iso8601: $0) }), from < to
            else { return true }
            contents[row.integer(0), default: Contents()].times.append(from..<to)
            return true
        }
        try events.forEach { row throws(DatabaseFailure) in
            if let event = row.text(1) { contents[row.integer(0), default: Contents()].events.insert(event) }
            return true
        }
        (self.contents, known) = (contents, last)
    }

    /// Returns whether the contents of a record are erased.
    func contains(_ record: NumberedMessage) -> Bool {
        guard let content = DatedContent(record.message.content) else { return false }
        return contains(content, of: record.identity.vehicle)
    }

    /// Returns whether contents of a vehicle are erased.
    func contains(_ content: DatedContent, of vehicle: Int64) -> Bool {
        guard let erased = contents[vehicle] else { return false }
        if case .event(let id, _, _, _) = content, erased.events.contains(id) { return true }
        return erased.times.contains { content.overlaps($0) }
    }
}
