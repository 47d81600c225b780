import CivilTime
import Geodesy

/// The inputs since the tracker's state was last saved whole, in few bytes.
///
/// The tracker is deterministic, so its state is what a saved state and the inputs since make it. A fix takes about 30
/// bytes here where a whole state takes kilobytes; that is what lets every record be committed together with the state
/// that made it. Nothing is rounded: a value that is no short decimal is kept in full.
///
/// Every later version of the agent reads what is written here: a tag keeps its meaning and its form for ever, and what is
/// new gets a new one.
public struct InputJournal: Equatable, Sendable {
    /// The encoded inputs.
    public private(set) var bytes: [UInt8] = []

    /// An empty journal.
    public init() {}

    /// Whether there is nothing in it.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Forgets what is in it: it has been saved.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Adds an input.
    /// - Returns: whether there is a form for it. There is none for what happens seldom and is large, a new
    ///   configuration above all: then the state is to be saved whole.
    public mutating func append(_ input: TrackerInput) -> Bool {
        var writer = InputJournalWriter(bytes: bytes)
        guard writer.put(input) else { return false }
        bytes = writer.bytes
        return true
    }

    /// Reads the inputs back.
    /// - Throws: ``InputJournalError`` where the bytes are not a journal.
    public static func inputs(in bytes: [UInt8]) throws -> [TrackerInput] {
        let (inputs, damage) = readableInputs(in: bytes[...])
        if let damage { throw damage }
        return inputs
    }

    /// Reads back what can be read.
    /// - Returns: the inputs before the first that cannot be read, and what is wrong with that one.
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

/// A journal that cannot be read back.
public struct InputJournalError: Error, Hashable, CustomStringConvertible {
    /// At which byte reading stopped.
    public let offset: Int

    /// What is wrong and what follows from it.
    public var description: String {
        "the journal of tracker inputs is not readable at byte \(offset); the state goes on from the last whole one"
    }
}
