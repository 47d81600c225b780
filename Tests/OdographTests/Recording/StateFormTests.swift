import FoundationEssentials
import Glibc
import OdographHarness
import OdographModel
import OdographTracking
import Testing

@testable import Odograph

/// Compares the saved state with the golden files of `Tests/States`. Each change of the keys increases
/// `StateSnapshot.form` and records the files again:
///
///     ODOGRAPH_RECORD=1 swift test --filter StateFormTests; git diff Tests/States
@Suite("The form of the saved state")
struct StateFormTests {
    private static func path(_ scene: StateScene) -> String { "\(Corpora.projectRoot)/Tests/States/\(scene).json" }

    private static func saved(_ tracker: Tracker) throws -> [UInt8] {
        try StateSnapshot.encode(tracker.disclose(tracker), sourceOrdinal: 7)
    }

    private static func snapshot(_ text: String) throws -> StateSnapshot { try StateSnapshot(bytes: Array(text.utf8)) }

    @Test("The agent writes the golden files", arguments: StateScene.allCases)
    func written(scene: StateScene) throws {
        let text = Self.readable(try Self.saved(try scene.tracker()))
        let path = Self.path(scene)
        if getenv("ODOGRAPH_RECORD") != nil { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        let golden = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let lines = text.split(separator: "\n")
        let difference = zip(golden, lines).first { $0 != $1 }
        #expect(golden == lines, "\(difference.map { "\($0) was recorded, \($1) is written" } ?? "other length")")
    }

    @Test("A written state is read back unchanged", arguments: StateScene.allCases)
    func unchanged(scene: StateScene) throws {
        let tracker = try scene.tracker()
        let bytes = try Self.saved(tracker)
        let saved = try StateSnapshot(bytes: bytes)
        #expect(saved.tracker == tracker && saved.sourceOrdinal == 7)
    }

    @Test("A golden file continues as it was", arguments: StateScene.allCases)
    func resumed(scene: StateScene) throws {
        let saved = try Self.snapshot(try String(contentsOfFile: Self.path(scene), encoding: .utf8))
        #expect(saved.sourceOrdinal == 7)
        try Self.expectContinued(saved.tracker, scene)
    }

    @Test("A state of any other form is refused, whatever else it contains", arguments: [-1, 0, 1, 8, 9, 99])
    func otherForm(form: Int) throws {
        let head = "\"form\":\(StateSnapshot.form)"
        let text = try String(contentsOfFile: Self.path(.trip), encoding: .utf8)
        let other = text.split(separator: head, maxSplits: 1).joined(separator: "\"form\":\(form)")
        try #require(other != text)
        for state in [other, "{\"form\":\(form)}"] {
            #expect(throws: StateSnapshot.Failure.otherForm(form)) { try Self.snapshot(state) }
        }
        let unnumbered = text.split(separator: head + ",", maxSplits: 1).joined()
        try #require(unnumbered.count < text.count)
        #expect(throws: StateSnapshot.Failure.unreadable) { try Self.snapshot(unnumbered) }
    }

    @Test("A state with an unreadable or missing part is unreadable", arguments: StateScene.allCases)
    func unreadablePart(scene: StateScene) throws {
        let text = String(decoding: try Self.saved(try scene.tracker()), as: UTF8.self)
        for part in ["odometer", "counters", "movement", "sampler", "reach"] {
            let other = text.split(separator: "\"\(part)\":", maxSplits: 1).joined(
                separator: "\"\(part)\":[],\"mood\":")
            #expect(throws: StateSnapshot.Failure.unreadable) { try Self.snapshot(other) }
        }
    }

    @Test(
        "A text that is no state is unreadable",
        arguments: ["", "{}", "{", "[1]", "{\"form\":\(StateSnapshot.form),\"source_ordinal\":7}", "{\"form\":\"9\"}"])
    func unreadable(text: String) {
        #expect(throws: StateSnapshot.Failure.unreadable) { try Self.snapshot(text) }
    }

    private static func expectContinued(_ saved: Tracker, _ scene: StateScene) throws {
        var expected = try scene.tracker()
        var tracker = saved
        // The golden files have nine decimals.
        #expect(abs(tracker.odometerMeters - expected.odometerMeters) < 1e-6)
        #expect(abs(tracker.odometerErrorMeters - expected.odometerErrorMeters) < 1e-6)
        #expect(tracker.schedule == expected.schedule && tracker.isMoving == expected.isMoving)
        #expect(tracker.lastLocation?.fix.timestamp == expected.lastLocation?.fix.timestamp)
        #expect(tracker.lastTimelineUpdate == expected.lastTimelineUpdate)
        #expect(tracker.attachGeofences(try StateScene.geofences(), zone: .utc))
        #expect(tracker.geofencesInside == expected.geofencesInside)
        #expect(tracker.geofencesInside.identifiers == (scene == .stop ? ["yard"] : []))
        #expect(scene != .trip || tracker.schedule.rule?.tag == "night")
        #expect(scene != .stop || abs(tracker.odometerMeters - 1_234_500) < 50)
        // The last revision of the open event contains its identifier, start, kind and distance.
        let end = try #require(expected.lastLocation).fix.received
        let (event, known) = (try lastEvent(tracker.finish(at: end)), try lastEvent(expected.finish(at: end)))
        #expect(event.id == known.id && event.start == known.start && event.revision == known.revision)
        #expect(event.end == known.end && event.tag == known.tag)
        #expect("\(event.kind)".prefix(9) == "\(known.kind)".prefix(9))
    }

    private static func lastEvent(_ outputs: [TrackerOutput]) throws -> TimelineEvent {
        try #require(
            outputs.compactMap(\.event).last)
    }

    /// Returns JSON with a line for each member of the upper objects, and with numbers of nine decimals, so that
    /// another version of the mathematical library gives the same text.
    private static func readable(_ bytes: [UInt8]) -> String {
        var (text, number, isString) = ("", "", false)
        var isObject: [Bool] = []
        var last: Character = " "
        func breakLine() { if isObject.count < 6 { text += "\n" + String(repeating: " ", count: isObject.count) } }
        for character in String(decoding: bytes, as: UTF8.self) {
            defer { last = character }
            if !isString, character.isNumber || "+-.e".contains(character), !number.isEmpty || !character.isLetter {
                number.append(character)
                continue
            }
            let decimals = number.contains { ".e".contains($0) } ? Double(number) : nil
            text += decimals.map { "\(($0 * 1e9).rounded() / 1e9)" } ?? number
            number = ""
            if character == "\"", last != "\\" { isString.toggle() }
            guard !isString, "{}[],".contains(character) else {
                text.append(character)
                continue
            }
            if character == "}" || character == "]", isObject.popLast() == true, isObject.count < 5 { breakLine() }
            text.append(character)
            if character == "{" || character == "[" { isObject.append(character == "{") }
            if isObject.last == true, character == "{" || character == "," { breakLine() }
        }
        return text + "\n"
    }
}
