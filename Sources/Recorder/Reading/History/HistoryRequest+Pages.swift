import OdographCivilTime
import OdographWire

extension HistoryRequest {
    /// Returns the pages of the answer.
    /// - Parameters:
    ///   - fleet: The fleet of the topic.
    ///   - settings: The limits.
    ///   - database: The database.
    /// - Throws: `HistoryRefusal` for a request that is not answered; ``DatabaseFailure``.
    func pages(of fleet: String, within settings: HistorySettings, in database: HistoryDatabase) throws
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
            return try AlertPages(
                fleet: fleet, device: device, times: times, after: try place(StoredAlert.Place.init(text:)))
        case .acknowledge(let alerts): return AcknowledgedAlertPages(fleet: fleet, identifiers: alerts)
        }
    }

    /// The most rows of the answer.
    func limit(within settings: HistorySettings) -> Int { min(limit ?? settings.rows, settings.rows) }

    /// By how much clock changes lengthen an interval of whole days, seconds: the end of summer time.
    private static let clockChangeSeconds = 7200.0

    private func checkLength(_ settings: HistorySettings) throws(HistoryRefusal) {
        guard let times else { return }
        let most = if case .days = query { HistorySettings.maximumDays } else { settings.days }
        guard times.upperBound.seconds(since: times.lowerBound) <= Double(most) * 86_400 + Self.clockChangeSeconds
        else {
            throw HistoryRefusal(.tooLong, "the interval is longer than \(most) days; ask for a part of it")
        }
    }

    private func place<Place>(_ read: (String) throws(HistoryRefusal) -> Place) throws(HistoryRefusal) -> Place? {
        guard let after else { return nil }
        return try read(after)
    }
}
