import Odograph
import OdographJSON
import OdographTerminal
import OdographWire

/// Formats recorded locations for output.
public enum LocationFormatter {
    /// Returns a table.
    /// - Parameters:
    ///   - locations: The locations, one per line.
    ///   - width: The maximum number of characters per line, for which columns are dropped; nil: no limit.
    public static func table(_ locations: [LocationEvent], width: Int? = nil) -> String {
        guard let width else { return locations.reduce(TableWriter.headerText) { $0 + TableWriter.line(of: $1) } }
        return TextTable(TableWriter.fittingColumns, rows: locations.map { TableWriter.cells(of: $0) })
            .text(width: width)
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
