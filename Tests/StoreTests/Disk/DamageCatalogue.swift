import Glibc
import OdographHarness
import Testing

@testable import OdographStore

/// The kinds of damage to a store's files and disk, and the reports that each must cause.
struct DamageCatalogue {
    /// The time of the damage.
    enum Moment: String, CaseIterable, Sendable {
        /// Between a killed process and the next start.
        case atStart = "at start"
        /// While the store is open.
        case whileRunning = "while running"
    }

    /// The report of a store.
    enum Report: String, CaseIterable, Sendable {
        /// A file was set aside, or an inconsistent database was reported.
        case damage
        /// A call failed.
        case error
        /// No report. Nothing may be missing then.
        case nothing
    }

    /// A kind of damage.
    struct Row: Sendable, CustomTestStringConvertible {
        /// The damage to the disk. Its random numbers come from the seed of the attempt.
        typealias Action = @Sendable (SimulatedDisk, inout SplitMix64) throws -> Void

        var testDescription: String
        /// The correct reports, at start and while running.
        var atStart: Set<Report>
        var whileRunning: Set<Report>
        var action: Action

        init(_ name: String, atStart: Set<Report>, whileRunning: Set<Report>, _ action: @escaping Action) {
            testDescription = name
            self.atStart = atStart
            self.whileRunning = whileRunning
            self.action = action
        }

        func reports(at moment: Moment) -> Set<Report> { moment == .atStart ? atStart : whileRunning }
    }

    static let database = SimulatedAgent.path
    static let log = database + "-wal"
    static let numbers = database + "-numbers"

    static let rows: [Row] = ofDatabase + ofLog + ofNumbers + ofDisk
}

extension DamageCatalogue {
    // An open database is only read again at the next start. If it was closed before that, nothing is lost.

    private static let ofDatabase = [
        Row("the database is deleted", atStart: [.damage], whileRunning: [.damage, .nothing]) { disk, _ in
            try disk.remove(database)
        },
        Row("the database is empty", atStart: [.damage], whileRunning: [.damage]) { disk, _ in
            try disk.resize(database, to: 0)
        },
        Row("the database is cut", atStart: [.damage, .nothing], whileRunning: [.damage, .error, .nothing]) {
            disk, random in
            try disk.resize(database, to: Int.random(in: 1..<disk.size(of: database) / 2, using: &random))
        },
        Row("the database is all zeros", atStart: [.damage], whileRunning: [.damage]) { disk, _ in
            try disk.damage(database, at: 0, [UInt8](repeating: 0, count: disk.size(of: database)))
        },
        Row("the first page is noise", atStart: [.damage, .nothing], whileRunning: [.damage, .nothing]) {
            disk, random in
            try disk.damage(database, at: 0, noise(1024, using: &random))
        },
        Row("a page is noise", atStart: [.damage, .nothing], whileRunning: [.damage, .nothing]) { disk, random in
            let page = Int.random(in: 0..<disk.size(of: database) / 1024, using: &random)
            try disk.damage(database, at: page * 1024, noise(1024, using: &random))
        },
        Row("a bit of the database flips", atStart: [.damage, .nothing], whileRunning: [.damage, .nothing]) {
            disk, random in try disk.flipBit(of: database, using: &random)
        },
        Row("a bit of a page's header flips", atStart: [.damage, .nothing], whileRunning: [.damage, .nothing]) {
            disk, random in
            let page = Int.random(in: 1..<disk.size(of: database) / 1024, using: &random)
            try disk.flipBit(of: database, in: page * 1024..<page * 1024 + 12, using: &random)
        },
    ]

    private static let ofLog = [
        Row("the log is deleted", atStart: [.damage], whileRunning: [.damage, .nothing]) { disk, _ in
            try disk.remove(log)
        },
        Row("the log is empty", atStart: [.damage], whileRunning: [.damage, .error, .nothing]) { disk, _ in
            try disk.resize(log, to: 0)
        },
        Row("the log is all zeros", atStart: [.damage], whileRunning: [.damage, .error, .nothing]) { disk, _ in
            try disk.damage(log, at: 0, [UInt8](repeating: 0, count: disk.size(of: log)))
        },
        Row("a bit of the log flips", atStart: [.damage, .nothing], whileRunning: [.damage, .error, .nothing]) {
            disk, random in try disk.flipBit(of: log, using: &random)
        },
        Row("a page of the log is noise", atStart: [.damage, .nothing], whileRunning: [.damage, .error, .nothing]) {
            disk, random in
            let page = Int.random(in: 0..<disk.size(of: log) / 1048, using: &random)
            try disk.damage(log, at: 32 + page * 1048, noise(1048, using: &random))
        },
        Row("the log is cut", atStart: [.damage, .nothing], whileRunning: [.damage, .error, .nothing]) {
            disk, random in try disk.resize(log, to: Int.random(in: 1..<disk.size(of: log), using: &random))
        },
    ]

    private static let ofNumbers = [
        Row("the reserved numbers are deleted", atStart: [.damage], whileRunning: [.damage, .nothing]) { disk, _ in
            try disk.remove(numbers)
        },
        Row("the reserved numbers are empty", atStart: [.damage], whileRunning: [.damage, .nothing]) { disk, _ in
            try disk.resize(numbers, to: 0)
        },
        // The file has two copies.
        Row("a bit of the reserved numbers flips", atStart: [.nothing], whileRunning: [.nothing]) {
            disk, random in try disk.flipBit(of: numbers, using: &random)
        },
    ]

    private static let ofDisk = [
        Row("a read fails", atStart: [.error, .damage, .nothing], whileRunning: [.error, .nothing]) { disk, random in
            disk.fail(
                SimulatedDisk.Fault(operations: .read, after: Int.random(in: 0..<4, using: &random), count: 1))
        },
        // A small database is completely in memory, and with synchronous normal there are few synchronizations.
        Row("all reads fail", atStart: [.error], whileRunning: [.error, .nothing]) { disk, _ in
            disk.fail(SimulatedDisk.Fault(operations: .read))
        },
        Row("all writes fail", atStart: [.error], whileRunning: [.error]) { disk, _ in
            disk.fail(SimulatedDisk.Fault(operations: .write))
        },
        Row("nothing can be synchronized", atStart: [.error], whileRunning: [.error, .nothing]) { disk, _ in
            disk.fail(SimulatedDisk.Fault(operations: [.synchronize, .synchronizeFolder]))
        },
        Row("no file can be opened", atStart: [.error], whileRunning: [.error, .nothing]) { disk, _ in
            disk.fail(SimulatedDisk.Fault(operations: [.open, .create]))
        },
        Row("the disk is full", atStart: [.error, .nothing], whileRunning: [.error, .nothing]) { disk, _ in
            disk.fail(SimulatedDisk.Fault(operations: .grow, error: ENOSPC))
        },
        Row("no block is free, not even to write over", atStart: [.error], whileRunning: [.error]) { disk, _ in
            disk.fail(SimulatedDisk.Fault(operations: .write, error: ENOSPC, isHalfDone: true))
        },
    ]

    private static func noise(_ count: Int, using random: inout SplitMix64) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}

extension SimulatedDisk {
    /// Returns a file's size in bytes, at least 1, so that a random offset exists.
    fileprivate func size(of path: String) -> Int { max(1, status(of: path)?.size ?? 0) }

    /// Flips a random bit of a byte that is not zero, in a part of a file.
    fileprivate func flipBit(of path: String, in part: Range<Int>? = nil, using random: inout SplitMix64) throws {
        let content = try read(path)
        let used = content.indices.filter { content[$0] != 0 && part?.contains($0) ?? true }
        guard let offset = used.randomElement(using: &random) else { return }
        try damage(path, at: offset, [content[offset] ^ 1 << UInt8.random(in: 0..<8, using: &random)])
    }
}
