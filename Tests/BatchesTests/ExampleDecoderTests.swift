import OdographBatches
import OdographHarness
import OdographJSON
import OdographWire
import Testing

/// The example decoder in Python. The one in JavaScript is the dashboard's, which tests it.
@Suite("The example decoder of batches")
struct ExampleDecoderTests {
    /// The script's output for a record.
    private struct Decoded: Decodable {
        var channel: String
        var payload: String
    }

    private static let script = """
        import json, sys
        sys.path.insert(0, sys.argv[1])
        sys.dont_write_bytecode = True
        import batches
        for path in sys.argv[2:]:
            found = batches.records(open(path, "rb").read())
            print(json.dumps([{"channel": channel, "payload": text.decode()} for channel, text in found]))
        """

    private static let folder = Corpora.projectRoot + "/config"

    private func run(_ paths: [String]) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        try await ChildProcess.run("/usr/bin/python3", ["-c", Self.script, Self.folder] + paths, seconds: 120)
    }

    @Test("It returns the same records as the recorder's decoder")
    func random() async throws {
        let folder = try TemporaryFolder()
        let identity = RandomRecords.identity
        var batches: [[BatchRecord]] = []
        var paths: [String] = []
        for seed in 0..<60 {
            var generator = RandomRecords(seed: UInt64(1000 + seed))
            // The decoder's spelling of numbers can be longer.
            let records = generator.batch(1...60, share: 0.8)
            let encoder = BatchEncoder(
                deviceID: "van-7", epoch: identity.epoch, seed: seed.isMultiple(of: 3) ? nil : identity.seed)
            paths.append(try folder.write(try #require(encoder.message(of: records)), to: "\(seed)"))
            batches.append(records)
        }
        let (ending, output, errors) = try await run(paths)
        #expect(ending == .exited(0), "\(errors)")
        let lines = output.split(separator: "\n")
        #expect(lines.count == batches.count)
        for (line, records) in zip(lines, batches) {
            let decoded = try JSONCoder.decode([Decoded].self, from: Array(line.utf8))
            #expect(decoded.count == records.count)
            for (found, record) in zip(decoded, records) {
                #expect(found.channel == record.channel.rawValue)
                // The numbers can have another spelling.
                let expected = try? JSONCoder.decode(JSONValue.self, from: record.payload)
                let payload = Array(found.payload.utf8)
                if let expected {
                    #expect(try JSONCoder.decode(JSONValue.self, from: payload) == expected)
                } else {
                    #expect(payload == record.payload)
                }
            }
        }
    }

    @Test("It refuses each hostile message, within 300 MB and a minute for all of them")
    func hostile() async throws {
        let script = """
            import base64, json, resource, sys, zlib
            sys.path.insert(0, sys.argv[1])
            sys.dont_write_bytecode = True
            import batches
            resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            for case in json.load(open(sys.argv[2])):
                document, message = case.get("document"), case.get("message")
                payload = zlib.compress(document.encode()) if message is None else base64.b64decode(message)
                try:
                    batches.records(payload)
                except ValueError:
                    continue
                print(case["name"])
            print("all")
            """
        let (ending, output, errors) = try await ChildProcess.run(
            "/usr/bin/python3", ["-c", script, Self.folder, HostileBatch.path], seconds: 300)
        #expect(ending == .exited(0) && output == "all\n", "\(output) \(errors)")
    }

    @Test("It refuses damaged, cut and too large messages", arguments: [[0x78], [], Array("{}".utf8)] as [[UInt8]])
    func damaged(message: [UInt8]) async throws {
        let folder = try TemporaryFolder()
        let (ending, _, errors) = try await run([folder.write(message, to: "batch")])
        #expect(ending == .exited(1))
        // JSONDecodeError is a ValueError.
        #expect(errors.contains("ValueError") || errors.contains("JSONDecodeError"), "\(errors)")
    }
}
