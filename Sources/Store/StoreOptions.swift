/// How the store treats the disk.
public struct StoreOptions: Hashable, Sendable {
    /// When a commit counts as done.
    public enum Synchronous: String, Hashable, Sendable, Codable, CaseIterable {
        /// After one fsync: a power cut loses nothing that was committed. The default.
        case full
        /// After a write to the system's cache: a power cut may lose the last records, up to the last checkpoint.
        case normal
    }

    /// When a commit counts as done.
    public var synchronous: Synchronous
    /// The most that the database file may hold, in bytes; at least 262,144. The write-ahead log comes on top.
    public var maximumBytes: Int
    /// The size to which the write-ahead log is grown at start, in bytes; at least 65,536.
    ///
    /// A log that never changes its size costs one write and no metadata a commit. It is copied to the database when three quarters are used.
    public var walPreallocationBytes: Int
    /// How many acknowledgements may wait for the next commit before they are written in a transaction of their own; at least 1.
    public var acknowledgementBatch: Int
    /// A database of up to this size is looked through when it is opened, which takes some milliseconds a megabyte; a larger one is by
    /// and by, while it works (``AgentStore/survey()``), in bytes.
    public var fullCheckMaximumBytes: Int
    /// The most memory for database pages, in bytes; at least 65,536.
    public var cacheBytes: Int

    /// So long another process that has the database is waited for when it is opened, in milliseconds: whoever asks a database that no
    /// agent has does so for a moment only.
    public var busyTimeoutMilliseconds: Int

    /// The most timeline events that are kept for queries; at least 16. The default is some years of them.
    public var timelineMaximumCount: Int
    /// The most bytes of payload of those events; at least 4096. The default is a quarter of ``maximumBytes``.
    ///
    /// The oldest final events go first: over these bounds, and before anything undelivered does when the whole file is full.
    public var timelineMaximumBytes: Int

    /// The files beneath the store: those of the system, unless a test has its own.
    var files = StoreFileSystem.system

    /// The least file size that the store can work within.
    static let minimumQuotaBytes = 256 << 10

    /// - Parameters: as the properties of the same names; a value below its range is taken as the least one.
    public init(
        synchronous: Synchronous = .full, maximumBytes: Int = 64 << 20, walPreallocationBytes: Int = 2 << 20,
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
