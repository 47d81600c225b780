import OdographCivilTime
import OdographStore

/// Checks the store's file: uses a file that was unusable at the start as soon as possible, and writes a new one if it
/// was deleted or replaced. ``StoreFileMonitor`` decides when.
struct StoreFileKeeper {
    /// The events of the store's file that concern other parts.
    enum Event: Sendable {
        /// The file was checked: other files should be checked too.
        case fileChecked
        /// The records moved from memory to the file, which contained these documents.
        case fileReopened(documents: [String: [UInt8]])
    }

    let store: AgentStore
    let problems: RecordingProblems
    private(set) var observer: (@Sendable (Event) -> Void)?
    var monitor = StoreFileMonitor()

    /// Starts the checks. Without a file there are none.
    mutating func start(_ observer: @escaping @Sendable (Event) -> Void) {
        if store.assumeIsolated({ $0.isWaitingForFile }) { monitor.place = .memory(MemoryRun()) }
        if store.assumeIsolated({ $0.hasFile }) { self.observer = observer }
    }

    /// Ends the checks.
    mutating func stop() {
        observer = nil
    }

    /// Returns the latest time of the next check, on the monotonic clock. nil if there is none.
    func due(uptimeMilliseconds: Int64) -> Int64? {
        observer == nil ? nil : monitor.due(uptimeMilliseconds: uptimeMilliseconds)
    }

    /// Begins a check if it is due.
    /// - Returns: The place of the records. nil if no check is due.
    mutating func beginCheck(isFinal: Bool, uptimeMilliseconds: Int64) -> StoreFileMonitor.Place? {
        guard observer != nil, isFinal || monitor.isDue(uptimeMilliseconds: uptimeMilliseconds) else { return nil }
        monitor.markChecked(uptimeMilliseconds: uptimeMilliseconds)
        return monitor.place
    }

    /// Writes a new file if it was deleted or replaced.
    mutating func verify(now: Timestamp) {
        guard let loss = store.assumeIsolated({ $0.verifyFile(now: now) }) else {
            monitor.place = .file
            return
        }
        monitor.place = loss.failure == nil ? .file : .lostFile
        problems.raiseFileLost(loss)
    }

    /// Returns the contents of a file that was unusable. nil if it has none.
    func reopen(now: Timestamp) throws -> StoreContents? {
        try store.assumeIsolated { try $0.reopenFile(now: now) }
    }

    /// Moves the records from memory to the file.
    func moveIntoFile(snapshot: [UInt8]?, now: Timestamp) throws {
        let aside = try store.assumeIsolated { try $0.moveIntoFile(snapshot: snapshot, now: now) }
        if let aside { problems.warnOfFileAside(aside) }
    }

    /// Ends the run in memory.
    mutating func handleReopened(_ documents: [String: [UInt8]]) {
        monitor = StoreFileMonitor()
        observer?(.fileReopened(documents: documents))
        problems.clearStoreUnusable()
    }
}
