import OdographCivilTime
import OdographJSON

/// The contents of a recorder's database in numbers.
package struct RecorderStatus: Hashable, Sendable, Codable {
    /// The random name of the database, which its receipts contain.
    package var databaseID: String
    /// When the newest backup was complete; nil if there is none.
    package var lastBackup: String?
    /// The vehicles that have published something.
    package var vehicles: Int
    /// The vehicles whose newest status is online.
    package var online: Int
    /// The records that were stored at any time, also those that were erased or removed since.
    package var records: Int
    /// The records that `odograph-recorder erase` has erased.
    package var erased: Int
    /// When the newest message was received that is committed; nil if there is none.
    package var lastCommit: String?
    /// The ranges of numbers that are neither stored, nor given up, nor in a ledger.
    package var openGaps: Int
    /// The numbers in these ranges.
    package var openNumbers: Int
    /// The numbers that given-up records name and whose records are not stored.
    package var givenUpNumbers: Int
    /// The found records with the number of another record and other contents.
    package var conflicts: Int
    /// The kept messages that violate the contract.
    package var rejected: Int
    /// The messages that were refused because their vehicles have sent too much.
    package var refused: Int
    /// The vehicles with the most of them, with their numbers.
    package var refusedVehicles: [String: Int]
    /// The numbers of notifications by their state, for each rule.
    package var notifications: [NotificationCounts]
    /// The vehicles whose notifications were dropped last.
    package var floods: [NotificationFlood]
    /// The relay; nil if there was none.
    package var relay: RelayCounts?

    private enum CodingKeys: String, CodingKey {
        case databaseID = "database_id"
        case lastBackup = "last_backup"
        case vehicles, online, records, erased
        case lastCommit = "last_commit"
        case openGaps = "open_gaps"
        case openNumbers = "open_numbers"
        case givenUpNumbers = "given_up_numbers"
        case conflicts, rejected, refused
        case refusedVehicles = "refused_vehicles"
        case notifications, floods, relay
    }

    /// Reads the numbers. The recorder can write meanwhile.
    package init(of database: DatabaseLocation) throws(DatabaseFailure) {
        let connection = try database.openForReading()
        let statement = try connection.prepare(
            """
            SELECT (SELECT count(*) FROM vehicles), (SELECT count(*) FROM vehicles WHERE state = 'online'),
                (SELECT coalesce(sum(last - first + 1), 0) FROM runs), (SELECT max(last_seen) FROM vehicles),
                (SELECT count(*) FROM open_gaps), (SELECT coalesce(sum(1.0 * (last - first + 1)), 0) FROM open_gaps),
                (SELECT coalesce(sum(conflicts), 0) FROM vehicles), (SELECT count(*) FROM rejected),
                (SELECT coalesce(sum(1.0 * (last - first + 1)), 0) FROM covered),
                database_id, last_backup, (SELECT coalesce(sum(positions + revisions), 0) FROM erasures)
            FROM identity
            """)
        var numbers = [Int](repeating: 0, count: 9)
        var (lastCommit, databaseID, lastBackup): (String?, String?, String?)
        var erased = 0
        try statement.forEach { row throws(DatabaseFailure) in
            for column in numbers.indices {
                // Sums of ranges that a vehicle states can be larger than an integer.
                let isSum = [5, 8].contains(column)
                numbers[column] = isSum ? Int(min(row.real(Int32(column)), 1e18)) : Int(row.integer(Int32(column)))
            }
            (lastCommit, databaseID, lastBackup) = (row.time(3), row.text(9), row.time(10))
            erased = Int(row.integer(11))
            return false
        }
        (vehicles, online, records) = (numbers[0], numbers[1], numbers[2])
        self.erased = erased
        self.lastCommit = lastCommit
        (self.databaseID, self.lastBackup) = (databaseID ?? "", lastBackup)
        (openGaps, openNumbers, conflicts, rejected) = (numbers[4], numbers[5], numbers[6], numbers[7])
        givenUpNumbers = numbers[8] - records
        refused = Int(try connection.firstInteger("SELECT coalesce(sum(refused), 0) FROM vehicles") ?? 0)
        var most: [String: Int] = [:]
        try connection.prepare(
            "SELECT fleet, device, refused FROM vehicles WHERE refused > 0 ORDER BY refused DESC LIMIT 5"
        ).forEach { row throws(DatabaseFailure) in
            most["\(row.text(0) ?? "")/\(row.text(1) ?? "")"] = Int(row.integer(2))
            return true
        }
        refusedVehicles = most
        notifications = try NotificationCounts.read(from: connection)
        floods = try NotificationFlood.read(from: connection)
        relay = try RelayCounts.read(from: connection)
    }

    private static func erasedText(_ erased: Int) -> String {
        "\(erased) positions and events were erased, imported ones among them"
    }

    /// The numbers as lines for people.
    package var text: String {
        """
        database     \(databaseID)
        vehicles     \(vehicles), \(online) online
        records      \(records)\(erased > 0 ? "; \(Self.erasedText(erased))" : "")
        last commit  \(lastCommit ?? "none")
        last backup  \(lastBackup ?? "none")
        open gaps    \(openGaps), \(openNumbers) numbers
        given up     \(givenUpNumbers) numbers
        conflicts    \(conflicts)
        rejected     \(rejected)
        refused      \(refused)\(refusedText)

        """
            + notifications.map {
                "rule         \($0.rule): \($0.waiting) waiting, \($0.delivered) delivered, \($0.dropped) dropped\n"
            }.joined()
            + floods.map {
                "flood        \($0.rule): \($0.dropped) of \($0.device) of \($0.fleet) dropped, last \($0.last ?? "")\n"
            }.joined()
            + (relay.map {
                "relay        \($0.relayed) accepted, \($0.refused) refused, \($0.waiting) waiting\n"
            } ?? "")
    }

    private var refusedText: String {
        guard !refusedVehicles.isEmpty else { return "" }
        let names = refusedVehicles.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        return ", because vehicles have sent too much: " + names.joined(separator: ", ")
    }

    /// Returns the numbers as one JSON object and a newline.
    package func json() throws -> String { try JSONCoder.string(of: self) + "\n" }
}
