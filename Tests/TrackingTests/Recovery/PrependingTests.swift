import OdographHarness
import OdographCivilTime
import OdographGeodesy
import OdographModel
import Testing

@testable import OdographTracking

@Suite("A tracker that began without a saved state is merged with the earlier one")
struct PrependingTests {
    /// Handles a vehicle that is stationary for a minute, drives east at 10 m/s for two minutes, then is stationary.
    private static func drive(_ tracker: inout Tracker, from second: Int, metersEast: Double) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        for offset in 0..<240 {
            let driven = Double(min(max(offset - 60, 0), 120)) * 10
            let time = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000 + Int64(second + offset) * 1000)
            guard
                let place = Coordinate(
                    latitudeDegrees: 40, longitudeDegrees: -3 + (metersEast + driven) / 85_394)
            else { continue }
            let fix = Fix(
                timestamp: time,
                received: ClockReading(
                    systemTime: time, uptimeMilliseconds: Int64(second + offset) * 1000, isSystemTimeTrusted: true),
                coordinate: place, accuracyMeters: 4, speedMetersPerSecond: (60..<180).contains(offset) ? 10 : 0,
                headingDegrees: 90)
            outputs += tracker.handle(.fix(fix))
        }
        return outputs
    }

    private static func tracker(seed: UInt64) -> Tracker {
        Tracker(configuration: TrackingConfiguration(), seed: (seed, seed))
    }

    private static func lasting(_ outputs: [TrackerOutput]) -> [TimelineEvent] {
        var newest: [TimelineEventID: TimelineEvent] = [:]
        for event in outputs.compactMap(\.event) { newest[event.id] = event }
        return newest.values.filter { $0.end == nil }
    }

    @Test("The merged odometer is the sum of both and of the distance between them, within its error")
    func sum() throws {
        var earlier = Self.tracker(seed: 1)
        _ = Self.drive(&earlier, from: 0, metersEast: 0)
        var later = Self.tracker(seed: 2)
        let outputs = Self.drive(&later, from: 1000, metersEast: 3200)
        let first = try #require(
            outputs.lazy.compactMap { output in
                if case .record(.location(let location)) = output { location.fix } else { nil }
            }.first)
        let (own, before) = (later.odometerMeters, earlier.odometerMeters)
        var joined = later
        _ = joined.prepend(earlier, firstFix: first, isOdometerSet: false, published: [], lastUpdate: nil)
        // 1200 m each, and 2000 m between.
        #expect(joined.odometerMeters >= own + before + 1900)
        #expect(abs(joined.odometerMeters - 4400) <= joined.odometerErrorMeters)
        #expect(joined.odometerErrorMeters > max(later.odometerErrorMeters, earlier.odometerErrorMeters))

        // Without the first fix the distance between is not counted.
        var without = later
        _ = without.prepend(earlier, firstFix: nil, isOdometerSet: false, published: [], lastUpdate: nil)
        #expect(abs(without.odometerMeters - own - before) < 0.001)
        // The odometer was set meanwhile.
        var set = later
        _ = set.prepend(earlier, firstFix: first, isOdometerSet: true, published: [], lastUpdate: nil)
        #expect(set.odometerMeters == own && set.odometerErrorMeters == later.odometerErrorMeters)
    }

    @Test("The earlier open event ends at its last revision, and the own open event continues")
    func timeline() throws {
        var earlier = Self.tracker(seed: 1)
        let told = Self.lasting(Self.drive(&earlier, from: 0, metersEast: 0))
        let last = try #require(told.first)
        var later = Self.tracker(seed: 2)
        let own = try #require(Self.lasting(Self.drive(&later, from: 1000, metersEast: 3200)).first)
        // The clock of the earlier run may have been ahead.
        for ahead in [0.0, 5000] {
            var joined = later
            let update = last.lastUpdate.advanced(bySeconds: ahead)
            let outputs = joined.prepend(
                earlier, firstFix: nil, isOdometerSet: false, published: told, lastUpdate: update)
            let events = outputs.compactMap { output in
                if case .record(.timeline(let event)) = output { event } else { nil }
            }
            #expect(Set(events.map(\.id)).isSuperset(of: told.map(\.id)))
            #expect(events.filter { $0.id == own.id }.allSatisfy { $0.end == nil && $0.revision > own.revision })
            let ended = try #require(events.first { $0.id == last.id })
            #expect(ended.end == last.lastUpdate && !ended.isProvisional && ended.revision == last.revision + 1)
            #expect(ended.lastUpdate > update)
            // The next revision of the own event comes after all published ones.
            let next = Self.drive(&joined, from: 1240, metersEast: 4400)
            let revisions = next.compactMap { output -> TimelineEvent? in
                if let event = output.event, event.id == own.id { event } else { nil }
            }
            #expect(revisions.allSatisfy { $0.lastUpdate > ended.lastUpdate && $0.revision > own.revision })
        }
    }
}
