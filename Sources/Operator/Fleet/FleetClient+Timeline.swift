import Odograph
import OdographCivilTime
import OdographJSON
import OdographLink
import OdographTerminal
import OdographWire

/// The timeline of a vehicle: from the recorders of the fleet, else from the vehicle itself.
extension FleetClient {
    /// The source of a timeline.
    public enum TimelineSource: Hashable, Sendable {
        /// The recorder with this name of its store.
        case recorder(String)
        /// The vehicle.
        case vehicle
    }

    /// The time in which a recorder begins to answer, seconds.
    private static let recorderSeconds = 3.0
    /// The time between two parts of an answer, seconds.
    private static let partSeconds = 15.0
    /// The events that a vehicle gives in one answer.
    private static let pageLimit = 500
    private static let most: Int = 100_000
    /// The pages of an answer that are asked for.
    private static let mostPages = most / pageLimit

    /// A part of the answer of a recorder.
    private struct AnswerPart: WireMessage {
        static let form = MessageForm.historyTimeline

        var store: String
        var part: Int
        var status: String
        var isLast: Bool
        var rows: [TimelineEventRevision]?
        var next: String?
        var error: String?

        private enum CodingKeys: String, CodingKey {
            case store, part, status, rows, next, error
            case isLast = "is_last"
        }
    }

    /// Returns the events of a vehicle that overlap a time, each in its newest revision, ordered by start.
    /// - Parameters:
    ///   - device: The vehicle.
    ///   - times: The time.
    ///   - person: The login at the broker, which the topics of requests contain.
    ///   - note: is called with the reason why a recorder has no answer.
    /// - Throws: `ExitError` if no recorder answers and the vehicle does not either.
    public func timeline(
        of device: String, times: Range<Timestamp>, person: String, note: @Sendable (String) -> Void
    ) async throws -> (events: [TimelineEventRevision], source: TimelineSource) {
        do throws(ExitError) {
            if let answer = try await recordedTimeline(of: device, times: times, person: person) { return answer }
        } catch {
            note(error.text)
        }
        var events: [TimelineEventRevision] = []
        var from = times.lowerBound
        // A vehicle could say without end that there is more.
        for _ in 0..<Self.mostPages {
            let answer = try await sendCommand(
                .getTimeline,
                parameters: [
                    "from": .string(from.iso8601), "to": .string(times.upperBound.iso8601),
                    "limit": .integer(Int64(Self.pageLimit)),
                ], device: device, timeoutSeconds: 15)
            guard answer.isSuccess else {
                throw ExitError(.dataError, "\(device): \(answer.error ?? "refused without a reason")".printable)
            }
            let page = try JSONCoder.decode(
                [TimelineEventRevision].self, from: answer.members["timeline_events"] ?? .array([]))
            events += page
            guard answer.members["more"] == .bool(true), let later = page.last?.endDate, later > from else {
                return (events, .vehicle)
            }
            from = later
        }
        throw ExitError(
            .dataError, "\(device) has more than \(Self.mostPages) pages of events; ask for a shorter time")
    }

    /// Asks the recorders of the fleet. Of several ones the first to answer counts.
    /// - Returns: nil if none answers.
    /// - Throws: `ExitError` if the recorder refuses, or a part of its answer is missing.
    private func recordedTimeline(
        of device: String, times: Range<Timestamp>, person: String
    ) async throws(ExitError) -> (events: [TimelineEventRevision], source: TimelineSource)? {
        guard let address = try? HistoryAddress(root: root, fleet: fleet, person: person) else { return nil }
        var events: [TimelineEventRevision] = []
        var (store, place): (String?, String?)
        var pages = 0
        repeat {
            pages += 1
            guard
                let parts = try await answer(
                    to: HistoryRequest(.timeline(device: device, times: times), after: place, store: store),
                    at: address)
            else {
                guard place == nil else { throw ExitError(.unavailable, "the recorder stopped answering") }
                return nil
            }
            (store, place) = (parts.last?.store, parts.last?.next)
            events += parts.flatMap { $0.rows ?? [] }
        } while place != nil && events.count < Self.most && pages < Self.mostPages
        return (events, .recorder(store ?? ""))
    }

    /// Sends a request and returns the parts of the answer.
    private func answer(
        to request: HistoryRequest, at address: HistoryAddress
    ) async throws(ExitError) -> [AnswerPart]? {
        let id = "desk-\(UInt64.random(in: 0...UInt64.max))"
        let topic = address.answerTopic(id)
        historyAnswers[topic] = []
        defer { historyAnswers[topic] = nil }
        session.subscribe([topic])
        try await publish(
            OutgoingMessage(
                topic: address.requestTopic(id), payload: request.payload,
                isRetained: DownlinkChannel.command.isRetained))
        var (parts, read): ([AnswerPart], Int) = ([], 0)
        var seconds = Self.recorderSeconds
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
            guard let part = try? AnswerPart(message: payload) else {
                throw ExitError(.dataError, "the answer of a recorder cannot be read")
            }
            if let store = parts.first?.store, store != part.store { continue }
            guard part.status == "ok" else {
                throw ExitError(
                    .dataError,
                    "the recorder \(part.store) refuses: \(part.error ?? "without a reason")".printable)
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
    /// The payload of a request for a timeline.
    fileprivate var payload: [UInt8] {
        var members: [String: JSONValue] = ["kind": .string(kind)]
        members["device"] = device.map { .string($0) }
        members["from"] = times.map { .string($0.lowerBound.iso8601) }
        members["to"] = times.map { .string($0.upperBound.iso8601) }
        members["after"] = after.map { .string($0) }
        members["store"] = store.map { .string($0) }
        return (try? JSONCoder.bytes(of: JSONValue.object(members))) ?? []
    }
}
