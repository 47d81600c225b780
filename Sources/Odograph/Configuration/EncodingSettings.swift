import OdographSettings

/// The form in which records are published.
public struct EncodingSettings: Hashable, Sendable {
    /// A form.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Each record is a message of its own, at once.
        case plain
        /// Location records, and all records that are not live, are in batches. Other records are as in `plain`.
        case compact
    }

    /// The form.
    public var mode = Mode.plain
    /// The longest time for which a location record waits for others in its batch, seconds; with `compact`.
    public var batchIntervalSeconds = 60.0
    /// The shortest time between two location records as messages of their own, seconds; with `compact`.
    public var positionIntervalSeconds = 60.0

    /// Creates the default settings.
    public init() {}
}

extension EncodingSettings {
    /// Reads the keys of the form.
    package init(_ reader: inout SettingsReader) {
        self.init()
        mode = reader.choice("encoding", default: mode)
        batchIntervalSeconds = reader.number(
            "batch_interval", default: batchIntervalSeconds, in: 1...3600, unit: "seconds")
        positionIntervalSeconds = reader.number(
            "position_interval", default: positionIntervalSeconds, in: 1...3600, unit: "seconds")
    }
}
