/// The counts of conflicts that the recorders have stated: records of this device with the number of another record. A
/// count that grows shows that another machine uses the numbers of this one.
struct KnownConflicts: Hashable, Sendable {
    /// The name of the document that contains them.
    static let documentName = "conflicts"

    private var counts: [String: Int] = [:]

    init() {}

    /// Reads a document. What is not readable is unknown.
    init(document bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let count = Int(words[1]) else { continue }
            counts[String(words[0])] = count
        }
    }

    /// The document: a line for each recorder, with its name and its count.
    var document: [UInt8] {
        Array(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined().utf8)
    }

    /// Notes the count of a recorder.
    /// - Returns: Whether it has grown. The first count of a recorder says nothing: its conflicts can be old.
    mutating func note(_ count: Int, of recorder: String) -> Bool {
        guard let known = counts.updateValue(count, forKey: recorder) else { return false }
        return count > known
    }
}
