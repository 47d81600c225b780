import Odograph
import OdographGeoJSON
import OdographGeodesy
import OdographModel
import OdographTerminal

/// A table of the geofences of a set.
package struct GeofenceTable {
    private let fences: [Geofence]
    private let document: DesiredDocument
    /// The number of geofences that no vehicle uses, because they are wrong.
    private let wrongCount: Int

    /// Reads a set.
    /// - Parameters:
    ///   - payload: GeoJSON.
    ///   - document: What is known of it.
    /// - Throws: `ExitError` if it is no GeoJSON.
    package init(_ payload: [UInt8], _ document: DesiredDocument) throws(ExitError) {
        self.document = document
        var (fences, wrong): ([Geofence], Int) = ([], 0)
        do {
            var reader = GeofenceReader(payload)
            while let item = try reader.next() {
                switch item {
                case .geofence(let fence): fences.append(fence)
                case .problems: wrong += 1
                }
            }
        } catch {
            throw ExitError(.dataError, "the set at the broker: \(error.lineAndColumn): \(error.reason)".printable)
        }
        (self.fences, wrongCount) = (
            fences.sorted { NaturalSortKey($0.identifier) < NaturalSortKey($1.identifier) }, wrong
        )
    }

    /// Returns the table, below a line about the set.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    package func text(width: Int?) -> String {
        let wrong = wrongCount > 0 ? ", and \(wrongCount) wrong" : ""
        let head =
            "\(Format.count(fences.count, "geofence", "geofences"))\(wrong) in set #\(document.hash.prefix(7)) "
            + "from \(document.sender ?? "an unnamed sender")"
        let table = TextTable(
            [
                .init("GEOFENCE"), .init("SHAPE"), .init("NEAR", dropOrder: 2), .init("NAME", dropOrder: 1),
                .init("SIGNIFICANCE", dropOrder: 3),
            ],
            rows: fences.map { fence in
                [
                    fence.identifier, fence.shape.words, fence.shape.place, fence.rule.name ?? "",
                    fence.rule.significance ?? "",
                ]
            })
        let lines = Format.wrapped(head.printable, width: width, indentation: 2)
        return lines.map { $0 + "\n" }.joined() + (fences.isEmpty ? "" : table.text(width: width))
    }

    /// One Feature of GeoJSON per line.
    package var jsonLines: String {
        fences.map { String(decoding: GeofenceWriter.feature($0), as: UTF8.self) + "\n" }.joined()
    }
}

extension Shape {
    /// The kind and the size: `circle 100 m`.
    fileprivate var words: String {
        switch self {
        case .circle(let circle): "circle \(Format.distance(circle.radiusMeters))"
        case .corridor(let corridor): "corridor \(Format.distance(corridor.halfWidthMeters))"
        case .polygon(let polygon):
            "polygon of \(Format.count(polygon.polygons.reduce(0) { $0 + ($1.first?.count ?? 1) - 1 }, "corner", "corners"))"
        }
    }

    /// The centre or the first position: latitude, longitude.
    fileprivate var place: String {
        let position: Coordinate? =
            switch self {
            case .circle(let circle): circle.center
            case .corridor(let corridor): corridor.path.first
            case .polygon(let polygon): polygon.polygons.first?.first?.first
            }
        return position.map {
            "\($0.latitudeDegrees.formatted(decimals: 4)), \($0.longitudeDegrees.formatted(decimals: 4))"
        } ?? ""
    }
}
