import OdographCivilTime
import OdographGeodesy

/// The inputs since the last full save of the tracker's state, in a compact encoding.
///
/// The tracker is deterministic, so its state follows from a saved state and the inputs since then. A fix takes about
/// 30 bytes here, a full state takes kilobytes. So every record can be committed together with the state that produced
/// it. Nothing is rounded: a value that is not a short decimal is stored in full.
///
/// A change of this encoding needs a new form of the saved state.
public struct InputJournal: Equatable, Sendable {
    /// The encoded inputs.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty journal.
    public init() {}

    /// Removes all inputs, after the state was saved.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends an input.
    /// - Returns: whether the input has an encoding. Rare and large inputs have none, for example a new configuration;
    ///   after them the state must be saved in full.
    public mutating func append(_ input: Disclosed<TrackerInput>) -> Bool {
        append(input.value)
    }

    mutating func append(_ input: TrackerInput) -> Bool {
        var writer = InputJournalWriter(bytes: bytes)
        guard writer.put(input) else { return false }
        bytes = writer.bytes
        return true
    }

    /// Decodes the inputs.
    /// - Throws: ``InputJournalError`` if the bytes are not a journal.
    public static func inputs(in bytes: [UInt8]) throws -> [TrackerInput] {
        let (inputs, damage) = readableInputs(in: bytes[...])
        if let damage { throw damage }
        return inputs
    }

    /// Decodes as many inputs as possible.
    /// - Returns: the inputs before the first unreadable one, and its error.
    static func readableInputs(in bytes: ArraySlice<UInt8>) -> (inputs: [TrackerInput], damage: InputJournalError?) {
        var reader = InputJournalReader(bytes: Array(bytes))
        var inputs: [TrackerInput] = []
        do throws(InputJournalError) {
            while !reader.isAtEnd { inputs.append(try reader.readInput()) }
        } catch {
            return (inputs, error)
        }
        return (inputs, nil)
    }
}

/// An error in a journal.
public struct InputJournalError: Error, Hashable, CustomStringConvertible {
    /// The offset at which decoding stopped, bytes.
    public let offset: Int

    /// The error and its effect.
    public var description: String {
        "the journal of tracker inputs is not readable at byte \(offset); the state goes on from the last whole one"
    }
}
