import OdographCivilTime

/// A notification that waits for its delivery.
package struct PendingNotification: Hashable, Sendable {
    /// The key in the database.
    let key: Int64
    /// The name of the rule.
    let rule: String
    /// The key of the vehicle.
    let vehicle: Int64
    /// The payload, JSON.
    let payload: String
    /// The number of failed attempts.
    let attempts: Int
    /// When it was stored.
    var created = Timestamp(millisecondsSinceEpoch: 0)
    /// The name of the zone of the vehicle's days; nil if it has stated none.
    var timeZone: String?
}

/// The result of an attempt to deliver a notification.
package enum DeliveryResult: Hashable, Sendable {
    /// The target has it.
    case delivered
    /// The target will never take it: it is dropped.
    case refused(String)
    /// The target could not be reached, or cannot take it now: it is tried again.
    case failed(String)

    /// Whether there is no further attempt.
    var isFinal: Bool {
        switch self {
        case .delivered, .refused: true
        case .failed: false
        }
    }
}
