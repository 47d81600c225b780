import Glibc
import OdographHarness
import Testing

@Suite("odograph analyze")
struct AnalyzeTests {
    private func capture(_ folder: TemporaryFolder, seconds: Int = 300) throws -> String {
        try folder.write(Odograph.drive(seconds: seconds), to: "drive.jsonl")
    }

    @Test("The output has a line for each record, with its channel and the exact published payload")
    func jsonLines() async throws {
        let folder = try TemporaryFolder()
        let ran = try await Odograph.run("analyze", try capture(folder))
        #expect(ran.code == 0)
        #expect(ran.lines.count > 10)
        for line in ran.lines {
            let isRecord = ["location", "timeline"].contains {
                line.hasPrefix("{\"channel\":\"\($0)\",\"payload\":{\"device_id\":\"analysis\",\"\($0)")
            }
            #expect(isRecord, "\(line)")
            #expect(line.hasSuffix("}}}"))
        }
        #expect(ran.errorLines.first == "300 fixes read from 300 lines")
        #expect(ran.errors.contains("distance 2."))
    }

    @Test(
        "An impossible number is omitted, and every record is complete",
        arguments: ["1e308", "-1e308", "1e39"])
    func absurd(altitude: String) async throws {
        let folder = try TemporaryFolder()
        let lines = Odograph.drive(seconds: 300).replacing("\"speed\"", with: "\"altMSL\":\(altitude),\"speed\"")
        let ran = try await Odograph.run("analyze", try folder.write(lines, to: "drive.jsonl"))
        #expect(ran.code == 0, "\(ran.errors)")
        #expect(ran.lines.count > 10 && ran.lines.allSatisfy { $0.hasSuffix("}}}") && !$0.contains("\"altitude\":1") })
    }

    @Test("A simulated drive can be analyzed with the log of its vehicle, and its locations have the vehicle's signals")
    func simulated() async throws {
        let folder = try TemporaryFolder()
        let log = folder.file("drive.log")
        let drive = try await Odograph.run("simulate", "--seed", "3", "--duration", "900", "--vehicle-log", log)
        #expect(drive.code == 0 && drive.lines.count == 901, "\(drive.errors)")
        let capture = try folder.write(drive.lines.joined(separator: "\n"), to: "drive.jsonl")
        let ran = try await Odograph.run("analyze", capture, "--vehicle-log", log)
        #expect(ran.code == 0, "\(ran.errors)")
        #expect(ran.lines.contains { $0.contains(#""vehicle":{"#) && $0.contains(#""odometer":12000"#) })
        let refused = try await Odograph.run("simulate", "--vehicle-log", folder.file("none/drive.log"))
        #expect(refused.code == 73 && refused.errors.contains("none/drive.log: No such file or directory"))
        for (option, value) in [("--duration", "0"), ("--counter-scale", "3"), ("--from", "yesterday")] {
            #expect(try await Odograph.run("simulate", option, value).code == 64, "\(option)")
        }
    }

    @Test("The output is the same in every run")
    func repeatable() async throws {
        let folder = try TemporaryFolder()
        let path = try capture(folder)
        let first = try await Odograph.run("analyze", path)
        let second = try await Odograph.run("analyze", path)
        #expect(first.output == second.output)
        #expect(first.errors == second.errors)
    }

    @Test("The output can be a table or a GeoJSON document")
    func formats() async throws {
        let folder = try TemporaryFolder()
        let path = try capture(folder)
        let table = try await Odograph.run("analyze", path, "--format", "table", "--quiet")
        #expect(table.lines.first?.hasPrefix("time (UTC)") == true)
        #expect(table.output.contains("2026-11-21 00:00:00"))
        #expect(table.errors.isEmpty)
        let map = try await Odograph.run("analyze", path, "--format", "geojson")
        #expect(map.output.hasPrefix("{\"type\":\"FeatureCollection\",\"features\":["))
        #expect(map.output.contains("\"LineString\""))
        #expect(map.output.hasSuffix("]}\n"))
    }

    @Test("The tracking settings come from a whole configuration or from a document with tracking only")
    func configurations() async throws {
        let folder = try TemporaryFolder()
        let path = try capture(folder)
        let tracking = "tracking: { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }"
        let whole = try folder.write(
            "{ fleet: \"a\", device: \"van-7\", broker: { url: \"mqtt://localhost\" }, \(tracking) }",
            to: "whole.json5")
        let part = try folder.write("{ version: \"1\", \(tracking) }", to: "part.json5")
        let ofWhole = try await Odograph.run("analyze", path, "--config", whole)
        let ofPart = try await Odograph.run("analyze", path, "--config", part)
        #expect(ofWhole.lines.count >= 290)
        #expect(ofPart.lines.count == ofWhole.lines.count)
        #expect(ofWhole.output.contains("\"device_id\":\"van-7\""))
        let wrong = try folder.write("{ tracking: { samplng: {} }, x: 1 }", to: "wrong.json5")
        let refused = try await Odograph.run("analyze", path, "--config", wrong)
        #expect(refused.code == 78)
        #expect(refused.output.isEmpty)
        #expect(
            refused.errorLines == [
                "\(wrong): tracking.samplng: unknown key; did you mean \"sampling\"?",
                "\(wrong): x: unknown key; known keys: tracking, version",
            ])
    }

    @Test(
        "An input that is not a capture is refused with a message and an exit code",
        arguments: [
            ("empty.jsonl", "", 65, "is empty"),
            ("text.jsonl", "Dear reader,\nthis is a letter.\n", 65, "is not a capture"),
            ("nmea.log", "$GPGGA,1\n$GPRMC,2\n", 65, "NMEA"),
            ("half.gpx", "<gpx><trk>", 65, "half.gpx:1:"),
            ("route.gpx", "<gpx><rte><rtept lat=\"1\" lon=\"2\"/></rte></gpx>", 65, "no track point"),
            ("no-fix.jsonl", "{\"class\":\"TPV\",\"mode\":1}\n", 65, "no position in its"),
            (
                "no-time.jsonl",
                "{\"class\":\"TPV\",\"mode\":3,\"lat\":48,\"lon\":16}\n{\"class\":\"TPV\",\"mode\":3,\"lat\":48,\"lon\":16}\n",
                65,
                "2 of its 2 lines have no \"time\""
            ),
        ])
    func notACapture(name: String, text: String, code: Int32, sentence: String) async throws {
        let folder = try TemporaryFolder()
        let ran = try await Odograph.run("analyze", try folder.write(text, to: name), "--format", "geojson")
        #expect(ran.code == code)
        #expect(ran.output.isEmpty)
        #expect(ran.errors.contains(sentence), "\(ran.errors)")
        #expect(ran.errors.hasPrefix("odograph: \(folder.path)/"))
    }

    @Test("A missing file and a folder are reported as unreadable")
    func noInput() async throws {
        let folder = try TemporaryFolder()
        #expect(try await Odograph.run("analyze", folder.file("none")).code == 66)
        #expect(try await Odograph.run("analyze", folder.path).code == 66)
        #expect(try await Odograph.run("analyze").code == 64)
        #expect(try await Odograph.run("analyze", "x", "--format", "pdf").code == 64)
    }

    @Test("Truncated, binary and endless lines are counted and skipped")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let good = Array(Odograph.drive(seconds: 100).utf8)
        var bytes = good[..<5000] + Array("\n".utf8) + (0...255).map { UInt8($0) }
        bytes += Array("\n{\"class\":\"TPV\",\"x\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 3_000_000)
        bytes += Array("\"}\n".utf8) + good[5000...]
        let path = try folder.write(Array(bytes), to: "damaged.jsonl")
        let ran = try await Odograph.run("analyze", path)
        #expect(ran.code == 0)
        #expect(ran.errors.contains("overlong line 1"), "\(ran.errors)")
        #expect(ran.errors.contains("malformed line"))
        #expect(ran.errors.contains("9"))
    }

    /// The thread sanitizer needs more address space than any limit allows.
    private static let isSanitized = dlsym(nil, "__tsan_init") != nil

    @Test("The memory does not grow with the file", .disabled(if: isSanitized, "the sanitizer needs more itself"))
    func memory() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("endless.jsonl")
        // The file ends with a hole of 200 MB. It counts as one line and takes no space on the disk.
        try folder.write(Odograph.drive(seconds: 60), to: "endless.jsonl")
        #expect(truncate(path, 200 << 20) == 0)
        // `ulimit -v` would limit the whole address space, which is far larger than the memory in use.
        let ran = try await ChildProcess.run(
            "sh", ["-c", "ulimit -d 150000; exec \"$0\" analyze \"$1\"", Odograph.executable, path])
        #expect(ran.ending == .exited(0))
        #expect(ran.errors.contains("overlong line 1"), "\(ran.errors)")
    }

    @Test("A write error of the output is reported")
    func fullOutput() async throws {
        let folder = try TemporaryFolder()
        let ran = try await ChildProcess.run(
            "sh", ["-c", "exec \"$0\" analyze \"$1\" > /dev/full", Odograph.executable, try capture(folder)])
        #expect(ran.ending == .exited(74))
        #expect(ran.errors.contains("cannot write the output"))
    }
}
