import OdographWire

/// Finds the newest records of vehicles again, after some were removed.
struct LatestRebuilder {
    /// Finds the newest record of kind ?2 of vehicle ?1: the greatest number of the epoch with the newest time.
    private static let insertion = """
        INSERT INTO latest (vehicle, kind, epoch, seq, time)
        SELECT vehicle, kind, epoch, seq, time FROM records WHERE vehicle = ?1 AND kind = ?2
            AND epoch = (SELECT epoch FROM records WHERE vehicle = ?1 AND kind = ?2 ORDER BY time DESC, epoch DESC LIMIT 1)
        ORDER BY seq DESC LIMIT 1
        """

    private let deletion: any RecorderStatement
    private let insertion: any RecorderStatement

    init(_ connection: any RecorderConnection) throws(DatabaseFailure) {
        deletion = try connection.prepare("DELETE FROM latest WHERE vehicle = ?1")
        insertion = try connection.prepare(Self.insertion)
    }

    /// - Parameter vehicle: The key of the vehicle.
    func rebuild(of vehicle: Int64) throws(DatabaseFailure) {
        try deletion.run(.integer(vehicle))
        for kind in UplinkChannel.allCases { try insertion.run(.integer(vehicle), .text(kind.rawValue)) }
    }
}
