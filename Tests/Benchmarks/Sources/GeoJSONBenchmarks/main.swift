import OdographGeoJSON
import OdographGeodesy
import OdographJSON
import Measuring
import OdographModel
import OdographTracking

/// Reads a document into a set, and returns the number of geofences and of problems.
func read(_ document: [UInt8], inPiecesOf count: Int, into set: inout GeofenceSet?) throws -> (fences: Int, wrong: Int)
{
    var place = 0
    var reader = GeofenceReader { () throws(JSONError) in
        let end = min(place + count, document.count)
        defer { place = end }
        return Array(document[place..<end])
    }
    var (good, wrong) = (0, 0)
    while let item = try reader.next() {
        switch item {
        case .geofence(let fence):
            good += 1
            set?.add(fence)
        case .problems: wrong += 1
        }
    }
    return (good, wrong)
}

/// The number of geofences. Another number as the first argument makes a short run.
let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
for outline in [Outline.star, .bay] {
    let document = featureCollection(try fences(count, outline, seed: 1).map(GeofenceWriter.feature))
    let megabytes = Double(document.count) / 1e6
    print("a document of \(count) fences (\(outline)): \((megabytes * 10).rounded() / 10) MB")
    var outcome = (fences: 0, wrong: 0)
    var none: GeofenceSet?
    let reading = try median(of: 3) { outcome = try read(document, inPiecesOf: 1 << 18, into: &none) }
    line("read and check", megabytes / reading, "MB/s")
    line("read and check, a fence", reading / Double(count) * 1e6, "µs")
    let taking = try median(of: 3) {
        var set: GeofenceSet? = GeofenceSet()
        _ = try read(document, inPiecesOf: 1 << 18, into: &set)
    }
    line("read, check and enter in a set", megabytes / taking, "MB/s")
    print("   \(outcome.fences) good, \(outcome.wrong) wrong")
}

var set = GeofenceSet(try fences(count, .star, seed: 1))
set.compact()
let (attributes, index) = set.serialized()
line("set: bytes a fence in its file", Double(attributes.count + index.count) / Double(count), "B")
var loaded = 0
let loading = try median(of: 7) { loaded = try GeofenceSet(attributes: attributes, index: index).count }
line("set: load", loading * 1e3, "ms")
line("set: to bytes", median(of: 5) { _ = set.serialized() } * 1e3, "ms")
let extra = try fences(10_000, .star, seed: 2).map {
    Geofence(identifier: "extra-" + $0.identifier, shape: $0.shape, rule: $0.rule)
}
line("set: add one", median(of: 1) { for fence in extra { set.add(fence) } } / 1e4 * 1e6, "µs")
line(
    "set: find one by its identifier",
    median(of: 3) { for fence in extra { _ = set.slot(of: fence.identifier) } } / 1e4 * 1e9, "ns")
line("set: remove one", median(of: 1) { for fence in extra { set.remove(fence.identifier) } } / 1e4 * 1e6, "µs")

/// Returns a comb with thousands of long teeth, the worst case for a search for crossings.
func comb(teeth: Int) -> String {
    var points: [String] = []
    for tooth in 0..<teeth {
        let x = Double(tooth) * 1e-4
        points.append("[\(x),0.0],[\(x + 1),1.0],[\(x + 0.00005 + 1),1.0],[\(x + 0.00005),0.0]")
    }
    let last = Double(teeth) * 1e-4
    return points.joined(separator: ",") + ",[\(last),-0.1],[0.0,-0.1],[0.0,0.0]"
}
for teeth in [2_500, 24_000] {
    let text =
        "{\"type\":\"Feature\",\"id\":\"comb\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[\(comb(teeth: teeth))]]}}"
    var outcome = (fences: 0, wrong: 0)
    var none: GeofenceSet?
    let time = try median(of: 1) { outcome = try read(Array(text.utf8), inPiecesOf: 1 << 18, into: &none) }
    line("a comb of \(teeth * 4) points: read and check", time * 1e3, "ms")
    print("   \(outcome.fences) good, \(outcome.wrong) wrong")
}

/// A geofence of a million points, and a document with one long string: neither is kept in memory.
for (name, inner) in [
    ("a fence of 1,000,000 points", "[[" + repeatElement("[1.5,2.5]", count: 1_000_000).joined(separator: ",") + "]]"),
    ("a string of 100 MB", "\"" + String(repeating: "x", count: 100_000_000) + "\""),
    ("nested 10,000 deep", String(repeating: "[", count: 10_000)),
] {
    let text = "{\"type\":\"Feature\",\"id\":\"a\",\"geometry\":{\"type\":\"Polygon\",\"coordinates\":\(inner)}}"
    let bytes = Array(text.utf8)
    let before = residentBytes()
    var words = "refused"
    var none: GeofenceSet?
    let time = median(of: 1) {
        do { words = "\(try read(bytes, inPiecesOf: 1 << 18, into: &none).wrong) wrong" } catch { words = "\(error)" }
    }
    line(name + ": to an answer", time * 1e3, "ms")
    line("   memory beside the document", Double(max(0, residentBytes() - before)) / 1e6, "MB")
    print("   \(words)")
}
print(loaded == count ? "done" : "wrong")
