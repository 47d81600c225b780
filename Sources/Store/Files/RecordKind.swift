/// The kind of a record, which determines the channel it is published on.
package enum RecordKind: Int64, Hashable, Sendable, CaseIterable {
    /// A location event.
    case location = 0
    /// A location event whose `event` is `geofence`.
    case geofence = 1
    /// A revision of a timeline event.
    case timeline = 2
    /// A record that names numbers for which no record comes.
    case givenUp = 3
}
