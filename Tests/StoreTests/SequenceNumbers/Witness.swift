import OdographHarness
import OdographWire

@testable import OdographStore

/// A consumer that remembers the content of each number and each UUID.
struct Witness {
    private var contents: [RecordKey: String] = [:]
    private var uuids: [String: String] = [:]
    private var explained: Set<LedgerEntry> = []
    /// The numbers and UUIDs that had two contents.
    private(set) var contradictions: [String] = []

    /// Adds a line of the crash probe, or the beginning of a test record's payload: epoch, number, UUID, content.
    mutating func see(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 3, let epoch = Int64(words[0]), let seq = Int64(words[1]) else { return }
        let key = RecordKey(epoch: epoch, seq: seq)
        let content = words.dropFirst(3).first ?? ""
        if let known = contents[key], known != content { contradictions.append("\(key): \(known), \(content)") }
        let whole = "\(epoch) \(seq) \(content)"
        if let known = uuids[words[2]], known != whole { contradictions.append("\(words[2]): \(known), \(whole)") }
        contents[key] = content
        uuids[words[2]] = whole
    }

    mutating func see(_ record: StoredRecord) {
        see(String(decoding: record.payload.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)[...])
    }

    /// The number of records.
    var count: Int { contents.count }

    /// Adds the ledger of a report.
    ///
    /// - Returns: The ranges below the newest number of each epoch that were neither received nor ever explained.
    mutating func unexplained(by ledger: [LedgerEntry]) -> [String] {
        explained.formUnion(ledger)
        return Dictionary(grouping: contents.keys, by: \.epoch).flatMap { epoch, keys in
            var known = keys.map { $0.seq...$0.seq }
            known += explained.filter { $0.epoch == epoch }.map { $0.fromSeq...$0.toSeq }
            var through: Int64 = 0
            var gaps: [String] = []
            for range in known.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if range.lowerBound > through + 1 { gaps.append("\(epoch): \(through + 1)-\(range.lowerBound - 1)") }
                through = max(through, range.upperBound)
            }
            return gaps
        }
    }
}

/// The kinds of damage to the files of a closed database.
enum Spoiling: CaseIterable {
    case none, logDeleted, logBitFlipped, logTruncated, logTailZeroed
    case numbersDeleted, numbersBitFlipped, numbersZeroed, databaseDeleted

    /// The kinds of damage to the log.
    static let ofLog: [Spoiling] = [.logDeleted, .logBitFlipped, .logTruncated, .logTailZeroed]

    func spoil(_ path: String, in folder: TemporaryFolder, using random: inout SplitMix64) {
        func change(_ name: String, _ body: (inout [UInt8]) -> Void) {
            var bytes = folder.bytes(at: path + name)
            guard !bytes.isEmpty else { return }
            body(&bytes)
            folder.put(bytes, at: path + name)
        }
        // The file of the log is larger than its used part.
        func used(_ log: [UInt8]) -> Int { max(64, (log.lastIndex { $0 != 0 } ?? 0) + 1) }
        switch self {
        case .none: break
        case .logDeleted: folder.remove(path + "-wal")
        case .logBitFlipped:
            change("-wal") {
                $0[Int.random(in: 0..<used($0), using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        case .logTruncated: change("-wal") { $0.removeLast($0.count - Int.random(in: 0..<used($0), using: &random)) }
        case .logTailZeroed:
            change("-wal") { bytes in
                for index in Int.random(in: 32..<used(bytes), using: &random)..<bytes.count { bytes[index] = 0 }
            }
        case .numbersDeleted: folder.remove(path + "-numbers")
        case .numbersBitFlipped:
            change("-numbers") {
                $0[
                    [0, 4096].randomElement(using: &random).map { $0 + Int.random(in: 0..<104, using: &random) } ?? 0] ^=
                    4
            }
        case .numbersZeroed: change("-numbers") { $0 = [UInt8](repeating: 0, count: $0.count) }
        case .databaseDeleted: for name in ["", "-wal"] { folder.remove(path + name) }
        }
    }
}
