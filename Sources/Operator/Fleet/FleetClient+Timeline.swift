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

    /// The events that a vehicle gives in one answer.
    private static let pageLimit = 500
    /// The pages of an answer that are asked for.
    private static let mostPages = mostRows / pageLimit

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
            let recorded = try await recorded(
                .timeline(device: device, times: times), TimelineEventRevision.self, person: person)
            if let recorded { return (recorded.rows, .recorder(recorded.recorder)) }
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
}
