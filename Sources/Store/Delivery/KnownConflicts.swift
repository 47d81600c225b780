import OdographCivilTime

/// The counts of conflicts that the stores have stated: records of this device with the number of another record. A count
/// that grows shows that another machine uses the numbers of this one.
struct KnownConflicts: Hashable, Sendable {
    /// The name of the document that contains them.
    static let documentName = "conflicts"
    /// The shortest time between two epochs that begin because of conflicts, seconds. The records of the shared epoch
    /// that the two machines still have can add conflicts for a while.
    private static let pauseSeconds = 86_400.0

    private var counts: [String: Int] = [:]
    private var lastEpochMilliseconds: Int64?

    init() {}

    /// Reads a document. What is not readable is unknown.
    init(document bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2 else { continue }
            if words[0] == "#" {
                lastEpochMilliseconds = Int64(words[1])
            } else if let count = Int(words[1]) {
                counts[String(words[0])] = count
            }
        }
    }

    /// The document: the instant of the newest epoch that began because of a conflict, after `#`, in milliseconds since
    /// 1970; and a line for each store, with its name and its count.
    var document: [UInt8] {
        let lines = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
        return Array(((lastEpochMilliseconds.map { ["# \($0)\n"] } ?? []) + lines).joined().utf8)
    }

    /// Notes the count of a store.
    /// - Returns: Whether a new epoch must begin. The first count of a store is no reason: its conflicts can be old.
    mutating func note(_ count: Int, of store: String, at now: Timestamp) -> Bool {
        let known = counts.updateValue(count, forKey: store)
        guard let known, count > known else { return false }
        let last = lastEpochMilliseconds.map { Timestamp(millisecondsSinceEpoch: $0) }
        if let last, now >= last, now < last.advanced(bySeconds: Self.pauseSeconds) { return false }
        lastEpochMilliseconds = now.millisecondsSinceEpoch
        return true
    }
}
