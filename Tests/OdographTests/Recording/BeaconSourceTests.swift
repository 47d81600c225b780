import OdographBeacons
import OdographHarness
import OdographJSON
import OdographModel
import OdographPositioning
import OdographThreads
import OdographTracking
import OdographWire
import Testing

@testable import Odograph

@Suite("A source of beacons")
struct BeaconSourceTests {
    private static let begin = ClockReading(
        systemTime: StateScene.start, uptimeMilliseconds: 60_000, isSystemTimeTrusted: true)
    private static let named = "{ beacons: { known: { tag: { name: 'Tag*' } } } }"

    private static func enter(_ identifier: String) -> BeaconSourceEvent {
        .change(BeaconEvent(identifier: identifier, action: .enter, signalDBm: -70))
    }

    @Test("Without named beacons nothing is received; with other names the reception begins again, and others leave")
    func names() async throws {
        let fixture = try await PipelineFixture("{}", at: Self.begin)
        let source = ScriptedBeacons()
        await fixture.pipeline.observeBeacons(with: source)
        try await fixture.drive(seconds: 60, from: 0, at: "2026-11-20T08:00:00Z")
        #expect(source.starts.isEmpty)
        await fixture.pipeline.apply(try ScheduleFixture.settings(Self.named))
        #expect(try await eventually { source.starts == [[]] ? true : nil } != nil)
        source.send(.unavailable(detail: "no adapter"))
        #expect(try await eventually { fixture.problems.current.first?.code == .beaconsLost ? true : nil } != nil)
        source.send(.available)
        #expect(try await eventually { fixture.problems.current.isEmpty ? true : nil } != nil)
        source.send(Self.enter("tag"))
        let isAboard: Bool? = try await eventually {
            await fixture.pipeline.tracker.presentBeacons == ["tag"] ? true : nil
        }
        #expect(isAboard == true)
        let location = try #require(await fixture.pipeline.tracker.currentLocation(at: fixture.clock.now()))
        let event = LocationEvent(location, identity: nil, annotations: RecordAnnotations())
        #expect(event.beacons == ["tag"] && event.beacon == nil)
        await fixture.pipeline.apply(
            try ScheduleFixture.settings("{ beacons: { exit_after: 30, known: { tag: { name: 'Tag*' } } } }"))
        #expect(try await eventually { source.starts == [[], ["tag"]] ? true : nil } != nil)
        await fixture.pipeline.apply(try ScheduleFixture.settings("{ desired_accuracy: 50 }"))
        #expect(await fixture.pipeline.tracker.presentBeacons == [])
        await fixture.pipeline.stop()
        #expect(source.starts.count == 2)
    }

    @Test("Without a receiver, named beacons start nothing and raise no problem")
    func noReceiver() async throws {
        let fixture = try await PipelineFixture(Self.named, at: Self.begin)
        await fixture.pipeline.observeBeacons(with: nil)
        #expect(await fixture.pipeline.beacons.task == nil)
        #expect(fixture.problems.current.isEmpty)
    }

    @Test(
        "null at another kind of pattern is no mistake: a document replaces the pattern of a lower level",
        arguments: ["ibeacon", "eddystone", "address"])
    func replaced(former: String) throws {
        let text = "{ beacons: { known: { a: { \(former): null, name: 'Ramp*' } } } }"
        var reader = SettingsReader(try JSON5Parser.value(of: Array(text.utf8)), path: "tracking")
        let settings = TrackingSettings(&reader)
        #expect(reader.allIssues() == [])
        #expect(settings.beacons.known == ["a": .name("Ramp*")])
    }

    @Test(
        "Wrong beacons are refused, with the place of the mistake",
        arguments: [
            ("{ known: [] }", "tracking.beacons.known"), ("{ known: { a: 5 } }", "tracking.beacons.known.a"),
            ("{ known: { a: {} } }", "tracking.beacons.known.a.ibeacon"),
            ("{ known: { a: { name: '*' } } }", "tracking.beacons.known.a.name"),
            ("{ known: { a: { name: 'b', address: 'AA:*' } } }", "tracking.beacons.known.a.name"),
            ("{ known: { a: { address: 'AA' } } }", "tracking.beacons.known.a.address"),
            ("{ known: { a: { ibeacon: { uuid: '12' } } } }", "tracking.beacons.known.a.ibeacon.uuid"),
            (
                "{ known: { a: { ibeacon: { uuid: '00000000000000000000000000000000', minor: 1 } } } }",
                "tracking.beacons.known.a.ibeacon.minor"
            ),
            ("{ known: { a: { eddystone: { namespace: 'x' } } } }", "tracking.beacons.known.a.eddystone.namespace"),
            ("{ exit_after: 1 }", "tracking.beacons.exit_after"),
            ("{ minimum_rssi: 0 }", "tracking.beacons.minimum_rssi"),
        ])
    func mistakes(beacons: String, path: String) throws {
        let document = try JSON5Parser.value(of: Array("{ beacons: \(beacons) }".utf8))
        var reader = SettingsReader(document, path: "tracking")
        _ = TrackingSettings(&reader)
        let issues = reader.allIssues()
        #expect(issues.contains { $0.path == path }, "\(issues)")
    }
}

/// A receiver with the events of a test.
private final class ScriptedBeacons: BeaconSource {
    private let state = Lock<(starts: [[String]], inputs: [AsyncStream<BeaconSourceEvent>.Continuation])>(([], []))

    /// The beacons that were aboard at each start.
    var starts: [[String]] { state.withLock { $0.starts } }

    func events(rule: BeaconRule, present: [String]) -> AsyncStream<BeaconSourceEvent> {
        let (events, input) = AsyncStream<BeaconSourceEvent>.makeStream()
        state.withLock {
            $0.starts.append(present)
            $0.inputs.append(input)
        }
        return events
    }

    func send(_ event: BeaconSourceEvent) { state.withLock { _ = $0.inputs.last?.yield(event) } }
}
