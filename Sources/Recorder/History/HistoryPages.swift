import OdographCivilTime
import OdographWire

/// Rows of an answer.
struct HistoryPage: Hashable {
    /// The rows, each a JSON object.
    var rows: [[UInt8]] = []
    /// The place of the next rows, `after` of a request; nil if there are no more.
    var next: String?
}

/// The rows of an answer, a page at a time: the memory does not depend on their number, and no transaction stays open
/// while the broker is slow.
protocol HistoryPages {
    /// The zone of the days; nil for rows that are not days.
    var timeZone: String? { get }

    /// Reads the next rows.
    /// - Parameters:
    ///   - database: The database.
    ///   - limit: The most rows, at least 1.
    mutating func read(from database: any HistoryDatabase, limit: Int) throws -> HistoryPage
}

extension HistoryRequest {
    /// Returns the pages of the answer.
    /// - Parameters:
    ///   - fleet: The fleet of the topic.
    ///   - settings: The limits.
    ///   - database: The database.
    /// - Throws: `HistoryRefusal` for a request that is not answered; ``DatabaseFailure``.
    func pages(of fleet: String, within settings: HistorySettings, in database: any HistoryDatabase) throws
        -> any HistoryPages
    {
        try checkLength(settings)
        func vehicle(_ device: String) throws -> ArchivedVehicle {
            guard let vehicle = try database.vehicles(fleet: fleet, device: device).first else {
                throw HistoryRefusal(.unknownDevice, "the fleet \(fleet) has no vehicle \(device) in this database")
            }
            return vehicle
        }
        switch query {
        case .track(let device, let times):
            return try TrackPages(vehicle: try vehicle(device), times: times, after: try place(TrackPages.place))
        case .timeline(let device, let times):
            return TimelinePages(
                vehicle: try vehicle(device), times: times, after: try place(TimelinePages.Place.init(text:)))
        case .days(let device, let first, let last):
            return try DayPages(vehicle: try vehicle(device), first: first, last: last, after: after)
        case .latest: return LatestPages(fleet: fleet, after: try place(LatestPages.Place.init(text:)))
        case .alerts(let device, let times):
            return AlertPages(
                fleet: fleet, device: device, times: times, after: try place(StoredAlert.Place.init(text:)))
        case .acknowledge(let alerts): return AcknowledgedAlertPages(fleet: fleet, identifiers: alerts)
        }
    }

    /// The most rows of the answer.
    func limit(within settings: HistorySettings) -> Int { min(limit ?? settings.rows, settings.rows) }

    private func checkLength(_ settings: HistorySettings) throws(HistoryRefusal) {
        guard let times else { return }
        let most = if case .days = query { HistorySettings.maximumDays } else { settings.days }
        guard times.upperBound.seconds(since: times.lowerBound) <= Double(most) * 86_400 else {
            throw HistoryRefusal(.tooLong, "the interval is longer than \(most) days; ask for a part of it")
        }
    }

    private func place<Place>(_ read: (String) throws(HistoryRefusal) -> Place) throws(HistoryRefusal) -> Place? {
        guard let after else { return nil }
        return try read(after)
    }
}

extension HistoryRefusal {
    /// The refusal of a place that is not `next` of an answer to the same request.
    static let wrongPlace = HistoryRefusal(.invalid, "after must be \"next\" of an answer to the same request")
}
