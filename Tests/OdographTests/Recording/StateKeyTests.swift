import OdographJSON
import OdographTracking
import Testing

@testable import Odograph

/// Compares the stored properties of the tracker with the saved state. Codable omits a property without a key silently
/// if it has a default value, as each optional one has.
@Suite("The keys of the saved state")
struct StateKeyTests {
    /// Properties that are not saved under their names.
    private static let unsaved: Set<String> = [
        // The program's, not an operator's: they are the same in every run.
        "TrackingConfiguration.modelParameters",
        // The geofences themselves are in files; their states are saved with identifiers instead of slots.
        "GeofenceMonitor.context", "GeofenceState.slot",
        // Its keys are those of the odometer.
        "Odometer.trusted", "Odometer.place",
        // Working memory, and parts that have keys of their own in the monitor's form.
        "GeofenceMonitor.insideSlots", "GeofenceMonitor.candidateSlots", "GeofenceMonitor.track",
        // Saved as a journal, and as the key `spacing`.
        "UndatedFixQueue.fixes", "UndatedFixQueue.minimumSpacingMilliseconds",
    ]

    /// Properties that are saved under another name.
    private static let otherNames = ["GeofenceMonitor.states": "saved"]

    /// Optional properties that are nil in both golden files. Let a scene set a new property, or list it here.
    private static let nilInGoldenFiles: Set<String> = [
        "AgentState.beacons",
        "AgentState.carriage",
        "AgentState.driving",
        "AgentState.idling",
        "Carriage.lastThere",
        "Carriage.legStart",
        "Carriage.start",
        "EventSequence.ended",
        "FinalEvent.tag",
        "FixFilter.doubtful",
        "GapEvidence.downtime",
        "GeofenceMonitor.dormant",
        "GeofenceMonitor.doubt",
        "GeofenceOpening.nextChange",
        "GeofenceVisit.departure",
        "GeofenceVisit.exit",
        "MotionWindowBuilder.fastestMetersPerSecond",
        "MotionWindowBuilder.plane",
        "MotionWindowBuilder.start",
        "MultipathJumpDetector.stepMetersPerSecond",
        "Odometer.believedEntry",
        "Odometer.carriage",
        "Odometer.rejectedUntil",
        "Odometer.returnedAt",
        "Odometer.unreachable",
        "OpenEvent.gap",
        "OverspeedDetector.excess",
        "PositionWatch.contradictingDate",
        "PublishedInterval.clockJump",
        "PublishedInterval.upcoming",
        "ReceiverTimeEstimator.lastTime",
        "RecentState.driving",
        "SignalDistance.lastSpeedMetersPerSecond",
        "SignalDistance.mark",
        "TrackingConfiguration.driving",
        "Trip.arrivalMode",
        "TripSegmenter.pedestrian",
        "VehicleMonitor.standingSince",
        "VehicleMonitor.turningSince",
    ]

    /// The properties that were found, by the names of their types.
    private struct Findings {
        var withoutKey: Set<String> = []
        var set: Set<String> = []
        var absent: Set<String> = []

        /// Compares the stored properties of a value with its saved form. A form that is no object, such as the list of
        /// a waypoint, is not compared.
        mutating func compare(_ value: Any, _ saved: JSONValue?) {
            let mirror = Mirror(reflecting: value)
            switch (mirror.displayStyle, saved) {
            case (.optional, _): if let content = mirror.children.first { compare(content.value, saved) }
            case (.struct, .object(let members)?): compareProperties(mirror, members)
            case (.enum, .object(let members)?):
                guard let content = mirror.children.first, let label = content.label else { return }
                guard case .object(let values)? = members[label] else { return }
                let associated = Mirror(reflecting: content.value)
                guard associated.displayStyle == .tuple else { return compare(content.value, values["_0"]) }
                for (index, child) in associated.children.enumerated() {
                    compare(child.value, values[child.label.map { $0.hasPrefix(".") ? "_\(index)" : $0 } ?? ""])
                }
            case (.collection, .array(let list)?):
                for (child, element) in zip(mirror.children, list) { compare(child.value, element) }
            default: break
            }
        }

        private mutating func compareProperties(_ mirror: Mirror, _ members: [String: JSONValue]) {
            for child in mirror.children {
                guard let label = child.label else { continue }
                let name = "\(mirror.subjectType).\(label)"
                let content = Mirror(reflecting: child.value)
                if content.displayStyle == .optional, content.children.isEmpty {
                    absent.insert(name)
                    continue
                }
                set.insert(name)
                let saved = members[StateKeyTests.otherNames[name] ?? label]
                if saved == nil { withoutKey.insert(name) }
                compare(child.value, saved)
            }
        }
    }

    private static func tree(of tracker: Tracker) throws -> JSONValue {
        try JSONCoder.value(of: tracker)
    }

    @Test("Each stored property has a key, at every moment of the scenes", arguments: StateScene.allCases)
    func keys(scene: StateScene) throws {
        var findings = Findings()
        // One state a minute: to encode all of them takes long.
        for (index, tracker) in try scene.trackers().enumerated() where index.isMultiple(of: 3) {
            findings.compare(tracker, try Self.tree(of: tracker))
        }
        #expect(findings.set.count > 100)
        #expect(findings.withoutKey.subtracting(Self.unsaved) == [])
    }

    @Test("Each optional property has a value in a golden file, or is known to have none")
    func optionals() throws {
        var findings = Findings()
        for scene in StateScene.allCases {
            let tracker = try scene.tracker()
            findings.compare(tracker, try Self.tree(of: tracker))
        }
        #expect(findings.absent.subtracting(findings.set) == Self.nilInGoldenFiles)
    }

}
