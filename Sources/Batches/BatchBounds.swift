/// The bounds of a batch and of a record. Agents keep them, and a reader refuses what exceeds them.
package enum BatchBounds {
    /// The largest number of records in a batch.
    package static let records = 100
    /// The largest size of all payloads of a batch with several records, bytes. The compressed message is much smaller,
    /// also for brokers with a limit of 128 kB.
    package static let bytes = 64 << 10
    /// The largest size of the payload of one record, bytes: a location with extras, and a trip with 1000 waypoints,
    /// are smaller.
    package static let recordBytes = 256 << 10
    /// The largest size of a batch after its expansion, bytes. A record as text has at most two bytes for each of its
    /// own.
    static let documentBytes = 2 * recordBytes + bytes
}
