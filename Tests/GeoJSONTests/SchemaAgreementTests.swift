import OdographGeoJSON
import OdographHarness
import OdographJSON
import Testing

/// The reader refuses what the geofence schemas refuse, and accepts what they accept.
@Suite("Agreement of the geofence schemas and the reader", .serialized)
struct SchemaAgreementTests {
    private static let bases = [
        #"{"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[-3.7,40.4]},"properties":{"radius":50}}"#,
        #"{"type":"Feature","id":"a","geometry":{"type":"LineString","coordinates":[[-3.7,40.4],[-3.6,40.5]]}"#
            + #","properties":{"corridor":20,"extras":{"a":1}}}"#,
        #"{"type":"Feature","id":"a","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}"#,
        #"{"type":"Feature","id":"a","geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}}"#,
    ]
    /// Rules that a schema cannot express: there is an identifier, possibly in the topic, and two must not differ.
    private static let beyondSchemas = ["needs an identifier", "say one of the two"]

    private func problems(of payload: String) -> [String] {
        do throws(JSONError) {
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

    @Test("Reader and schema agree on every key with right and with wrong values", arguments: bases)
    func agreement(base: String) throws {
        for candidate in try ContractValidator.running().cases(schema: "geofence", base: base) {
            let problems = problems(of: candidate.payload).filter { problem in
                !Self.beyondSchemas.contains { problem.contains($0) }
            }
            #expect(candidate.errors.isEmpty == problems.isEmpty, "\(candidate) \(problems)")
        }
    }
}
