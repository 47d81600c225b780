/// The limits of a batch.
package struct BatchLimits: Hashable, Sendable {
    /// The longest time from the arrival of a message to the beginning of its commit, seconds.
    package var seconds = 0.25
    /// The number of messages at which a batch is written at once.
    package var records = 1000
    /// The size of the payloads at which a batch is written at once. It limits the memory.
    package static let maximumBytes = 4 << 20
}
