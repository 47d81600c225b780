import OdographCivilTime
import OdographTerminal

/// An export of the records of a vehicle. It reads a page at a time: the memory does not depend on the number of
/// records, and a slow reader of the output does not hold a transaction, which would let the write-ahead log grow.
package struct RecordExport: Sendable {
    /// The number of records that are in memory.
    private static let pageSize = 1000

    private let vehicle: ArchivedVehicle
    private let times: Range<Timestamp>
    private let format: ExportFormat
    private let pageSize: Int

    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - times: The times of the records, from the lower bound to before the upper one.
    ///   - format: The format of the output.
    package init(_ vehicle: ArchivedVehicle, in times: Range<Timestamp>, as format: ExportFormat) {
        self.init(vehicle, in: times, as: format, pageSize: Self.pageSize)
    }

    init(_ vehicle: ArchivedVehicle, in times: Range<Timestamp>, as format: ExportFormat, pageSize: Int) {
        self.vehicle = vehicle
        self.times = times
        self.format = format
        self.pageSize = pageSize
    }

    /// Writes the export.
    /// - Parameters:
    ///   - database: The database.
    ///   - output: Takes the next bytes.
    /// - Returns: The number of records.
    /// - Throws: ``DatabaseFailure``, or the error of `output`.
    package func write(from database: HistoryDatabase, to output: ([UInt8]) throws -> Void) throws -> Int {
        var writer = format.makeWriter(for: vehicle)
        var place: ArchivedRecord.Place?
        var count = 0
        try output(writer.header())
        while true {
            let page = try database.records(
                of: vehicle, in: times, after: place, isTrack: writer.isTrack, hasPayload: true, limit: pageSize)
            for record in page { try output(try writer.bytes(of: record)) }
            count += page.count
            guard let last = page.last, page.count == pageSize else { break }
            place = last.place
        }
        count += try writeConflicts(writer, from: database, to: output)
        try output(writer.footer())
        return count
    }

    /// Writes the records whose numbers other records have, in a format that has all records.
    private func writeConflicts(
        _ writer: some RecordWriter, from database: HistoryDatabase, to output: ([UInt8]) throws -> Void
    ) throws -> Int {
        guard !writer.isTrack else { return 0 }
        var (last, count) = (Int64(0), 0)
        while true {
            let page = try database.conflicts(of: vehicle, after: last, limit: pageSize)
            guard let end = page.last else { return count }
            for conflict in page where conflict.content?.overlaps(times) ?? true {
                try output(RecordLine.conflictLine(conflict.channel, payload: conflict.payload))
                count += 1
            }
            last = end.key
        }
    }
}
