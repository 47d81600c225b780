/// The evidence of the vehicle's own signals about a stand.
enum VehicleStand: Equatable, Sendable {
    /// They say nothing, or that it moves.
    case none
    /// The believed wheels stand, and the positions do not lead away.
    case standing
    /// Signals that nothing has proven say that it stands.
    case undecided
    /// It is carried: it stands, and the positions lead away.
    case carried
}
