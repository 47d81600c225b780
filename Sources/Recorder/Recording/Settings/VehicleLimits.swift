import OdographSettings

/// The bounds of what one vehicle may add. They keep a defective or hostile vehicle from filling the database, and from
/// holding up the others.
package struct VehicleLimits: Hashable, Sendable {
    /// The payloads of a minute after their expansion, bytes. What is more waits.
    package var minuteBytes = 100_000_000
    /// The payloads of a day after their expansion, bytes. What is more is refused.
    package var dayBytes = 1_000_000_000
    /// The messages that wait because of ``minuteBytes``, as they came, bytes. What is more is refused.
    package var waitingBytes = 16_000_000

    /// Creates the usual bounds.
    package init() {}
}

extension VehicleLimits {
    /// Reads the object `limits`.
    init(_ reader: inout SettingsReader) {
        func bytes(_ key: String, _ usual: Int, _ range: ClosedRange<Int>) -> Int {
            1_000_000 * reader.integer(key, default: usual / 1_000_000, in: range, unit: "megabytes")
        }
        let usual = VehicleLimits()
        minuteBytes = bytes("minute_megabytes", usual.minuteBytes, 1...100_000)
        dayBytes = bytes("day_megabytes", usual.dayBytes, 1...10_000_000)
        waitingBytes = bytes("waiting_megabytes", usual.waitingBytes, 2...1000)
    }
}

/// The reason why a message of a vehicle is refused although it may be right.
package enum IntakeRefusal: String, Hashable, Sendable, CaseIterable {
    /// The vehicle has added more than it may in a day.
    case day
    /// Too many messages of the vehicle wait.
    case waiting
}

extension IntakeRefusal {
    /// The key of the setting in `limits`.
    var key: String {
        switch self {
        case .day: "day_megabytes"
        case .waiting: "waiting_megabytes"
        }
    }
}
