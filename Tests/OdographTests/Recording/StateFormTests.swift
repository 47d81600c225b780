import FoundationEssentials
import Glibc
import OdographHarness
import OdographModel
import OdographTracking
import Testing

@testable import Odograph

/// Compares the saved state with the golden files of `Tests/States`: `FORM-SCENE.json`. A file of a former
/// form never changes. Each change of the keys increases `StateSnapshot.form` and records files for the new form:
///
///     ODOGRAPH_RECORD=1 swift test --filter StateFormTests; git diff Tests/States
@Suite("The form of the saved state")
struct StateFormTests {
    private static func path(form: Int, _ scene: StateScene) -> String {
        "\(Corpora.projectRoot)/Tests/States/\(form)-\(scene).json"
    }

    private static func saved(_ tracker: Tracker) throws -> [UInt8] {
        try StateSnapshot.encode(tracker.disclose(tracker), sourceOrdinal: 7)
    }

    private static func snapshot(_ text: String) -> StateSnapshot? {
        StateSnapshot(bytes: Array(text.utf8), configuration: TrackingConfiguration(), seed: (3, 4))
    }

    @Test("The agent writes the golden files of the newest form", arguments: StateScene.allCases)
    func written(scene: StateScene) throws {
        let text = Self.readable(try Self.saved(try scene.tracker()))
            .split(separator: "\"\(Build.version)\"", maxSplits: 1).joined(separator: "\"0.1.0\"")
        let path = Self.path(form: StateSnapshot.form, scene)
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
        let saved = try #require(
            StateSnapshot(bytes: bytes, configuration: TrackingConfiguration(), seed: (3, 4)))
        #expect(saved.isWhole && saved.tracker == tracker && saved.sourceOrdinal == 7)
    }

    @Test("A state of each form continues as it was", arguments: 2...StateSnapshot.form, StateScene.allCases)
    func resumed(form: Int, scene: StateScene) throws {
        let text = try String(contentsOfFile: Self.path(form: form, scene), encoding: .utf8)
        let saved = try #require(Self.snapshot(text))
        #expect(saved.isWhole == (form == StateSnapshot.form) && saved.sourceOrdinal == 7 && saved.version == "0.1.0")
        try Self.expectContinued(saved.tracker, scene, withinMeters: form == StateSnapshot.form ? 1e-6 : 2)
    }

    @Test("A state without the number of its form continues as it was", arguments: StateScene.allCases)
    func unnumbered(scene: StateScene) throws {
        let text = try String(contentsOfFile: Self.path(form: 2, scene), encoding: .utf8)
        let saved = try #require(Self.snapshot(text.split(separator: #""form":2,"#).joined()))
        try Self.expectContinued(saved.tracker, scene, withinMeters: 2)
    }

    @Test(
        "A state with a part of another form continues in its other parts",
        arguments: ["counters", "frozenFixes", "movement", "requests", "sampler", "configuration"],
        StateScene.allCases)
    func otherForm(part: String, scene: StateScene) throws {
        let bytes = try Self.saved(try scene.tracker())
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\"\(part)\":", maxSplits: 1)
            .joined(separator: "\"\(part)\":[],\"mood\":")
        let saved = try #require(Self.snapshot(text))
        #expect(!saved.isWhole)
        try Self.expectContinued(saved.tracker, scene)
    }

    @Test(
        "A text that is no state, or has no readable odometer, is unreadable",
        arguments: [
            "", "{}", "{", "[1]", #"{"form":3,"source_ordinal":7}"#, #"{"form":3,"source_ordinal":7,"tracker":{}}"#,
            #"{"form":3,"tracker":{"odometer":{}},"source_ordinal":7}"#,
        ])
    func unreadable(text: String) { #expect(Self.snapshot(text) == nil) }

    /// - Parameter meters: The largest difference of the odometer. Earlier versions, which wrote the older forms, counted
    ///   the same drive a little otherwise.
    private static func expectContinued(
        _ saved: Tracker, _ scene: StateScene, withinMeters meters: Double = 1e-6
    ) throws {
        var expected = try scene.tracker()
        var tracker = saved
        #expect(abs(tracker.odometerMeters - expected.odometerMeters) < meters)
        #expect(abs(tracker.odometerErrorMeters - expected.odometerErrorMeters) < 1)
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
