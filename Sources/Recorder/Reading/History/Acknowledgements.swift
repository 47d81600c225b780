import OdographCivilTime
import OdographWire

/// The acknowledgements in the table `alerts`, which persons make beside the recorder.
struct Acknowledgements {
    private let connection: any RecorderConnection

    /// Opens the table of a database that a recorder has made.
    init(_ location: DatabaseLocation) throws(DatabaseFailure) {
        connection = try location.openForWriting(lockSeconds: 5)
    }

    /// Stores that a person has acknowledged alerts. The first person counts; unknown alerts are left out.
    /// - Parameters:
    ///   - identifiers: The identifiers of the alerts.
    ///   - address: The person, and the fleet of the alerts.
    ///   - time: When the recorder received it.
    func store(_ identifiers: [String], by address: HistoryAddress, at time: Timestamp) throws(DatabaseFailure) {
        try connection.transaction { () throws(DatabaseFailure) in
            let update = try connection.prepare(
                """
                UPDATE alerts SET acknowledged_by = ?3, acknowledged_time = ?4
                WHERE alert = ?1 AND acknowledged_by IS NULL
                    AND vehicle IN (SELECT id FROM vehicles WHERE fleet = ?2)
                """)
            for identifier in identifiers {
                try update.run(.text(identifier), .text(address.fleet), .text(address.person), .time(time))
            }
        }
    }
}
