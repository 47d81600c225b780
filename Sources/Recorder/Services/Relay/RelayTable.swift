/// The table `relays`, and the records after the place of the relay.
final class RelayTable: RelaySource {
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
                AND epoch > \(ImportedPosition.epoch)
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

    package func page() throws(DatabaseFailure) -> RelayPage {
        let removals = try removals.firstInteger() ?? 0
        let start = try place.firstInteger() ?? 0
        guard let last = try last.firstInteger(), last > start else {
            return RelayPage(records: [], end: nil, removals: removals)
        }
        let end = min(start + Self.pageLength, last)
        var records: [RelayedRecord] = []
        try selection.forEach(.integer(start), .integer(end)) { row throws(DatabaseFailure) in
            records.append(
                RelayedRecord(
                    key: row.integer(0), fleet: row.text(1) ?? "", device: row.text(2) ?? "",
                    payload: row.text(3) ?? ""))
            return true
        }
        return RelayPage(records: records, end: end, removals: removals)
    }

    package func move(
        to place: Int64, in page: RelayPage, relayed: Int, refused: Int
    ) throws(DatabaseFailure) {
        try update.run(
            .integer(place), .integer(Int64(relayed)), .integer(Int64(refused)), .integer(page.removals))
    }
}
