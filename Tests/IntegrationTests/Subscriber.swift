import FoundationEssentials
import Harness
import Testing
import Wire

/// Somebody who keeps all that a broker says: a real client with a session that outlives interruptions. In the end it
/// holds all of it against the contract for machines.
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
    private let test: SourceLocation

    /// Subscribes and waits until the subscription stands.
    init(
        port: UInt16, topics: [String] = ["fleet/#"], id: String = "recorder",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        test = sourceLocation
        let arguments = ["-p", "\(port)", "-q", "1", "-c", "-i", id, "-F", "%t\t%r\t%p", "-d"]
        child = try ChildProcess("stdbuf", ["-oL", "mosquitto_sub"] + arguments + topics.flatMap { ["-t", $0] })
        let isUp = try await eventually(within: 60) { child.output.contains("SUBACK") ? true : nil }
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

    /// All so far, in order. The last line may be incomplete: a long message is written in several parts.
    var messages: [Message] {
        let output = child.output
        let complete = output[..<(output.lastIndex(of: "\n") ?? output.startIndex)]
        return complete.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t", maxSplits: 2)
            guard parts.count == 3 else { return nil }
            return Message(topic: String(parts[0]), isRetained: parts[1] == "1", payload: String(parts[2]))
        }
    }

    /// The location records so far, with the topic each came on.
    func locations() throws -> [(topic: String, event: LocationEvent, payload: String)] {
        try messages.filter { $0.topic.contains("/location") }.map { message in
            let decoded = try JSONDecoder().decode(LocationMessage.self, from: Data(message.payload.utf8))
            return (message.topic, decoded.location, message.payload)
        }
    }

    /// The records of every kind so far: what stands under the device's id in each message.
    func records() throws -> [Record] {
        try messages.compactMap { message in
            let decoded = try JSONDecoder().decode(JSONValue.self, from: Data(message.payload.utf8))
            guard case .object(let members) = decoded,
                case .object(let record)? = members["location"] ?? members["timeline_event"]
            else { return nil }
            return Record(topic: message.topic, members: record)
        }
    }

    /// Whether so many records have come, and the newest report's ledger explains each number that is missing between them.
    func hasAll(atLeast count: Int) throws -> Bool {
        let seqs = Set(try records().compactMap(\.seq))
        guard let newest = seqs.max(), seqs.count >= count else { return false }
        if seqs.count == newest { return true }
        let ledger = try ledger()
        return (1...newest).allSatisfy { seq in
            seqs.contains(seq) || ledger.contains { ($0.from...$0.to).contains(seq) }
        }
    }

    /// The ledger of the newest report.
    func ledger() throws -> [LedgerRange] {
        guard let report = messages.last(where: { $0.topic.hasSuffix("/reported") }) else { return [] }
        return try JSONDecoder().decode(ReportedMessage.self, from: Data(report.payload.utf8)).ledger
    }

    /// - Parameter isRetained: only those that the broker had kept, or only those that came live; nil for both.
    func statuses(isRetained: Bool? = nil) throws -> [StatusMessage] {
        try messages.filter { $0.topic.hasSuffix("/status") && $0.isRetained == isRetained ?? $0.isRetained }.map {
            try JSONDecoder().decode(StatusMessage.self, from: Data($0.payload.utf8))
        }
    }
}
