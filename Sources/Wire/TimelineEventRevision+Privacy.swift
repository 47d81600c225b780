extension TimelineEventRevision {
    /// The tag that makes a use private, as private time does. The page has it as the default of `privateTags`.
    public static let privateTag = "private"

    /// Whether the use of the vehicle was private: in private time, or with the tag ``privateTag``.
    ///
    /// Of such an event only the distance and the duration may be told, in sums. A trip that has ended without
    /// waypoints, and a stop without a place, are of private time whatever they say: an agent leaves these out in no
    /// other time.
    public var isOfPrivateUse: Bool {
        if isPrivate == true || tag == Self.privateTag { return true }
        if withdrawn == true { return false }
        return switch type {
        case .inTransport: endDate != nil && waypoints == nil
        case .stationary: location == nil
        default: false
        }
    }
}
