import Odograph
import OdographCivilTime
import OdographJSON
import OdographLink
import OdographTerminal
import OdographWire

/// A row of an answer of a recorder.
protocol HistoryRow: Codable, Hashable, Sendable {
    /// The form of a part of an answer with such rows.
    static var answerForm: MessageForm { get }
}

extension TimelineEventRevision: HistoryRow {
    static var answerForm: MessageForm { .historyTimeline }
}

/// A part of the answer of a recorder.
private struct AnswerPart<Row: HistoryRow>: WireMessage {
    static var form: MessageForm { Row.answerForm }

    var recorder: String
    var part: Int
    var status: String
    var isLast: Bool
    var rows: [Row]?
    var next: String?
    var code: String?
    var error: String?

    private enum CodingKeys: String, CodingKey {
        case recorder, part, status, rows, next, code, error
        case isLast = "is_last"
    }
}

/// Requests about the past, which the recorders of the fleet answer.
extension FleetClient {
    /// The time in which a recorder that is not busy begins to answer, seconds. Then others are asked.
    private static let firstSeconds = 3.0
    /// The longest time in which a recorder begins to answer, and between two parts of an answer, seconds.
    private static let partSeconds = 15.0
    /// The most rows that are asked for.
    static let mostRows = 100_000
    private static let mostPages = 1000

    /// Asks the recorders of the fleet. Of several ones the first to answer counts.
    /// - Parameters:
    ///   - query: The rows to ask for.
    ///   - type: The type of the rows.
    ///   - person: The login at the broker, which the topics of requests contain.
    ///   - recorder: The recorder that is to answer; nil for each.
    ///   - isOnlySource: Whether no vehicle can answer, so that a busy recorder has more time.
    /// - Returns: The rows and the name of the recorder; nil if none answers.
    /// - Throws: `ExitError` if the recorder refuses, or a part of its answer is missing; with the code `noInput` if it
    ///   does not know the vehicle.
    func recorded<Row: HistoryRow>(
        _ query: HistoryRequest.Query, _ type: Row.Type, person: String, recorder: String? = nil,
        isOnlySource: Bool = false
    ) async throws(ExitError) -> (rows: [Row], recorder: String)? {
        guard let address = try? HistoryAddress(root: root, fleet: fleet, person: person) else { return nil }
        var rows: [Row] = []
        var (recorder, place): (String?, String?) = (recorder, nil)
        var pages = 0
        repeat {
            pages += 1
            let request = HistoryRequest(query, after: place, recorder: recorder)
            guard
                let parts: [AnswerPart<Row>] = try await answer(
                    to: request, at: address, within: isOnlySource ? Self.partSeconds : Self.firstSeconds)
            else {
                guard place == nil else { throw ExitError(.unavailable, "the recorder stopped answering") }
                return nil
            }
            (recorder, place) = (parts.last?.recorder, parts.last?.next)
            rows += parts.flatMap { $0.rows ?? [] }
        } while place != nil && rows.count < Self.mostRows && pages < Self.mostPages
        return (rows, recorder ?? "")
    }

    /// Sends a request and returns the parts of the answer.
    private func answer<Row: HistoryRow>(
        to request: HistoryRequest, at address: HistoryAddress, within firstSeconds: Double
    ) async throws(ExitError) -> [AnswerPart<Row>]? {
        let id = "desk-\(UInt64.random(in: 0...UInt64.max))"
        let topic = address.answerTopic(id)
        historyAnswers[topic] = []
        defer { historyAnswers[topic] = nil }
        client.subscribe([topic])
        try await publish(
            OutgoingMessage(
                topic: address.requestTopic(id), payload: request.payload,
                isRetained: DownlinkChannel.command.isRetained))
        var (parts, read): ([AnswerPart<Row>], Int) = ([], 0)
        var seconds = firstSeconds
        while true {
            let known = read
            guard await wait(seconds: seconds, until: { ($0.historyAnswers[topic]?.count ?? 0) > known }),
                let payload = historyAnswers[topic]?[read]
            else {
                guard !parts.isEmpty else { return nil }
                throw ExitError(.unavailable, "the recorder stopped answering")
            }
            read += 1
            seconds = Self.partSeconds
            guard let part = try? AnswerPart<Row>(message: payload) else {
                throw ExitError(.dataError, "the answer of a recorder cannot be read")
            }
            if let recorder = parts.first?.recorder, recorder != part.recorder { continue }
            guard part.status == "ok" else {
                throw ExitError(
                    part.code == HistoryRefusal.Code.unknownDevice.rawValue ? .noInput : .dataError,
                    "the recorder \(part.recorder) refuses: \(part.error ?? "without a reason")".printable)
            }
            parts.append(part)
            guard part.part == parts.count else {
                throw ExitError(.dataError, "a part of the recorder's answer is missing; ask again")
            }
            if part.isLast { return parts }
        }
    }
}

extension HistoryRequest {
    /// The payload of a request for a track or a timeline.
    fileprivate var payload: [UInt8] {
        var members: [String: JSONValue] = ["kind": .string(kind)]
        members["device"] = device.map { .string($0) }
        members["from"] = times.map { .string($0.lowerBound.iso8601) }
        members["to"] = times.map { .string($0.upperBound.iso8601) }
        members["after"] = after.map { .string($0) }
        members["recorder"] = recorder.map { .string($0) }
        return (try? JSONCoder.bytes(of: JSONValue.object(members))) ?? []
    }
}
