import OdographCivilTime

/// The knowledge about the place of the newest position.
enum PlaceBelief: Equatable {
    /// It is the vehicle's.
    case certain
    /// The positions since a time are proven now.
    case proven(since: Timestamp)
    /// It is in doubt since a time.
    case doubted(since: Timestamp)
}
