import OdographCivilTime

/// A receipt in force, as a part of `reported`.
public struct ReportedReceipt: Hashable, Sendable, Codable {
    /// The name of the recorder.
    public var recorder: String
    /// The name of the database in the receipt.
    public var databaseID: String
    /// The receipt's revision.
    public var revision: Int64
    /// The time at which the agent received it.
    public var receivedAt: Timestamp

    /// Creates the part from its values.
    public init(recorder: String, databaseID: String, revision: Int64, receivedAt: Timestamp) {
        self.recorder = recorder
        self.databaseID = databaseID
        self.revision = revision
        self.receivedAt = receivedAt
    }

    /// The database that the receipt is of.
    var database: [String] { [recorder, databaseID] }

    private enum CodingKeys: String, CodingKey {
        case recorder
        case databaseID = "database_id"
        case revision
        case receivedAt = "received_at"
    }
}

extension ReportedMessage {
    /// A capability of the agent.
    public struct Feature: OpenEnumeration {
        /// The agent reads receipts and publishes given-up records, with `tracking.delivery: "receipt"`.
        public static let receipts = Self(rawValue: "receipts")
        /// The agent can publish batches, with `tracking.encoding: "compact"`.
        public static let compact = Self(rawValue: "compact")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.receipts, .compact]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
