/// The limits of a batch.
package struct BatchLimits: Hashable, Sendable {
    /// The longest time from the arrival of a message to the beginning of its commit, seconds.
    package var seconds: Double
    /// The number of messages at which a batch is written at once.
    package var records: Int
    /// The size of the payloads at which a batch is written at once. It limits the memory.
    package static let maximumBytes = 4 << 20

    /// - Parameters: As the properties of the same names.
    package init(seconds: Double = 0.25, records: Int = 1000) {
        self.seconds = seconds
        self.records = records
    }
}
