import CGEOS
import OdographGeodesy
import Measuring

let fences = 100_000
let workload = try Workload(fences: fences, fixes: 200_000, seed: 1)
print("fences \(fences), vertices in the mean \(Double(workload.vertexCount) / Double(fences))")

let before = odograph_allocated_bytes()
var index = ShapeIndex(workload.shapes)
line("index: memory a fence, allocator", (odograph_allocated_bytes() - before) / Double(fences), "B")
let geosBefore = odograph_allocated_bytes()
let geosStart = seconds()
guard let geos = GEOSFences(workload) else { fatalError("GEOS does not start") }
line("GEOS: build", (seconds() - geosStart) * 1e3, "ms")
line("GEOS: memory a fence, before first use", (odograph_allocated_bytes() - geosBefore) / Double(fences), "B")
line("index: build", median(of: 5) { _ = ShapeIndex(workload.shapes) } * 1e3, "ms")

for (name, fixes) in [("a drive", workload.drive), ("scattered fixes", workload.scattered)] {
    var found = 0
    var others = 0
    let own = median(of: 7) {
        found = 0
        for fix in fixes { index.forEachContaining(fix) { _ in found += 1 } }
    }
    let theirs = median(of: 5) {
        others = 0
        for fix in fixes { others += geos.count(fix) }
    }
    line("index: fences around a fix, \(name)", own / Double(fixes.count) * 1e9, "ns")
    line("GEOS: the same", theirs / Double(fixes.count) * 1e9, "ns")
    print("   found \(found), GEOS \(others) (its circles are polygons)")
}

MonitorBenchmark(workload).report()

var candidates: [Int] = []
candidates.reserveCapacity(1_000)
let crossing = median(of: 5) {
    for position in 1..<workload.drive.count {
        index.findCandidates(from: workload.drive[position - 1], to: workload.drive[position], into: &candidates)
    }
}
line("index: fences by the way between two fixes", crossing / Double(workload.drive.count) * 1e9, "ns")

let data = index.serialized()
line("index: bytes a fence in its file", Double(data.count) / Double(fences), "B")
var loaded = 0
line("index: load", try median(of: 7) { loaded = try ShapeIndex(serialized: data).count } * 1e3, "ms")
let extra = try Workload(fences: 10_000, fixes: 0, seed: 2)
var slots: [Int] = []
line("index: add one", median(of: 1) { for shape in extra.shapes { slots.append(index.add(shape)) } } / 1e4 * 1e6, "µs")
line("index: remove one", median(of: 1) { for slot in slots { index.remove(slot) } } / 1e4 * 1e6, "µs")

let center = workload.drive[0]
let stacked = ShapeIndex(Array(repeating: Shape.circle(try Circle(center: center, radiusMeters: 100)), count: 1_000))
var inside = 0
line(
    "1,000 fences on one place: a fix in them all",
    median(of: 7) {
        for _ in 0..<1_000 { stacked.forEachContaining(center) { _ in inside += 1 } }
    } / 1e3 * 1e9, "ns")
var random = SplitMix64(seed: 3)
let ring = (0..<10_000).map {
    center.destination(
        headingDegrees: Double($0) * 0.036, distanceMeters: 20_000 * .random(in: 0.9...1, using: &random))
}
let large = ShapeIndex([.polygon(try Polygon(rings: [ring]))])
let around = (0..<10_000).map { _ in
    center.destination(
        headingDegrees: .random(in: 0...360, using: &random), distanceMeters: .random(in: 0...22_000, using: &random))
}
line(
    "a fence of 10,000 points: a fix in or near it",
    median(of: 7) {
        for fix in around { large.forEachContaining(fix) { _ in inside += 1 } }
    } / 1e4 * 1e9, "ns")
line(
    "its edge's distance from a fix",
    median(of: 5) {
        for fix in around where large.signedDistanceMeters(0, to: fix) < 0 { inside += 1 }
    } / 1e4 * 1e9, "ns")

var meters = 0.0
line(
    "distance, 20 m",
    median(of: 7) {
        for position in 1..<workload.drive.count {
            meters += workload.drive[position].distanceMeters(to: workload.drive[position - 1])
        }
    } / Double(workload.drive.count) * 1e9, "ns")
line(
    "distance, geodesic",
    median(of: 5) {
        for position in 1..<20_000 {
            meters += workload.scattered[position].distanceMeters(to: workload.scattered[position - 1])
        }
    } / 2e4 * 1e9, "ns")
print(inside > 0 && meters > 0 && loaded == fences ? "done" : "wrong")
