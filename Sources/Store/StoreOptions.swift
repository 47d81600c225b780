/// The settings for the store's use of the disk.
public struct StoreOptions: Hashable, Sendable {
    /// The condition for a commit to be complete.
    public enum Synchronous: String, Hashable, Sendable, Codable, CaseIterable {
        /// One fsync: a power cut loses no committed data. The default.
        case full
        /// A write to the system's cache: a power cut may lose the last records, back to the last checkpoint.
        case normal
    }

    /// The condition for a commit to be complete.
    public var synchronous: Synchronous
    /// The maximum size of the database file, in bytes; at least 262,144. The write-ahead log is additional.
    public var maximumBytes: Int
    /// The size to which the write-ahead log is grown at the start, in bytes; at least 65,536.
    ///
    /// A log of constant size costs no metadata writes. It is copied to the database when three quarters are used.
    public var walPreallocationBytes: Int
    /// The number of acknowledgements at which they are written without waiting for the next commit; at least 1.
    public var acknowledgementBatch: Int
    /// The largest database, in bytes, that is checked completely when it is opened, at some milliseconds for each
    /// megabyte. A larger one is checked step by step during operation (``AgentStore/advanceIntegrityScan()``).
    public var fullCheckMaximumBytes: Int
    /// The maximum memory for database pages, in bytes; at least 65,536.
    public var cacheBytes: Int

    /// The time to wait for another process that has the database open, in milliseconds; a query needs only a moment.
    public var busyTimeoutMilliseconds: Int

    /// The maximum number of timeline events for queries; at least 16. The default is some years of events.
    public var timelineMaximumCount: Int
    /// The maximum payload bytes of these events; at least 4096. The default is a quarter of ``maximumBytes``.
    ///
    /// The oldest final events are dropped above these limits, and before undelivered records when the file is full.
    public var timelineMaximumBytes: Int

    /// The files of the store: the system's, or those of a test.
    var files = StoreFileSystem.system

    /// The smallest file size that the store supports.
    static let minimumQuotaBytes = 256 << 10

    /// Creates options. A value below its range is raised to the minimum.
    public init(
        synchronous: Synchronous = .full, maximumBytes: Int = 64_000_000, walPreallocationBytes: Int = 2 << 20,
        acknowledgementBatch: Int = 500, fullCheckMaximumBytes: Int = 2 << 20, cacheBytes: Int = 512 << 10,
        busyTimeoutMilliseconds: Int = 2000, timelineMaximumCount: Int = 50_000, timelineMaximumBytes: Int? = nil
    ) {
        self.synchronous = synchronous
        self.maximumBytes = max(maximumBytes, Self.minimumQuotaBytes)
        self.walPreallocationBytes = max(walPreallocationBytes, 64 << 10)
        self.acknowledgementBatch = max(acknowledgementBatch, 1)
        self.fullCheckMaximumBytes = max(fullCheckMaximumBytes, 0)
        self.cacheBytes = max(cacheBytes, 64 << 10)
        self.busyTimeoutMilliseconds = max(busyTimeoutMilliseconds, 0)
        self.timelineMaximumCount = max(timelineMaximumCount, 16)
        self.timelineMaximumBytes = max(timelineMaximumBytes ?? self.maximumBytes / 4, 4096)
    }
}
