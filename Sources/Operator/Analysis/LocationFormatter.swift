import Odograph
import OdographJSON
import OdographWire

/// Formats recorded locations for output.
public enum LocationFormatter {
    /// Returns a table.
    public static func table(_ locations: [LocationEvent]) -> String {
        locations.reduce(TableWriter.headerText) { $0 + TableWriter.line(of: $1) }
    }

    /// Returns one location event per line, as in the payload of the channel `location`.
    public static func jsonLines(_ locations: [LocationEvent]) throws -> String {
        try locations.map { try JSONCoder.string(of: $0) + "\n" }.joined()
    }
}

extension OdometerReading {
    /// Returns `{"odometer":12345.6,"odometer_error":18.1}`, in metres.
    public func json() throws -> String {
        try JSONCoder.string(
            of: JSONValue.object(["odometer": .number(meters), "odometer_error": .number(errorMeters)])) + "\n"
    }
}
