import CSimulatedDisk
import Glibc

@testable import OdographStore

/// A disk in memory with a log of all operations, the possible disks after a power cut, and failing operations.
///
/// See `simulated_disk.h` for the model.
final class SimulatedDisk: Sendable {
    /// There is no memory for a disk, or no file for a test.
    struct Unavailable: Error {}

    /// The effect of a power cut on unsynchronized data.
    enum Loss: UInt32, CaseIterable {
        case nothing, everything, tail, tails, sectors, few, most
    }

    /// Operations that fail.
    struct Fault {
        var operations: Operations
        /// The number of operations that succeed before the first failure.
        var after = 0
        /// The number of failures.
        var count = Int.max
        /// The `errno` of the failures.
        var error = EIO
        /// Whether half of a write is done before it fails, and a read returns the first half and zeros.
        var isHalfDone = false
        /// Whether a synchronization returns success without any effect, instead of failing.
        var isHidden = false
    }

    /// Kinds of operations.
    struct Operations: OptionSet {
        let rawValue: Int

        static let open = Operations(rawValue: SIM_OPEN)
        static let read = Operations(rawValue: SIM_READ)
        static let write = Operations(rawValue: SIM_WRITE)
        static let truncate = Operations(rawValue: SIM_TRUNCATE)
        static let synchronize = Operations(rawValue: SIM_SYNC)
        static let create = Operations(rawValue: SIM_CREATE)
        static let remove = Operations(rawValue: SIM_REMOVE)
        static let rename = Operations(rawValue: SIM_RENAME)
        static let makeFolder = Operations(rawValue: SIM_MAKE_FOLDER)
        static let synchronizeFolder = Operations(rawValue: SIM_SYNC_FOLDER)
        /// Writes that extend a file, and new names.
        static let grow = Operations(rawValue: SIM_GROW)
    }

    private let address: UInt
    let bootID: UInt64?

    /// Creates an empty disk.
    convenience init() throws { try self.init(sim_disk_create()) }

    private init(_ handle: OpaquePointer?, systemRun: UInt64 = .random(in: 1 ... .max)) throws {
        guard let handle else { throw Unavailable() }
        address = UInt(bitPattern: handle)
        self.bootID = systemRun
    }

    deinit { sim_disk_release(handle) }

    private var handle: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// The disk as a store's file system.
    var files: StoreFileSystem { StoreFileSystem(vfs: String(cString: sim_disk_vfs(handle)), operations: self) }

    /// The number of operations in the log.
    var logCount: Int { Int(sim_disk_log_count(handle)) }

    /// The number of operations that the fault has counted, including the failed ones.
    var countedOperations: Int { Int(sim_disk_counted(handle)) }

    /// Returns the last operations of the log up to a position, for a message.
    func log(upTo position: Int, limit: Int = 12) -> String {
        (max(0, position - min(limit, position))..<position).map { index in
            var line = [CChar](repeating: 0, count: 256)
            sim_disk_describe(handle, Int64(index), &line, Int64(line.count))
            return "\(index): \(Self.string(line))"
        }.joined(separator: "\n")
    }

    /// Returns a new disk: the state of this one after a power cut at a position of its log.
    func afterCut(at position: Int, losing loss: Loss, seed: UInt64) throws -> SimulatedDisk {
        try SimulatedDisk(sim_disk_after_cut(handle, Int64(position), sim_loss(loss.rawValue), seed))
    }

    /// Returns a new disk: the state of this one after the process was killed.
    ///
    /// - Parameter position: The number of operations of the log before the kill; nil for all.
    func afterKill(at position: Int? = nil) throws -> SimulatedDisk {
        let disk = sim_disk_after_cut(handle, Int64(position ?? logCount), sim_loss(Loss.nothing.rawValue), 0)
        return try SimulatedDisk(disk, systemRun: bootID ?? 0)
    }

    /// Replaces the failing operations. Nil for none.
    func fail(_ fault: Fault?) {
        guard let fault else { return sim_disk_set_fault(handle, sim_fault()) }
        sim_disk_set_fault(
            handle,
            sim_fault(
                kinds: UInt32(fault.operations.rawValue), after: Int64(fault.after), count: Int64(fault.count),
                error: fault.error, is_half_done: fault.isHalfDone ? 1 : 0, is_hidden: fault.isHidden ? 1 : 0))
    }

    /// Changes the contents of a file, as a fault of the medium does.
    func damage(_ path: String, at offset: Int, _ bytes: [UInt8]) throws(SystemError) {
        try check(sim_disk_damage(handle, path, bytes, Int64(bytes.count), Int64(offset)))
    }

    /// Changes the size of a file.
    func resize(_ path: String, to size: Int) throws(SystemError) {
        try check(sim_disk_truncate(handle, path, Int64(size)))
    }

    private func check(_ code: Int32) throws(SystemError) {
        guard code == 0 else { throw SystemError(code: code) }
    }
}

extension SimulatedDisk: FileOperations {
    func exists(_ path: String) -> Bool { status(of: path) != nil }

    func status(of path: String) -> FileStatus? {
        var size: Int64 = 0
        var node: UInt64 = 0
        guard sim_disk_status(handle, path, &size, &node) == 0 else { return nil }
        return FileStatus(size: Int(size), device: UInt64(address), inode: node)
    }

    func names(in folder: String) -> [String] {
        var names: [String] = []
        var name = [CChar](repeating: 0, count: 256)
        while sim_disk_entry(handle, folder, Int32(names.count), &name, Int64(name.count)) == 0 {
            names.append(Self.string(name))
        }
        return names
    }

    private static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func isAccessible(_ path: String) -> Bool { true }

    func makeFolder(_ path: String) throws(SystemError) { try check(sim_disk_make_folder(handle, path)) }

    func makeFile(_ path: String) throws(SystemError) { try check(sim_disk_make_file(handle, path)) }

    func read(_ path: String) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: status(of: path)?.size ?? 0)
        var count: Int64 = 0
        try check(sim_disk_read(handle, path, &bytes, Int64(bytes.count), &count))
        return Array(bytes.prefix(Int(count)))
    }

    func write(_ bytes: [UInt8], to path: String, at offset: Int) throws(SystemError) {
        try check(sim_disk_write(handle, path, bytes, Int64(bytes.count), Int64(offset)))
    }

    func grow(_ path: String, toBytes wanted: Int) throws(SystemError) {
        guard let status = status(of: path) else { throw SystemError(code: ENOENT) }
        for offset in stride(from: status.size, to: wanted, by: 4 << 10) {
            try write([UInt8](repeating: 0, count: min(4 << 10, wanted - offset)), to: path, at: offset)
        }
        try synchronize(path)
    }

    func synchronize(_ path: String) throws(SystemError) { try check(sim_disk_sync(handle, path)) }

    func rename(_ path: String, to other: String) throws(SystemError) {
        try check(sim_disk_rename(handle, path, other))
    }

    func remove(_ path: String) throws(SystemError) { try check(sim_disk_remove(handle, path)) }
}
