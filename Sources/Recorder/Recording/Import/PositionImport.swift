import OdographCivilTime
import OdographWire

/// An import of positions that another program recorded. It runs beside the recorder. The same import again stores
/// nothing twice, so an interrupted one is begun again.
package struct PositionImport {
    /// The number of positions of a transaction. The recorder waits for its end.
    private static let batchSize = 500

    private let vehicle: DeviceAddress
    private let skipsUnreadable: Bool

    /// - Parameters:
    ///   - vehicle: The vehicle.
    ///   - skipsUnreadable: Whether to leave out positions that cannot be read. Otherwise they stop the import before
    ///     it stores anything.
    package init(vehicle: DeviceAddress, skipsUnreadable: Bool) {
        (self.vehicle, self.skipsUnreadable) = (vehicle, skipsUnreadable)
    }

    /// Reads a file and stores nothing.
    /// - Returns: The counts; `stored` is the number of readable positions.
    /// - Throws: ``ImportFailure`` with the first position that cannot be read, or if there is none.
    package func check(_ file: ImportedFile) throws -> ImportCounts {
        var counts = ImportCounts()
        try file.forEach { number, line in
            switch line {
            case .position(let position):
                counts.stored += 1
                counts.note(position.time)
            case .other: counts.others += 1
            case .unreadable(let reason):
                if reason.isOfAllLines { throw ImportFailure(.contents, file.path, line: number, reason.reason) }
                guard skipsUnreadable else {
                    throw ImportFailure(
                        .contents, file.path, line: number,
                        "\(reason.reason); correct the line, or leave out such lines with --skip-invalid")
                }
                counts.unreadable += 1
            }
        }
        guard counts.stored > 0 else {
            throw ImportFailure(.contents, file.path, "no position in it, read as \(file.format.rawValue)")
        }
        return counts
    }

    /// Stores the positions of files, after all of them were read once.
    /// - Parameters:
    ///   - files: The files.
    ///   - location: The database.
    ///   - report: Takes the counts of each file when it is stored.
    /// - Throws: ``ImportFailure``, ``DatabaseFailure``, or the error of `report`.
    package func run(
        _ files: [ImportedFile], into location: DatabaseLocation,
        report: (ImportedFile, ImportCounts) throws -> Void
    ) throws {
        try inBatches(files, in: location, report: report) { table, positions, format in
            try table.insert(positions, format, of: vehicle, at: .now)
        }
    }

    /// Removes the positions of files that an import of the same files has stored. They can be imported again, for
    /// example into another vehicle or with another zone.
    /// - Parameters: as for ``run(_:into:report:)``.
    package func remove(
        _ files: [ImportedFile], from location: DatabaseLocation,
        report: (ImportedFile, ImportCounts) throws -> Void
    ) throws {
        try inBatches(files, in: location, report: report) { table, positions, _ in
            try table.remove(positions, of: vehicle)
        }
    }

    /// Passes the positions of files in batches, after all files were read once.
    private func inBatches(
        _ files: [ImportedFile], in location: DatabaseLocation, report: (ImportedFile, ImportCounts) throws -> Void,
        _ body: (ImportTable, [ImportedPosition], ImportFormat) throws -> ImportCounts
    ) throws {
        for file in files { _ = try check(file) }
        let table = try ImportTable(location)
        for file in files {
            var (counts, batch): (ImportCounts, [ImportedPosition]) = (ImportCounts(), [])
            func store() throws {
                counts.add(try body(table, batch, file.format))
                batch.removeAll(keepingCapacity: true)
            }
            try file.forEach { _, line in
                switch line {
                case .position(let position):
                    batch.append(position)
                    counts.note(position.time)
                case .other: counts.others += 1
                case .unreadable: counts.unreadable += 1
                }
                if batch.count == Self.batchSize { try store() }
            }
            try store()
            try report(file, counts)
        }
    }
}
