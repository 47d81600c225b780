import OdographGeoJSON
import OdographJSON
import OdographModel
import OdographTracking

/// Checks that any bytes are read or refused with a message, the same in pieces, and that writing keeps geofences.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = outcome(GeofenceReader(bytes))
    var rest = bytes[...]
    let pieceLength = 1 + Int(bytes.first ?? 0) % 13
    let pieces = outcome(
        GeofenceReader { () throws(JSONError) in
            defer { rest = rest.dropFirst(pieceLength) }
            return Array(rest.prefix(pieceLength))
        })
    precondition(whole.fences == pieces.fences && (whole.error == nil) == (pieces.error == nil))
    precondition(whole.problems == pieces.problems)
    if let error = whole.error { precondition(!error.reason.isEmpty && error.line > 0 && error.column > 0) }
    guard whole.error == nil else { return 0 }
    let again = outcome(GeofenceReader(featureCollection(whole.fences.map(GeofenceWriter.feature))))
    precondition(again.fences == whole.fences && again.problems == 0 && again.error == nil)
    let set = GeofenceSet(whole.fences)
    precondition(set.count == whole.fences.count)
    let parts = set.serialized()
    guard let loaded = try? GeofenceSet(attributes: parts.attributes, index: parts.index) else {
        preconditionFailure("a set that was written is refused")
    }
    precondition(loaded.identity == set.identity)
    return 0
}

private func outcome(_ reader: GeofenceReader) -> (fences: [Geofence], problems: Int, error: JSONError?) {
    var reader = reader
    var (fences, problems) = ([Geofence](), 0)
    do throws(JSONError) {
        while let item = try reader.next() {
            switch item {
            case .geofence(let fence): fences.append(fence)
            case .problems(let more):
                precondition(!more.isEmpty)
                for problem in more { precondition(!problem.reason.isEmpty && problem.description.utf8.count < 4000) }
                problems += more.count
            }
        }
    } catch {
        return (fences, problems, error)
    }
    return (fences, problems, nil)
}
