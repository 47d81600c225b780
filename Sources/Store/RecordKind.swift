/// What a record is, and with that the channel it is published on.
public enum RecordKind: Int64, Hashable, Sendable, CaseIterable {
    /// A location event.
    case location = 0
    /// A location event whose `event` is `geofence`.
    case geofence = 1
    /// One revision of one timeline event.
    case timeline = 2
}
