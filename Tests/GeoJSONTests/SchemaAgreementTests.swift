import GeoJSON
import Harness
import OdographJSON
import Testing

/// What the schemas of geofences refuse is refused by the reader, and what they let pass it takes.
@Suite("The schema of geofences and the reader", .serialized)
struct SchemaAgreementTests {
    private static let bases = [
        #"{"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[-3.7,40.4]},"properties":{"radius":50}}"#,
        #"{"type":"Feature","id":"a","geometry":{"type":"LineString","coordinates":[[-3.7,40.4],[-3.6,40.5]]}"#
            + #","properties":{"corridor":20,"extras":{"a":1}}}"#,
        #"{"type":"Feature","id":"a","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}"#,
        #"{"type":"Feature","id":"a","geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}}"#,
    ]
    /// What no schema can say: that there is an identifier, be it in the topic, and that two do not say different things.
    private static let beyondSchemas = ["needs an identifier", "say one of the two"]

    private func problems(of payload: String) -> [String] {
        do throws(GeoJSONError) {
            var problems: [String] = []
            var reader = GeofenceReader(Array(payload.utf8))
            while let item = try reader.next() {
                if case .problems(let found) = item { problems += found.map { "\($0.path): \($0.reason)" } }
            }
            return problems
        } catch {
            return ["\(error)"]
        }
    }

    @Test("Every key with right and with wrong values", arguments: bases)
    func agreement(base: String) throws {
        for candidate in try ContractValidator.running().cases(schema: "geofence", base: base) {
            let problems = problems(of: candidate.payload).filter { problem in
                !Self.beyondSchemas.contains { problem.contains($0) }
            }
            #expect(candidate.errors.isEmpty == problems.isEmpty, "\(candidate) \(problems)")
        }
    }
}
