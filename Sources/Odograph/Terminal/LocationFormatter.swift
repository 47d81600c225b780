import OdographJSON
import Wire

/// Recorded locations as a command prints them.
public enum LocationFormatter {
    /// A table for a person.
    public static func table(_ locations: [LocationEvent]) -> String {
        locations.reduce(TableWriter.headerText) { $0 + TableWriter.line(of: $1) }
    }

    /// One location event a line, as in the payload of the channel `location`.
    public static func jsonLines(_ locations: [LocationEvent]) throws -> String {
        try locations.map { try JSONCoder.string(of: $0) + "\n" }.joined()
    }
}

extension OdometerReading {
    /// `{"odometer":12345.6,"odometer_error":18.1}`, metres.
    public func json() throws -> String {
        try JSONCoder.string(
            of: JSONValue.object(["odometer": .number(meters), "odometer_error": .number(errorMeters)])) + "\n"
    }
}
