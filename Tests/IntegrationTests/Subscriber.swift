import FoundationEssentials
import OdographHarness
import OdographJSON
import OdographThreads
import Testing
import OdographWire

/// A real client that stores all messages of a broker in a session that survives interruptions. At the end it checks
/// all of them against the contract.
final class Subscriber: Sendable {
    struct Message: Sendable {
        var topic: String
        var isRetained: Bool
        var payload: String
    }

    /// A record of any kind.
    struct Record: Sendable {
        var topic: String
        var members: [String: JSONValue]

        var seq: Int64? { if case .integer(let seq)? = members["seq"] { seq } else { nil } }
    }

    private let child: ChildProcess
    private let known = Lock<(bytes: Int, messages: [Message])>((0, []))
    private let test: SourceLocation

    /// Subscribes and waits for the acknowledgement.
    init(
        port: UInt16, topics: [String] = ["fleet/#"], id: String = "recorder",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        test = sourceLocation
        let arguments = ["-p", "\(port)", "-q", "1", "-c", "-i", id, "-F", "%t\t%r\t%p", "-d"]
        child = try ChildProcess("stdbuf", ["-oL", "mosquitto_sub"] + arguments + topics.flatMap { ["-t", $0] })
        let isUp = try await eventually { child.output.contains("SUBACK") ? true : nil }
        guard isUp != nil else { throw HarnessError("no subscription: \(child.output) \(child.errors)") }
    }

    deinit {
        do {
            let seen = messages.map { ContractValidator.Message(topic: $0.topic, payload: $0.payload) }
            for fault in try ContractValidator.running().faults(in: seen) {
                Issue.record("\(fault.topic): \(fault.errors ?? []): \(fault.payload)", sourceLocation: test)
            }
        } catch {
            Issue.record(error, "the messages are not held against the contract", sourceLocation: test)
        }
    }

    /// The messages so far, in order. Tests ask for them often, so each is read once.
    var messages: [Message] {
        let output = child.output
        return known.withLock { known in
            let new = output.utf8.dropFirst(known.bytes)
            // The last line can be incomplete: a long message is written in several parts.
            let complete = new[..<(new.lastIndex(of: UInt8(ascii: "\n")) ?? new.startIndex)]
            guard !complete.isEmpty else { return known.messages }
            known.bytes += complete.count + 1
            known.messages += complete.split(separator: UInt8(ascii: "\n")).compactMap { line in
                let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 2).map { String(Substring($0)) }
                return parts.count == 3 ? Message(topic: parts[0], isRetained: parts[1] == "1", payload: parts[2]) : nil
            }
            return known.messages
        }
    }

    /// Returns the location records so far, each with its topic.
    func locations() throws -> [(topic: String, event: LocationEvent, payload: String)] {
        try messages.filter { $0.topic.contains("/location") }.map { message in
            let decoded = try JSONDecoder().decode(LocationMessage.self, from: Data(message.payload.utf8))
            return (message.topic, decoded.location, message.payload)
        }
    }

    /// Returns the records of every kind so far, without the message around them.
    func records() throws -> [Record] {
        try messages.compactMap { message in
            let decoded = try JSONDecoder().decode(JSONValue.self, from: Data(message.payload.utf8))
            guard case .object(let members) = decoded,
                case .object(let record)? = members["location"] ?? members["timeline_event"] ?? members["given_up"]
            else { return nil }
            return Record(topic: message.topic, members: record)
        }
    }

    /// Returns whether enough records have arrived and the newest report's ledger explains every missing number.
    func hasAll(atLeast count: Int) throws -> Bool {
        let seqs = Set(try records().compactMap(\.seq))
        guard let newest = seqs.max(), seqs.count >= count else { return false }
        if seqs.count == newest { return true }
        let ledger = try ledger()
        return (1...newest).allSatisfy { seq in
            seqs.contains(seq) || ledger.contains { ($0.from...$0.to).contains(seq) }
        }
    }

    /// Returns the ledger of the newest report.
    func ledger() throws -> [LedgerRange] {
        guard let report = messages.last(where: { $0.topic.hasSuffix("/reported") }) else { return [] }
        return try JSONDecoder().decode(ReportedMessage.self, from: Data(report.payload.utf8)).ledger
    }

    /// Returns the status messages so far.
    /// - Parameter isRetained: Whether to return only retained or only live messages; nil for both.
    func statuses(isRetained: Bool? = nil) throws -> [StatusMessage] {
        try messages.filter { $0.topic.hasSuffix("/status") && $0.isRetained == isRetained ?? $0.isRetained }.map {
            try JSONDecoder().decode(StatusMessage.self, from: Data($0.payload.utf8))
        }
    }
}
