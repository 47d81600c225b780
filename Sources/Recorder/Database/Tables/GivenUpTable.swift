import OdographWire

/// The table `given_up`: the ranges that stored given-up records name.
final class GivenUpTable {
    private let insertion: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        insertion = try connection.prepare(
            "INSERT INTO given_up (vehicle, epoch, first, last, reason) VALUES (?1, ?2, ?3, ?4, ?5) "
                + "ON CONFLICT DO NOTHING")
    }

    /// Stores a range, unless it is stored.
    func insert(_ range: GivenUpRange, of vehicle: Int64) throws(DatabaseFailure) {
        try insertion.run(
            .integer(vehicle), .integer(range.epoch), .integer(range.from), .integer(range.to),
            .text(range.reason.rawValue))
    }
}
