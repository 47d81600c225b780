/// The table `relays`, and the records after the place of the relay.
final class RelayTable {
    /// The records that are looked at together. In PostgreSQL the index on the key knows only about where they are.
    private static let pageLength: Int64 = 500
    private static let name = "traccar"

    private let place: any RecorderStatement
    private let removals: any RecorderStatement
    private let last: any RecorderStatement
    private let selection: any RecorderStatement
    private let update: any RecorderStatement
    private let insertion: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        place = try connection.prepare("SELECT record FROM relays WHERE name = '\(Self.name)'")
        removals = try connection.prepare("SELECT removals FROM relays WHERE name = '\(Self.name)'")
        last = try connection.prepare(connection.dialect.newestRecordKey)
        // Imported positions may come from Traccar itself.
        selection = try connection.prepare(
            """
            SELECT records.id, fleet, device, payload FROM records JOIN vehicles ON vehicles.id = records.vehicle
            WHERE records.id > ?1 AND records.id <= ?2 AND kind IN ('location', 'geofence') AND latitude IS NOT NULL
                AND epoch > \(RecordTable.importedEpoch)
            ORDER BY records.id
            """)
        // If the newest record was removed meanwhile, its key can belong to another record now. The place then stays.
        update = try connection.prepare(
            """
            UPDATE relays SET record = CASE WHEN removals = ?4 THEN ?1 ELSE record END, relayed = relayed + ?2,
                refused = refused + ?3
            WHERE name = '\(Self.name)'
            """)
        insertion = try connection.prepare(
            "INSERT INTO relays (name, record, relayed, refused, removals) VALUES ('\(Self.name)', ?1, 0, 0, 0)")
    }

    /// Begins after the newest record if there is no place.
    func begin() throws(DatabaseFailure) {
        guard try place.firstInteger() == nil else { return }
        try insertion.run(.integer(try last.firstInteger() ?? 0))
    }

    /// Returns the records after the place of the relay, in the order in which they were stored.
    func page() throws(DatabaseFailure) -> RelayPage {
        let removals = try removals.firstInteger() ?? 0
        let start = try place.firstInteger() ?? 0
        guard let last = try last.firstInteger(), last > start else {
            return RelayPage(records: [], end: nil, removals: removals)
        }
        let end = min(start + Self.pageLength, last)
        let records = try selection.rows(.integer(start), .integer(end)) { row in
            RelayedRecord(
                key: row.integer(0), fleet: row.text(1) ?? "", device: row.text(2) ?? "", payload: row.text(3) ?? "")
        }
        return RelayPage(records: records, end: end, removals: removals)
    }

    /// Moves the place of the relay, and counts records.
    /// - Parameters:
    ///   - place: The key of the last record that is done.
    ///   - page: The page that contains it.
    ///   - relayed: The number of further records that the target has accepted.
    ///   - refused: The number of further records that it has refused.
    func move(to place: Int64, in page: RelayPage, relayed: Int, refused: Int) throws(DatabaseFailure) {
        try update.run(
            .integer(place), .integer(Int64(relayed)), .integer(Int64(refused)), .integer(page.removals))
    }
}

/// A record that the relay sends.
struct RelayedRecord: Hashable, Sendable {
    /// The key in the database.
    let key: Int64
    let fleet: String
    /// The vehicle's name, from the topic.
    let device: String
    /// The payload as the vehicle published it.
    let payload: String
}

/// Records that follow the place of the relay.
struct RelayPage: Hashable, Sendable {
    /// The positions, in the order in which they were stored.
    var records: [RelayedRecord]
    /// The place after these records; nil if there is nothing further.
    var end: Int64?
    /// How often the newest record had been removed.
    var removals: Int64
}
