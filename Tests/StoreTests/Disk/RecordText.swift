import OdographHarness
import OdographWire

@testable import OdographStore

/// The text of a simulated record: its identity, its commit, and a number that no other record has.
struct RecordText {
    var key: RecordKey
    var uuid: String
    var commit: Int

    init?(_ payload: [UInt8]) {
        let words = String(decoding: payload.prefix(120), as: UTF8.self).split(separator: " ")
        guard words.count >= 5, let epoch = Int64(words[0]), let seq = Int64(words[1]), let commit = Int(words[3])
        else {
            return nil
        }
        key = RecordKey(epoch: epoch, seq: seq)
        uuid = String(words[2])
        self.commit = commit
    }

    static func payload(_ identity: RecordIdentity, commit: Int, nonce: UInt64, bytes: Int) -> [UInt8] {
        let text = Array("\(identity.epoch) \(identity.seq) \(identity.uuid) \(commit) \(nonce) ".utf8)
        // Compression does not shorten random bytes.
        var random = SplitMix64(seed: nonce)
        return text + (0..<max(0, bytes - text.count)).map { _ in .random(in: .min ... .max, using: &random) }
    }
}

/// The text of a simulated tracker state: its commit and the previous commit.
struct StateText {
    var parent: Int
    var commit: Int

    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes.prefix(40), as: UTF8.self).split(separator: " ")
        guard words.count >= 3, let parent = Int(words[0]), let commit = Int(words[1]) else { return nil }
        self.parent = parent
        self.commit = commit
    }

    static func journal(after parent: Int, commit: Int, bytes: Int) -> [UInt8] {
        Array("\(parent) \(commit) ".utf8) + [UInt8](repeating: UInt8(ascii: "."), count: bytes + 1)
    }

    static func snapshot(of commit: Int, bytes: Int) -> [UInt8] { journal(after: commit, commit: commit, bytes: bytes) }
}
