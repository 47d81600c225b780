import OdographCivilTime

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

/// The part of a received message that the recorder stores.
package struct BatchEntry: Hashable, Sendable {
    /// The contents of an entry.
    package enum Content: Hashable, Sendable {
        /// A message that matches the contract.
        case message(VehicleMessage)
        /// A message that does not. `bytes` is the length of the whole payload, which can be longer than `payload`.
        case rejected(topic: String, payload: [UInt8], bytes: Int, reason: RejectionReason)
    }

    /// The contents.
    package var content: Content
    /// When the recorder received the message, by this machine's clock.
    package var received: Timestamp

    /// - Parameters: As the properties of the same names.
    package init(_ content: Content, received: Timestamp) {
        self.content = content
        self.received = received
    }
}

extension BatchEntry.Content {
    /// The size of the payload, as it is stored, bytes.
    var size: Int {
        switch self {
        case .message(let message): message.payload.utf8.count
        case .rejected(_, let payload, _, _): payload.count
        }
    }
}

/// The received messages that are not committed yet.
package struct Batch: Sendable {
    /// The messages in the order of their arrival.
    package private(set) var entries: [BatchEntry] = []
    /// The size of the payloads.
    package private(set) var bytes = 0
    private let limits: BatchLimits

    /// - Parameter limits: The limits of the batch.
    package init(limits: BatchLimits) { self.limits = limits }

    /// Whether the batch is to be written at once.
    package var isFull: Bool { entries.count >= limits.records || bytes >= BatchLimits.maximumBytes }

    /// Adds a message.
    package mutating func append(_ entry: BatchEntry) {
        entries.append(entry)
        bytes += entry.content.size
    }

    /// Removes all messages, which are committed.
    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: entries.count <= limits.records)
        bytes = 0
    }
}
