import OdographCivilTime
import OdographTerminal

/// The odometer of a vehicle at times that a report needs.
package struct OdometerReadings: Hashable, Sendable {
    private var meters: [Timestamp: Double] = [:]

    /// Creates readings of nothing.
    package init() {}

    /// Reads the odometer at times.
    package init(
        of vehicle: ArchivedVehicle, at times: some Sequence<Timestamp>, from database: HistoryDatabase
    ) throws(DatabaseFailure) {
        for time in Set(times) { meters[time] = try database.odometer(of: vehicle, at: time) }
    }

    /// The odometer at a time, metres; nil if it is not known.
    package subscript(time: Timestamp?) -> Double? { time.flatMap { meters[$0] } }

    /// The odometer at the bounds of a time as facts of a report.
    func facts(of times: Range<Timestamp>) -> [Report.Fact] {
        [("odometer before", self[times.lowerBound]), ("odometer after", self[times.upperBound])].compactMap {
            name, meters in
            meters.map { Report.Fact(name: name, value: "\(($0 / 1000).formatted(decimals: 1)) km") }
        }
    }

    /// The columns of a report for the odometer at the begin and the end of a row.
    static let columns = [
        Report.Column(title: "km before", name: "odometer_start_km", width: 10, isQuantity: true),
        Report.Column(title: "km after", name: "odometer_end_km", width: 10, isQuantity: true),
    ]

    /// The cells of ``columns``.
    func cells(from start: Timestamp?, to end: Timestamp?) -> [Report.Cell] {
        [.kilometers(self[start]), .kilometers(self[end])]
    }
}
