/// The epochs of which a recorder has records that this device has not made, as far as they are reported.
///
/// A receipt names them for as long as the recorder exists, for example after the machine of a vehicle was replaced. So
/// each epoch is reported once.
struct ForeignEpochs: Hashable, Sendable {
    /// The name of the document that contains them.
    static let documentName = "foreign_epochs"
    /// The largest number of epochs that are kept: the greatest ones.
    private static let maximumCount = 1024

    private var epochs: Set<Int64> = []

    init() {}

    /// Reads a document. A line that is not readable counts as not reported.
    init(document bytes: [UInt8]) {
        epochs = Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { Int64($0) })
    }

    /// The document: a line for each epoch.
    var document: [UInt8] { Array(epochs.sorted().map { "\($0)\n" }.joined().utf8) }

    /// Notes the epochs that receipts name.
    /// - Returns: Those that were not noted before.
    mutating func note(_ found: Set<Int64>) -> Set<Int64> {
        let new = found.subtracting(epochs)
        epochs = Set(epochs.union(new).sorted().suffix(Self.maximumCount))
        return new
    }
}
