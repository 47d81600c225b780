import OdographWire

/// Writes positions as a table with commas. Texts in it cannot be formulas of a spreadsheet.
struct PositionTableWriter: RecordWriter {
    private static let names = [
        "time", "fleet", "device", "epoch", "seq", "kind", "event", "geofence", "latitude", "longitude", "accuracy",
        "altitude", "speed", "heading", "is_moving", "odometer", "clock_untrusted", "mock", "driver",
    ]

    private let vehicle: ArchivedVehicle

    init(_ vehicle: ArchivedVehicle) { self.vehicle = vehicle }

    var isTrack: Bool { true }

    func header() -> [UInt8] { Array(CSVField.line(Self.names.map { .text($0) }).utf8) }

    func bytes(of record: ArchivedRecord) -> [UInt8] {
        let fields: [CSVField] = [
            .text(record.time), .text(vehicle.fleet), .text(vehicle.device), .number("\(record.number.epoch)"),
            .number("\(record.number.seq)"), .text(record.channel.rawValue), CSVField(record.event),
            CSVField(record.subject), CSVField(record.latitude), CSVField(record.longitude),
            CSVField(record.accuracy), CSVField(record.altitude), CSVField(record.speed), CSVField(record.heading),
            CSVField(record.isMoving), CSVField(record.odometer), CSVField(record.isUndated), CSVField(record.isMock),
            CSVField(record.driver),
        ]
        return Array(CSVField.line(fields).utf8)
    }

    func footer() -> [UInt8] { [] }
}
