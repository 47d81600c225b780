import OdographHarness
import Testing

@Suite("odograph geofences")
struct GeofencesTests {
    private static let example = Corpora.projectRoot + "/config/geofences.example.geojson"

    private func run(
        _ arguments: [String], input: String = ""
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        try await ChildProcess.run(Odograph.executable, arguments, input: input)
    }

    @Test("The example is valid, and each place is located in its geofences")
    func example() async throws {
        let check = try await run(["geofences", "check", Self.example])
        #expect(check.ending == .exited(0), "\(check.output) \(check.errors)")
        #expect(check.output == "")
        #expect(check.errors.contains("4 geofences are valid"))
        let places = [
            "40.4168,-3.7038", "40.4307,-3.6890", "40.4302,-3.6890", "40.415,-3.71", "-33.9,18.4", "40.4168,356.2962",
        ]
        let expected = "[\"depot\"]\n[]\n[\"customer-17\"]\n[\"old-town\"]\n[]\n[\"depot\"]\n"
        let arguments = try await run(["geofences", "locate", Self.example] + places)
        #expect(arguments.output == expected, "\(arguments.errors)")
        let lines = try await run(
            ["geofences", "locate", Self.example], input: places.joined(separator: "\n") + "\n")
        #expect(lines.output == expected, "\(lines.errors)")
        let wrong = try await run(["geofences", "locate", Self.example], input: "40,-3\n91,0\n")
        #expect(wrong.output == "[]\n")
        #expect(wrong.ending == .exited(65))
        #expect(wrong.errors.contains("line 2: \"91,0\" is not a point"), "\(wrong.errors)")
    }

    @Test("Mistakes are reported with file, line, reason and exit code")
    func mistakes() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            {"type": "FeatureCollection", "features": [
              {"type": "Feature", "id": "b", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"radius": 50}},
              {"type": "Feature", "id": "a", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"radius": 60}},
              {"type": "Feature", "id": "é\\"", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"radius": 60}},
              {"type": "Feature", "id": "c", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"radus": 50}}
            ]}
            """, to: "some.geojson")
        let check = try await run(["geofences", "check", file])
        #expect(check.ending == .exited(65))
        #expect(check.output.contains("\(file):5: \"c\" (line 5, features[3].properties.radus)"), "\(check.output)")
        #expect(check.output.contains("did you mean \"radius\"?"))
        let locate = try await run(["geofences", "locate", file, "2,1"])
        #expect(locate.output == "[\"a\",\"b\",\"é\\\"\"]\n")
        #expect(locate.ending == .exited(0))
        let text = try folder.write("{\"type\": \"FeatureCollection\",\n \"features\": [}", to: "cut.geojson")
        let cut = try await run(["geofences", "check", text])
        #expect(cut.ending == .exited(65))
        #expect(cut.errors.contains(":2:15: "), "\(cut.errors)")
        let cutJSON = try await run(["geofences", "check", text, "--json"])
        let lines = cutJSON.output.split(separator: "\n")
        #expect(cutJSON.ending == .exited(65) && lines.count == 2, "\(cutJSON)")
        #expect(lines.first?.contains("\"problem\":\"\(text):2:15: ") == true, "\(cutJSON.output)")
        #expect(lines.last == "{\"errors\":1,\"file\":\"\(text)\",\"geofences\":0,\"is_valid\":false}")
        let missing = try await run(["geofences", "check", folder.file("none.geojson")])
        #expect(missing.ending == .exited(66))
    }
}
