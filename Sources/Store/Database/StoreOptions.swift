/// The condition for a commit to be complete.
public enum StoreSynchronous: String, Hashable, Sendable, Codable, CaseIterable {
    /// One fsync: a power cut loses no committed data. The default.
    case full
    /// A write to the system's cache: a power cut may lose the last records, back to the last checkpoint.
    case normal
}

/// The settings for the store's use of the disk.
package struct StoreOptions: Sendable {
    /// The condition for a commit to be complete.
    package var synchronous: StoreSynchronous
    /// The maximum size of the database file, bytes; at least 262,144. The write-ahead log is additional.
    package var maximumBytes: Int
    /// The number of acknowledgements at which they are written without waiting for the next commit; at least 1.
    package var acknowledgementBatch = 500

    /// The largest database, bytes, that is checked completely when it is opened, at some milliseconds for each
    /// megabyte. A larger one is checked step by step during operation (``AgentStore/advanceIntegrityScan()``).
    var fullCheckMaximumBytes = 2 << 20
    /// The size to which the write-ahead log is grown at the start, bytes; at least 65,536.
    ///
    /// A log of constant size costs no metadata writes. It is copied to the database when three quarters are used.
    var walPreallocationBytes = 2 << 20
    /// The time to wait for another process that has the database open, milliseconds; a query needs only a moment.
    var busyTimeoutMilliseconds = 2000
    /// The maximum number of timeline events for queries. The default is some years of events.
    var timelineMaximumCount = 50_000
    /// The maximum payload bytes of these events. The default is a quarter of ``maximumBytes``.
    ///
    /// The oldest final events are dropped above these limits, and before undelivered records when the file is full.
    var timelineMaximumBytes: Int
    /// The files of the store: the system's, or those of a test.
    var files = StoreFileSystem.system

    /// The smallest file size that the store supports, bytes.
    private static let minimumQuotaBytes = 256 << 10
    /// The maximum memory for database pages, bytes.
    static let cacheBytes = 512 << 10

    /// Creates options. A maximum size below its range is raised to the minimum.
    package init(synchronous: StoreSynchronous = .full, maximumBytes: Int = 64_000_000) {
        self.synchronous = synchronous
        self.maximumBytes = max(maximumBytes, Self.minimumQuotaBytes)
        timelineMaximumBytes = self.maximumBytes / 4
    }
}
