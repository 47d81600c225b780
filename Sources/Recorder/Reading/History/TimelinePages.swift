import OdographCivilTime
import OdographJSON
import OdographWire

/// The events of the timeline of a vehicle that overlap a time, ordered by start.
struct TimelinePages: HistoryPages {
    /// The place of an event in this order.
    struct Place: Comparable {
        let start: Timestamp
        let identifier: String

        init(_ event: TimelineEventRevision) {
            start = event.startDate
            identifier = event.eventID
        }

        /// Reads the place of an answer.
        init(text: String) throws(HistoryRefusal) {
            guard let slash = text.firstIndex(of: "/"), let start = Timestamp(iso8601: text[..<slash]) else {
                throw .wrongPlace
            }
            self.start = start
            identifier = String(text[slash...].dropFirst())
        }

        var text: String { "\(start.iso8601)/\(identifier)" }

        static func < (left: Place, right: Place) -> Bool {
            (left.start, left.identifier) < (right.start, right.identifier)
        }
    }

    /// The time that is read at once, seconds. It limits the memory, because events of a time have no other limit.
    private static let periodSeconds = 86_400.0

    private let vehicle: ArchivedVehicle
    private let end: Timestamp
    private var start: Timestamp
    private var place: Place?
    /// Whether events that begin before the period are of the answer: those that overlap its beginning.
    private var isBeginning: Bool

    init(vehicle: ArchivedVehicle, times: Range<Timestamp>, after place: Place?) {
        self.vehicle = vehicle
        self.place = place
        end = times.upperBound
        // An event that overlaps the beginning starts before it; the next ones still have to come.
        start = place.map { min(max($0.start, times.lowerBound), times.upperBound) } ?? times.lowerBound
        isBeginning = place == nil || start == times.lowerBound
    }

    var timeZone: String? { nil }

    mutating func read(from database: HistoryDatabase, limit: Int) throws -> HistoryPage {
        while start < end {
            let period = start..<min(start.advanced(bySeconds: Self.periodSeconds), end)
            // The order of texts in SQL depends on the database.
            let events = try database.timeline(of: vehicle, in: period).filter { event in
                (isBeginning || event.startDate >= period.lowerBound) && (place.map { $0 < Place(event) } ?? true)
            }.sorted { Place($0) < Place($1) }
            let page = events.prefix(limit)
            if let last = page.last { place = Place(last) }
            // The same period again, after this place, if it has more events.
            if page.count == events.count { (start, isBeginning) = (period.upperBound, false) }
            if !page.isEmpty {
                return HistoryPage(
                    rows: try page.map { try JSONCoder.bytes(of: $0) }, next: start < end ? place?.text : nil)
            }
        }
        return HistoryPage()
    }
}
